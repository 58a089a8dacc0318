"""The log of changes: files, settings and programs, from look to look and since it was opened."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from trueline.desktop.local import LocalDesktop
from trueline.desktop.local.change_log import LocalChangeLog
from trueline.desktop.types import DesktopLost
from trueline.records.ledger import Changes


@dataclass
class Logged:
    """A desktop with an open log."""

    runner: asyncio.Runner
    desktop: LocalDesktop
    log: LocalChangeLog

    def sh(self, script: str) -> Changes:
        """What a script changed."""
        done = self.runner.run(self.desktop.run(("sh", "-c", script)))
        assert done.returncode == 0, done.stderr
        return self.last()

    def last(self) -> Changes:
        return self.runner.run(self.log.since_last())

    def files(self, script: str) -> list[tuple[str, str, str, int | None]]:
        """The files that a script changed."""
        return [(each.path, each.change, each.type, each.size) for each in self.sh(script).files]


@pytest.fixture(scope="module")
def logged(runner: asyncio.Runner, desktop: LocalDesktop) -> Iterator[Logged]:
    log = runner.run(desktop.open_change_log())
    yield Logged(runner, desktop, log)
    log.close()


def test_files_from_look_to_look(logged: Logged) -> None:
    assert logged.files("echo hi > a.txt; mkdir -p x/y; ln -s /etc/passwd x/l") == [
        ("a.txt", "created", "file", 3), ("x", "created", "folder", None), ("x/l", "created", "link", None),
        ("x/y", "created", "folder", None),
    ]  # fmt: skip
    assert logged.files("echo ho > a.txt; rm x/l; cat a.txt > /dev/null") == [
        ("a.txt", "changed", "file", 3), ("x/l", "deleted", "link", None)
    ]  # fmt: skip
    assert logged.files("true") == []
    assert logged.files("rm -r x a.txt") == [
        ("a.txt", "deleted", "file", None), ("x", "deleted", "folder", None), ("x/y", "deleted", "folder", None)
    ]  # fmt: skip


def test_what_the_template_holds(logged: Logged) -> None:
    assert logged.files("rmdir Music; chmod 700 Videos; touch .config/mimeapps.list") == [
        ("Music", "deleted", "folder", None), ("Videos", "changed", "folder", None)
    ]  # fmt: skip
    assert logged.files("mkdir Music; chmod 755 Videos") == [
        ("Music", "created", "folder", None), ("Videos", "changed", "folder", None)
    ]  # fmt: skip


def test_what_was_undone_does_not_count_since_it_was_opened(runner: asyncio.Runner, logged: Logged) -> None:
    logged.sh("echo 1 > kept; echo 2 > gone; rm -r Templates; mkdir Templates")
    logged.sh("rm gone")
    whole = runner.run(logged.log.since_opened())
    assert [(each.path, each.change) for each in whole.files] == [("kept", "created")]
    logged.sh("rm kept")


def test_temporary_folders_and_names_that_are_no_text(logged: Logged) -> None:
    assert logged.files(r"echo 1 > /tmp/t; echo 22 > /dev/shm/s; touch $(printf 'b\377d')") == [
        (r"b\xffd", "created", "file", 0), ("/tmp/t", "created", "file", 2), ("/dev/shm/s", "created", "file", 3)
    ]  # fmt: skip


def test_closed_permissions_hide_nothing(logged: Logged) -> None:
    changed = logged.files("mkdir -m 0 shut; mkdir open; echo 1 > open/f; chmod 0 open/f open")
    assert changed == [
        ("open", "created", "folder", None), ("open/f", "created", "file", 2), ("shut", "created", "folder", None)
    ]  # fmt: skip


def test_settings_are_told_by_their_keys(logged: Logged) -> None:
    changed = logged.sh(
        "gsettings set org.xfce.mousepad.preferences.view show-line-numbers true; gsettings set"
        " org.gnome.desktop.interface icon-theme Other; echo '0 5 * * * backup' | crontab -;"
        " git config --global user.name Ann 2>/dev/null || printf '[user]\\n\\tname = Ann\\n' > .gitconfig"
    )
    told = {(each.store, each.key): each.value for each in changed.settings}
    assert told == {
        ("crontab", "0 5 * * * backup"): "present",
        ("dconf", "/org/xfce/mousepad/preferences/view/show-line-numbers"): "true",
        ("dconf", "/org/gnome/desktop/interface/icon-theme"): "Other",
        ("git", "user/name"): "Ann",
    }
    assert [each.path for each in changed.files] == []
    changed = logged.sh("crontab -r; echo '[[[broken' > .config/dconf/user")
    assert [(each.key, each.value) for each in changed.settings] == [("0 5 * * * backup", None)]
    assert [each.path for each in changed.files] == [".config/dconf/user"]


def test_programs_left_running(runner: asyncio.Runner, logged: Logged) -> None:
    changed = logged.sh(
        "cp /bin/sleep agent; ./agent 3601 >/dev/null 2>&1 & echo $! >/tmp/pid; setsid sleep 3600 >/dev/null 2>&1 &"
        ' until [ "$(readlink /proc/$(cat /tmp/pid)/exe)" = ~/agent ] && pgrep -x sleep >/dev/null; do :; done'
    )
    told = sorted((each.program, each.command) for each in changed.processes)
    assert told == [("/home/user/agent", "./agent 3601"), ("/usr/bin/sleep", "sleep 3600")]
    assert logged.sh("true").processes == ()
    assert len(runner.run(logged.log.since_opened()).processes) == 2
    logged.sh("pkill sleep; kill $(cat /tmp/pid)")
    assert runner.run(logged.log.since_opened()).processes == ()


def test_too_much_is_counted(logged: Logged) -> None:
    changed = logged.sh("mkdir many; cd many; for n in $(seq 2100); do echo > $n; done")
    assert (len(changed.files), changed.omitted, changed.complete) == (2000, 101, False)
    logged.sh("rm -r many")


def test_folders_too_deep_are_named(logged: Logged) -> None:
    deep = "python3 -c \"import os\nfor _ in range(250): os.mkdir('d'); os.chdir('d')\""
    changed = logged.sh(deep)
    assert any("deeper than" in why for why in changed.unread)
    logged.sh("rm -r d")


def test_the_log_of_a_lost_desktop(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    log = runner.run(fresh.open_change_log())
    runner.run(fresh.stop())
    with pytest.raises(DesktopLost):
        runner.run(log.since_last())
    log.close()
