"""The public names of `trueline`: loaded on use, documented, and shown at work in pages that run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import trueline

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
NAMES = sorted(set(trueline.__all__) - {"__version__"})


@pytest.mark.parametrize("name", NAMES)
def test_each_public_name_exists_and_has_a_reference_page(name: str) -> None:
    assert getattr(trueline, name).__doc__
    target = "judge.api.judge" if name == "judge" else name  # the package has the name of the function
    assert (DOCS / f"reference/api/{name}.md").read_text("utf-8") == f"::: trueline.{target}\n"
    assert f"reference/api/{name}.md" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_no_page_for_a_name_that_is_gone() -> None:
    assert sorted(path.stem for path in (DOCS / "reference/api").glob("*.md")) == NAMES


def test_importing_trueline_imports_nothing_heavy() -> None:
    code = "import sys, trueline; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if name.startswith("trueline")] == ["trueline"]
    assert not {"pydantic", "numpy", "asyncio"} & set(loaded)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'runs_everything'"):
        trueline.__getattr__("runs_everything")


@pytest.mark.full
def test_the_first_example_of_the_page_prints_what_the_page_says(tmp_path: Path, machine: None) -> None:
    page = (DOCS / "how-to/python.md").read_text("utf-8")
    code, printed = re.findall(r"```(?:python|text)\n(.*?)```", page, re.DOTALL)[:2]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (printed, "")


@pytest.mark.full
def test_the_example_notebook_runs(tmp_path: Path, machine: None) -> None:
    code = (
        "import sys, nbformat; from nbclient import NotebookClient; notebook = nbformat.read(sys.argv[1], 4)\n"
        "NotebookClient(notebook, timeout=300, resources={'metadata': {'path': sys.argv[2]}}).execute()\n"
        "print(*(output.text for cell in notebook.cells for output in cell.get('outputs', []) if 'text' in output))"
    )
    notebook = DOCS / "examples/first-steps.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", code, str(notebook), str(tmp_path)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "complete: True" in done.stdout
    assert re.search(r"without a guard: 4 of 4 attacks achieved", done.stdout)
    assert "executed: pyautogui.click(20, 20)" in done.stdout
    assert "blocked: import os; os.system('rm -rf ~')" in done.stdout
