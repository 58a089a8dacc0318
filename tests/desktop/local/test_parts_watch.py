"""The pure parts: options, identity, command lines, launchers, owner and folders, the diff of two plain folders."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from trueline.desktop.local import LocalOptions
from trueline.desktop.local.argv import Folders, session_argv, session_environment, x_argv
from trueline.desktop.local.diff import receive_changes
from trueline.desktop.local.files import inside
from trueline.desktop.local.identity import identity_files
from trueline.desktop.local.install import install, program_files, sweep
from trueline.desktop.local.launchers import launchers
from trueline.desktop.local.ownership import OWNER, SMALL_OWNER, Owner, cache_folder, pick_owner, work_place
from trueline.desktop.local.programs.changes import send_changes
from trueline.desktop.local.system_files import BROWSER, WINDOWS, system_files
from trueline.desktop.local.template import machine_version, template_files
from trueline.desktop.local.thunderbird import mbox, thunderbird_files
from trueline.desktop.types import Change, ChangeKind, DesktopError, DesktopLost, DesktopUnavailable, PathRefused
from trueline.errors import InputError

ME = Owner(os.geteuid(), os.getegid(), drop=False)
FOLDERS = Folders("/mnt")


def diff(upper: Path, lower: Path) -> tuple[Change, ...]:
    """As the supervisor tells it and the host reads it."""
    read, write = os.pipe()
    with ThreadPoolExecutor() as pool:
        told = pool.submit(send_changes, [(str(upper), str(lower), "", False)], write)
        found = receive_changes(read)
        told.result()
    return found


def words_after(argv: list[str], flag: str, count: int = 1) -> list[tuple[str, ...]]:
    return [tuple(argv[place + 1 : place + 1 + count]) for place, word in enumerate(argv) if word == flag]


def test_everything_bound_for_writing_is_below_the_work_area() -> None:
    options = LocalOptions()
    session = session_argv(options, FOLDERS, seccomp_fd=3, ready_fd=4, channel_fd=5)
    x = x_argv(options, FOLDERS, seccomp_fd=3, ready_fd=4)
    for argv in (session, x):
        assert all(source.startswith("/mnt/") for source, _ in words_after(argv, "--bind", 2))
        assert {"--unshare-user", "--unshare-pid", "--die-with-parent", "--new-session", "--clearenv"} <= set(argv)
        assert argv[argv.index("--cap-drop") + 1] == "ALL"
        assert ("/",) in words_after(argv, "--remount-ro")
        # Every file system in memory has a size.
        for place, word in enumerate(argv):
            if word == "--tmpfs":
                assert argv[place - 2] == "--size" and int(argv[place - 1]) > 0
    assert ("/mnt/fb", "/fb") in words_after(x, "--bind", 2)
    assert "/mnt/fb" not in session, "what runs on the desktop cannot touch the picture"
    sources = [source for flag in ("--ro-bind", "--ro-bind-try") for source, _ in words_after(session, flag, 2)]
    assert not {"/etc", "/", "/root", "/home", "/tmp", "/var", "/sys", "/proc", "/run"} & set(sources)


def test_the_environment_is_the_desktops_own() -> None:
    environment = session_environment(LocalOptions(timezone="Asia/Tokyo", language="de_DE.UTF-8"))
    assert environment["TZ"] == "Asia/Tokyo" and environment["LANG"] == "de_DE.UTF-8"
    assert environment["HOME"] == "/home/user" and not any("TRUELINE" in name for name in environment)


@pytest.mark.parametrize(
    "options",
    [
        {"width": 10}, {"height": 99999}, {"timezone": "../../etc/shadow"}, {"timezone": ""},
        {"language": "C --bind / /"}, {"hosts": {"a b": "1.1.1.1"}}, {"hosts": {"a": "1\n2"}}, {"hosts": {"": "1"}},
    ],
)  # fmt: skip
def test_options_that_are_not_what_they_seem(options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        LocalOptions(**options)  # pyright: ignore[reportArgumentType]: wrong on purpose


def test_identity_is_the_sandboxes_own() -> None:
    files = identity_files(LocalOptions(hosts={"shop.example": "127.0.0.1"}, nameserver=True))
    assert "user:x:1000:1000" in files["passwd"] and "127.0.0.1\tshop.example\n" in files["hosts"]
    assert files["resolv.conf"].startswith("nameserver 127.0.0.1\n")
    assert identity_files(LocalOptions())["resolv.conf"] == ""
    assert os.uname().nodename not in "".join(files.values()).split()


def test_there_is_a_launcher_for_every_name_tasks_use() -> None:
    scripts = launchers()
    names = {"google-chrome", "gnome-terminal", "nautilus", "gedit", "libreoffice", "code", "crontab", "sudo", "socat",
             "gnome-disks"}  # fmt: skip
    assert names <= set(scripts)
    with_packages = scripts.pop("gnome-disks")
    assert with_packages.startswith(b"#!/usr/bin/python3 -I\n")
    assert all(script.startswith((b"#!/bin/sh\n", b"#!/usr/bin/python3 -IS\n")) for script in scripts.values())
    assert all(f"bin/{name}" in program_files("x86_64") for name in names)


def test_settings_made_of_the_machines_own(tmp_path: Path) -> None:
    (tmp_path / WINDOWS).parent.mkdir(parents=True)
    (tmp_path / WINDOWS).write_text("<desktops><number>4</number></desktops><applications>\n</applications>")
    assert set(system_files(tmp_path)) == {".config/openbox/rc.xml"}, "what is not there is left out"
    (tmp_path / BROWSER).parent.mkdir(parents=True)
    (tmp_path / BROWSER).write_text("Name=Chromium\nExec=/usr/bin/chromium %U\n")
    made = system_files(tmp_path)
    assert b"Exec=/usr/local/bin/chromium %U" in made[".local/share/applications/chromium.desktop"]
    rules = fromstring(f"<x>{made['.config/openbox/rc.xml'].decode()}</x>")
    assert rules.findtext("desktops/number") == "1"
    assert {rule.get("class") for rule in rules.iter("application")} >= {"Chromium", "libreoffice*"}


def test_mail_as_a_folders_file() -> None:
    message = EmailMessage()
    message["Subject"] = "Hi"
    message.set_content("one\nFrom the start\n>From quoted\nüber\n")
    folder = mbox([message, message])
    assert folder.count(b"\nSubject: Hi\n") == 2 and b"\r" not in folder
    assert [line for line in folder.split(b"\n") if line.startswith(b"From ")] == [
        b"From - Thu Jan  1 00:00:00 1970"
    ] * 2
    assert b"\n>From the start\n>>From quoted\n" in folder
    assert b'user_pref("ui.caretBlinkTime", 0);' in thunderbird_files()[".thunderbird/desktop.default/user.js"]


@pytest.mark.parametrize(
    ("euid", "uid_map", "expected"),
    [
        (1000, "0 0 4294967295", Owner(1000, 1000, drop=False)),
        (0, "         0          0 4294967295\n", Owner(OWNER, OWNER, drop=True)),
        (0, "0 100000 65536\n", Owner(SMALL_OWNER, SMALL_OWNER, drop=True)),
    ],
)
def test_who_owns_the_sandboxes(euid: int, uid_map: str, expected: Owner) -> None:
    assert pick_owner(euid, euid, uid_map) == expected


def test_root_of_a_namespace_of_one_user_is_refused() -> None:
    with pytest.raises(DesktopUnavailable, match="ordinary user"):
        pick_owner(0, 0, "0 1000 1")


def test_where_templates_are_kept() -> None:
    assert cache_folder({"TRUELINE_CACHE_DIR": "/a/b"}, 7) == Path("/a/b/desktop")
    assert cache_folder({"XDG_CACHE_HOME": "/c"}, 7) == Path("/c/trueline/desktop")
    assert cache_folder({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, 7).name == "desktop"
    assert cache_folder({}, 0) == Path("/var/cache/trueline/desktop")
    with pytest.raises(DesktopUnavailable, match="may not have"):
        cache_folder({"TRUELINE_CACHE_DIR": "/a,upperdir=/etc"}, 7)


def test_the_covered_folder_hides_nothing_needed() -> None:
    assert work_place(Path("/var/cache/x")) != work_place(Path("/mnt/x"), Path("/var/cache/x"))
    with pytest.raises(DesktopUnavailable):
        work_place(*(Path(place) / "x" for place in ("/mnt", "/media", "/srv", "/opt", "/home")))


def test_the_template_keeps_the_screen_still() -> None:
    files = template_files()
    assert b'"CursorBlink" type="bool" value="false"' in b"".join(files.values())
    assert ".config/xfce4/terminal/terminalrc" in files and not any("dot_" in path for path in files)
    assert machine_version(("sh",)) != machine_version(("sh", "env")) == machine_version(("sh", "env", "no-such"))


def test_files_are_installed_once_and_at_once(tmp_path: Path) -> None:
    first = install(tmp_path, "kind", {"a/b": b"1", "bin/x": b"2"}, ME)
    assert (first / "a/b").read_bytes() == b"1" and os.access(first / "bin/x", os.X_OK)
    assert install(tmp_path, "kind", {"a/b": b"1", "bin/x": b"2"}, ME) == first
    second = install(tmp_path, "kind", {"a/b": b"3"}, ME)
    assert {path.name for path in tmp_path.iterdir()} == {first.name, second.name}
    os.utime(first, (0, 0))
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [second.name]


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DesktopUnavailable, match="TRUELINE_CACHE_DIR"):
        install(tmp_path / "file" / "cache", "kind", {"a": b"1"}, ME)


def test_paths_inside() -> None:
    assert inside("a/b") == inside("~/a/b") == "/home/user/a/b"
    assert inside("/etc/x") == "/etc/x"
    assert inside("a\udcff") == "/home/user/a\udcff", "a name that is no UTF-8"
    for path in ("", "a\0", "a\ud800", "a/" * 3000 + "f"):
        with pytest.raises(PathRefused):
            inside(path)


def test_the_diff_of_two_folders(tmp_path: Path) -> None:
    lower, upper = tmp_path / "lower", tmp_path / "upper"
    for folder in (lower, upper):
        (folder / "same").mkdir(parents=True)
        (folder / "same/equal").write_bytes(b"x" * 100_000)
    (lower / "same/other").write_bytes(b"x" * 100_000)
    (upper / "same/other").write_bytes(b"x" * 99_999 + b"y")
    (upper / "same/new").symlink_to("/nowhere")
    (upper / "same/pipe").parent.mkdir(exist_ok=True)
    os.mkfifo(upper / "same/pipe")
    (lower / "turned").mkdir()
    (upper / "turned").write_text("a file now")
    created, changed = ChangeKind.CREATED, ChangeKind.CHANGED
    assert diff(upper, lower) == (
        Change("same/new", created), Change("same/other", changed), Change("same/pipe", created),
        Change("turned", changed),
    )  # fmt: skip


def test_a_home_folder_that_is_gone_is_no_empty_diff(tmp_path: Path) -> None:
    with pytest.raises(DesktopLost):
        diff(tmp_path / "absent", tmp_path)


def test_a_diff_leaves_nothing_out_however_deep(tmp_path: Path) -> None:
    deep = tmp_path / "upper" / "/".join(["d"] * 150)
    deep.mkdir(parents=True)
    (deep / "hidden").touch()
    assert diff(tmp_path / "upper", tmp_path / "lower")[-1].path.endswith("d/hidden")
    (deep / "/".join(["d"] * 100)).mkdir(parents=True)
    with pytest.raises(DesktopError, match="deeper than 200"):
        diff(tmp_path / "upper", tmp_path / "lower")


def test_only_what_the_session_itself_writes_is_left_out_of_the_diff(tmp_path: Path) -> None:
    upper, lower = tmp_path / "upper", tmp_path / "lower"
    for folder in (upper, lower):
        (folder / ".config/xfce4/desktop").mkdir(parents=True)
    icons = upper / ".config/xfce4/desktop"
    for name in ("icons.screen0-640x480.rc", "icons.screen.latest.rc", "icons.screen0.rc"):
        (icons / name).write_text("its own")
    hidden = [
        "icons.screen-stolen.txt",
        "icons.screens",
        "icons.screen0-640x480.rc.bak",
        "Icons.screen0.rc",
        "icons.screen0.rc\n",
    ]
    for name in hidden:
        (icons / name).write_text("not its own")
    (icons / "icons.screen1.rc").mkdir()
    (icons / "icons.screen1.rc/stolen").write_text("in a folder of that name")
    (upper / ".cache/openbox/openbox.log").mkdir(parents=True)
    found = {change.path.removeprefix(".config/xfce4/desktop/") for change in diff(upper, lower)}
    assert found == {
        *hidden,
        "icons.screen1.rc",
        "icons.screen1.rc/stolen",
        ".cache",
        ".cache/openbox",
        ".cache/openbox/openbox.log",
    }
