"""What holds for the project's files as a whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Spelt in parts, so that this file does not hold them.
REGISTRIES = ("pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "npmjs" + ".com", "deb.debian" + ".org")


def tracked() -> list[Path]:
    out = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if out.returncode != 0:
        pytest.skip("needs a git checkout")
    return [path for name in out.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_no_file_names_a_registry_or_a_path_of_a_machine() -> None:
    home = re.escape(str(ROOT.parent))
    wrong = re.compile("|".join([*map(re.escape, REGISTRIES), rf"(?<![\w.]){home}/", r"/root/\.", "index" + "-url"]))
    for path in tracked():
        text = path.read_bytes().decode("utf-8", "ignore")
        found = wrong.search(text)
        assert found is None, f"{path.relative_to(ROOT)} holds {found[0]!r}" if found else ""


def test_every_pinned_requirement_has_a_hash() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        if path.name == "overrides.txt":
            continue
        entries = re.split(r"\n(?=\S)", path.read_text())
        assert len(entries) > 20
        for entry in entries:
            assert "==" in entry and "--hash=sha256:" in entry, f"{path.name}: {entry.splitlines()[0]}"


def test_scripts_parse() -> None:
    for path in [*(ROOT / "scripts").iterdir(), ROOT / ".ci/run"]:
        if path.read_bytes().startswith(b"#!/usr/bin/env bash"):
            subprocess.run(["bash", "-n", str(path)], check=True)
            assert os.access(path, os.X_OK), f"{path.name} is not executable"


def test_wrong_level_of_setup_is_one_line() -> None:
    done = subprocess.run([str(ROOT / "scripts/setup"), "everything"], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.full
def test_docs_build_without_a_warning(tmp_path: Path) -> None:
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site/concepts/statistics/index.html").is_file()


@pytest.mark.full
def test_docs_import_what_there_is() -> None:
    lines = (line for path in (ROOT / "docs").rglob("*.md") for line in path.read_text("utf-8").splitlines())
    imports = sorted({line for line in lines if re.match(r"from trueline[\w.]* import \w", line)})
    assert len(imports) > 20
    done = subprocess.run([sys.executable, "-c", "\n".join(imports)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
