"""What the machine lacks is found and comes with the line that mends it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueline.cli import doctor
from trueline.cli.parser import Parser
from trueline.desktop.local import checks
from trueline.desktop.local.blocks import find_blocks
from trueline.desktop.local.checks import (
    PACKAGES,
    check_all,
    check_applications,
    check_blocks,
    check_cache,
    check_programs,
    check_root,
    in_container,
    namespace_fix,
)
from trueline.desktop.local.ownership import Owner, owner
from trueline.desktop.local.root import root_available


def parse(*words: str) -> Parser:
    parser = Parser(prog="trueline doctor")
    doctor.configure(parser)
    return parser


def test_missing_programs_name_their_packages(tmp_path: Path) -> None:
    for name in set(PACKAGES) - {"Xvfb", "openbox"}:
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    check = check_programs(str(tmp_path))
    assert not check.ok and check.detail == "missing: Xvfb, openbox"
    assert " xvfb" in check.fix and " openbox" in check.fix and check.fix.startswith("sudo apt-get update && ")
    applications = check_applications(str(tmp_path))
    assert not applications.ok and not applications.needed and "chromium" in applications.fix


def test_a_cache_nobody_can_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(tmp_path / "file"))
    assert not check_cache(owner()).ok
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o700)
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(locked))
    if owner().drop:
        check = check_cache(owner())
        assert not check.ok and "cannot read it" in check.detail


def test_a_user_without_ids_to_give_is_told_how_to_get_them(tmp_path: Path) -> None:
    nobody = Owner(4_000_000_001, 4_000_000_001, drop=False)
    check = check_blocks(nobody, str(tmp_path))
    assert not check.ok and not check.needed and "uidmap" in check.fix and "--add-subuids" in check.fix
    for helper in ("newuidmap", "newgidmap"):
        (tmp_path / helper).touch(mode=0o755)
    assert check_blocks(nobody, str(tmp_path)).fix.startswith("sudo usermod --add-subuids")
    if (block := next(find_blocks(owner()), None)) is not None:
        assert check_blocks(owner()).ok and str(block.count) in check_blocks(owner()).detail


def test_whether_root_can_be_had_inside_is_said() -> None:
    check = check_root(Owner(4_000_000_001, 4_000_000_001, drop=False))
    assert not check.ok and not check.needed and "range of user ids" in check.detail and check.fix
    here = check_root(owner())
    assert here.ok == (root_available() is None) and not here.needed and "inside" in here.detail


def test_a_ready_machine(machine: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.run(parse().parse_args(["--json"])) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ready"] is True
    assert {check["name"] for check in document["checks"]} >= {"programs", "user namespaces", "overlay", "sandbox"}
    assert doctor.run(parse().parse_args([])) == 0
    assert capsys.readouterr().out.endswith("This machine can run local desktops.\n")


def test_a_machine_that_lacks_something(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(checks, "SEARCH_PATH", "/nowhere")
    monkeypatch.setattr(checks, "check_programs", lambda: check_programs("/nowhere"))
    assert doctor.run(parse().parse_args([])) == 1
    shown = capsys.readouterr().out
    assert "MISS  programs: missing: bwrap" in shown and "fix: sudo apt-get" in shown


def test_an_owner_without_a_mapping_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Owner:
        raise checks.DesktopUnavailable("root here maps too few users")

    monkeypatch.setattr(checks, "owner", refuse)
    assert check_all()[-1].detail == "root here maps too few users"


@pytest.mark.parametrize(
    ("name", "value", "said", "mends"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor", "apparmor_restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", "0", "switched off", "unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "none are allowed", "user.max_user_namespaces=15000"),
    ],
)
def test_why_user_namespaces_are_refused(tmp_path: Path, name: str, value: str, said: str, mends: str) -> None:
    assert namespace_fix(tmp_path, container=False) == ("the kernel has none", "boot a kernel with CONFIG_USER_NS=y")
    assert "seccomp=unconfined" in namespace_fix(tmp_path, container=True)[1]
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(f"{value}\n")
    reason, line = namespace_fix(tmp_path, container=False)
    assert said in reason and mends in line and line.startswith("sudo ")
    assert not namespace_fix(tmp_path, container=True)[1].startswith("sudo "), "not to be run in the container"


def test_a_container_is_known_by_its_marks(tmp_path: Path) -> None:
    assert not in_container(tmp_path, {})
    assert in_container(tmp_path, {"container": "podman"})
    (tmp_path / "run").mkdir()
    (tmp_path / "run/.containerenv").touch()
    assert in_container(tmp_path, {})


def test_install_runs_the_lines_that_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With packages that are missing, and an `apt-get` that only writes down what it is asked."""
    log = tmp_path / "log"
    for name, script in (("apt-get", f'echo "$@" >> {log}'), ("sudo", 'exec "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(checks, "check_programs", lambda: check_programs("/nowhere"))
    assert doctor.run(parse().parse_args(["--install"])) == 1, "it is still missing: the apt-get was not a real one"
    done = log.read_text()
    assert done.startswith("update\ninstall -y --no-install-recommends ") and "bubblewrap" in done
    assert "chromium" not in done, "applications come with --full"
    assert "MISS  programs" in capsys.readouterr().out
