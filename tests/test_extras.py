"""What only an extra brings is never needed to type-check, to import, or to be told what is missing."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trueline.errors import MissingExtraError
from trueline.extras import EXTRA_MODULES, missing_modules, require_extra

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = sorted(set(PROJECT["optional-dependencies"]) - {"all"})
OTHER_INTERPRETERS = (
    "src/trueline/desktop/local/programs",  # inside the sandbox, by the system's Python
    "src/trueline/desktop/worker/inside",
    "src/trueline/tasks/bridge/inside",  # in .venv-osworld
    "tests/desktop/serve/osworld_driver.py",  # in .venv-osworld
)
IMPORT_LINE = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)


def imported_packages(text: str) -> Iterator[str]:
    """Top-level names of the `import` statements in a file, wherever in it they stand."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_import_statements_name_only_packages_of_the_minimal_set() -> None:
    lines = (ROOT / "requirements" / "minimal.txt").read_text("utf-8").splitlines()
    minimal = {canonicalize_name(line.partition("==")[0]) for line in lines if "==" in line}
    files = [path for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    known = {"trueline", *sys.stdlib_module_names, *(part for path in files for part in (path.stem, path.parent.name))}
    known |= {
        name
        for name, homes in importlib.metadata.packages_distributions().items()
        if minimal & {canonicalize_name(home) for home in homes}
    }
    wrong: list[str] = []
    for path in files:
        relative, text = path.relative_to(ROOT), path.read_text("utf-8")
        # Prose may look like an import; only files in which something does are parsed.
        if not set(IMPORT_LINE.findall(text)) - known or str(relative).startswith(OTHER_INTERPRETERS):
            continue
        wrong.extend(f"{relative} imports {name}" for name in set(imported_packages(text)) - known)
    assert not wrong, "./scripts/setup minimal does not install these; use importlib.import_module: " + "; ".join(wrong)


def with_dependencies(lines: Iterable[str]) -> set[str]:
    """The distributions of these requirements and what they need, by canonical name."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in lines]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting.extend(Requirement(line) for line in importlib.metadata.requires(name) or [])
    return found


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that holds the core dependencies and nothing else, as `pip install trueline` gives."""
    folder = tmp_path_factory.mktemp("bare")
    for name in with_dependencies(PROJECT["dependencies"]):
        link_packages(name, folder)
    return folder


def link_packages(distribution_name: str, folder: Path) -> None:
    distribution = importlib.metadata.distribution(distribution_name)
    tops = {file.parts[0] for file in distribution.files or [] if file.parts[0] not in ("..", "__pycache__")}
    for top in tops:
        if not (folder / top).exists():
            (folder / top).symlink_to(Path(str(distribution.locate_file(top))))


OFFICE_TASK = {
    "id": "totals",
    "snapshot": "libreoffice_calc",
    "instruction": "Fill in the totals.",
    "source": "test",
    "config": [],
    "trajectory": "trajectories/",
    "related_apps": ["calc"],
    "evaluator": {
        "func": "compare_table",
        "result": {"type": "vm_file", "path": "/home/user/book.xlsx", "dest": "book.xlsx"},
        "expected": {"type": "vm_file", "path": "/home/user/gold.xlsx", "dest": "gold.xlsx"},
        "options": {"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]},
    },
}


@pytest.fixture(scope="module")
def only_desktop(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the extra that runs need, and no other; beside it a suite of one task with a workbook."""
    folder = tmp_path_factory.mktemp("desktop")
    for link in bare.iterdir():
        if link.is_symlink():
            (folder / link.name).symlink_to(link.readlink())
    for name in with_dependencies(PROJECT["optional-dependencies"]["desktop"]):
        link_packages(name, folder)
    (folder / "suite" / "examples" / "calc").mkdir(parents=True)
    (folder / "suite" / "index.json").write_text('{"calc": ["totals"]}')
    (folder / "suite" / "examples" / "calc" / "totals.json").write_text(json.dumps(OFFICE_TASK))
    return folder


def run_bare(bare: Path, code: str, *args: str) -> subprocess.CompletedProcess[str]:
    start = f"import sys; sys.path[:0] = [{str(SOURCE)!r}, {str(bare)!r}]\n"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "OPENAI"))}
    environment["OPENAI_API_KEY"] = "sk-nobody"
    command = [sys.executable, "-I", "-S", "-c", start + code, *args]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=bare, timeout=300, check=False)


BEHIND_A_HINT = {
    "trueline.models.anthropic_client",
    "trueline.models.http_client",
    "trueline.models.openai_client",
    "trueline.serving.connections",
}
"""Modules that only work with an SDK; whoever loads them gives the hint."""

IMPORT_ALL = """
import importlib, json, pkgutil, trueline
from trueline.errors import MissingExtraError
elsewhere = ("trueline.__main__", "trueline.desktop.worker.inside", "trueline.desktop.local.programs",
             "trueline.tasks.bridge.inside", "trueline.tasks.rtc.machine")
broken = {}
for module in pkgutil.walk_packages(trueline.__path__, "trueline."):
    if module.name.startswith(elsewhere):
        continue
    try:
        importlib.import_module(module.name)
    except MissingExtraError:
        pass
    except Exception as error:
        broken[module.name] = f"{type(error).__name__}: {error}"
print(json.dumps(broken))
"""

COMMANDS: dict[str, list[str]] = {
    "cedar": ["guard", "check", "--instruction", "do", "--action", "action.py", "--policy", "own.cedar"],
    "classifier": ["guard", "check", "--instruction", "do", "--action", "action.py", "--guard-classifier"],
    "desktop": ["run", "--suite", "starter", "--agent", "noop"],
    "embedded": ["model", "ask", "embedded|smollm2", "hello"],
    "mcp": ["guard", "mcp", "--instruction", "do"],
    "models": ["model", "ask", "openai|gpt-4.1", "hello"],
    "ocr": ["guard", "check", "--instruction", "do", "--action", "action.py", "--guard-ocr"],
    "parquet": ["export", "results", "--format", "parquet", "--out", "new"],
    "plot": ["metrics", "--run-dirs", "results", "--plot", "out.svg"],
    "serve": ["guard", "serve", "--port", "0"],
}
"""A command that needs the extra."""
CODE = {
    "gym": "import trueline.guard.adapters.gymnasium",
    "inspect": "from trueline.guard.adapters import inspect_ai; inspect_ai.guard_approver(None)",
    "office": "import io, zipfile\n"
    "from trueline.tasks.checkers.metrics.workbook import open_book\n"
    "zipfile.ZipFile(book := io.BytesIO(), 'w').close(); open_book(book.getvalue())",
}
"""What needs an extra and is no command."""


@pytest.mark.full
def test_without_extras_every_module_imports_or_names_its_extra(bare: Path) -> None:
    done = run_bare(bare, IMPORT_ALL)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout).keys() <= BEHIND_A_HINT


def test_every_extra_has_its_hint_tried() -> None:
    assert sorted([*COMMANDS, *CODE]) == EXTRAS == sorted(EXTRA_MODULES)


def test_the_table_of_modules_matches_what_the_extras_install() -> None:
    """Where an extra's distributions are installed, all its modules are."""
    for extra, modules in EXTRA_MODULES.items():
        requirements = [Requirement(line) for line in PROJECT["optional-dependencies"][extra]]
        own = [requirement.name for requirement in requirements if requirement.name != "trueline"]
        if all(is_installed(name) for name in own):
            assert missing_modules(extra) == () and modules, extra
        else:
            with pytest.raises(MissingExtraError):
                require_extra(extra, "this test")


def is_installed(distribution: str) -> bool:
    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.full
@pytest.mark.parametrize("extra", COMMANDS)
def test_a_command_names_the_extra_it_needs_before_anything_else(bare: Path, extra: str) -> None:
    episode = bare / "results" / "pyautogui" / "screenshot" / "model" / "chrome" / "task"
    episode.mkdir(parents=True, exist_ok=True)
    (episode / "result.txt").write_text("1.0\n")
    (bare / "action.py").write_text("pyautogui.click(1, 2)")
    (bare / "own.cedar").write_text("permit(principal, action, resource);")
    done = run_bare(bare, "from trueline.cli import main; sys.exit(main(sys.argv[1:]))", *COMMANDS[extra])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and f"pip install 'trueline[{extra}]'" in done.stderr


@pytest.mark.full
@pytest.mark.parametrize("extra", CODE)
def test_code_that_needs_an_extra_names_it(bare: Path, extra: str) -> None:
    done = run_bare(bare, CODE[extra])
    assert done.stderr.splitlines()[-1].startswith("trueline.errors.MissingExtraError")
    assert f"pip install 'trueline[{extra}]'" in done.stderr


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("--suite starter --agent prompt --model openai|gpt-4.1", "models"),
        ("--suite starter --agent noop --judge_model openai|gpt-4.1", "models"),
        ("--suite starter --agent noop --guard policy --guard_ocr", "ocr"),
        ("--test_all_meta_path suite/index.json --agent noop", "office"),
    ],
)
def test_a_run_names_what_it_needs_later_before_it_begins(only_desktop: Path, words: str, extra: str) -> None:
    code = "from trueline.cli import main; sys.exit(main(sys.argv[1:]))"
    done = run_bare(only_desktop, code, "run", "--limit", "1", *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and f"pip install 'trueline[{extra}]'" in done.stderr
    assert not (only_desktop / "results").exists()
