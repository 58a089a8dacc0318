"""A desktop whose user can become root: what works, what is recorded and told, and that the machine stays as it was."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.local.conftest import SMALL
from trueline.actions import Code
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.root import folder_list, inside_ids, root_available
from trueline.desktop.types import Change, ChangeKind, GrantsRoot, WindowShown
from trueline.errors import InputError

ROOTED = dataclasses.replace(SMALL, root=True, sudo_password="password")

PACKAGE = """
set -e
mkdir -p /tmp/p/DEBIAN /tmp/p/usr/bin /tmp/p/etc
cat >/tmp/p/DEBIAN/control <<END
Package: trial
Version: 1
Architecture: all
Maintainer: a <a@example.org>
Description: x
END
printf '#!/bin/sh\\necho it runs\\n' >/tmp/p/usr/bin/trial
chmod 755 /tmp/p/usr/bin/trial
echo x >/tmp/p/etc/trial.conf
dpkg-deb --build /tmp/p /tmp/trial.deb
"""


@pytest.fixture(scope="module")
def rooted(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    if (lack := root_available()) is not None:
        pytest.skip(lack)
    desktop = LocalDesktop(ROOTED)
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


async def shell(desktop: LocalDesktop, line: str) -> tuple[int, str]:
    done = await desktop.run(("bash", "-c", line), time_limit=120)
    return done.returncode, done.text + done.stderr.decode().replace("[sudo] password for user: ", "")


def sudo(line: str) -> str:
    return f"echo password | sudo -S {line}"


def test_ids_inside_are_a_block_but_its_first() -> None:
    for count in (1024, 8192, 65536):
        lines = inside_ids(count)
        inside = [number for first, _, size in lines for number in range(first, first + size)]
        ours = [number for _, first, size in lines for number in range(first, first + size)]
        assert len(set(inside)) == len(inside) == len(set(ours)) == count - 1
        assert set(ours) == set(range(1, count)), "the supervisor's own number is not inside"
        assert {0, 999, 1000, 1001, 65534} <= set(inside)
        assert next((first, other) for first, other, _ in lines if first == 1000) == (1000, 1000)


def test_root_needs_a_password_and_own_ids() -> None:
    for wrong in ({"sudo_password": None}, {"sudo_password": "x", "own_ids": False}):
        with pytest.raises(InputError, match="root: needs"):
            LocalOptions(root=True, **wrong)  # type: ignore[arg-type]


def test_the_list_of_folders_is_made_once(tmp_path: Path) -> None:
    path = folder_list(tmp_path)
    lines = [line.split(" ", 3) for line in path.read_text("utf-8", "surrogateescape").splitlines()]
    names = [name for _, _, _, name in lines]
    assert "bin" in names and not [name for name in names if name.split("/")[0] == "local"]
    assert all(os.path.dirname(name) in ("", *names[:place]) for place, name in enumerate(names[:200]))
    assert folder_list(tmp_path) == path and [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_sudo_makes_root_for_who_knows_the_password(runner: asyncio.Runner, rooted: LocalDesktop) -> None:
    async def work() -> None:
        before = len(rooted.sudo_requests)
        assert await shell(rooted, "sudo -n id -u") == (1, "sudo: a password is required\n")
        assert (await shell(rooted, "echo wrong | sudo -S id -u"))[0] == 1
        assert await shell(rooted, sudo("-k id -u")) == (0, "0\n")
        assert await shell(rooted, sudo("sh -c 'exit 7'")) == (7, "")
        given = "(echo password; echo more) | sudo -k -S cat"
        assert await shell(rooted, given) == (0, "more\n"), "what follows the password is its input"
        assert (await shell(rooted, "sudo -k; sudo -n true </dev/null"))[0] == 1
        assert await shell(rooted, "id -u; grep CapEff /proc/self/status") == (0, "1000\nCapEff:\t0000000000000000\n")
        outcomes = [request.outcome for request in rooted.sudo_requests[before:]]
        assert outcomes == ["no password", "refused", "run", "run", "run", "no password"]
        assert rooted.sudo_requests[before + 2].argv == ("-S", "-k", "id", "-u")

    runner.run(work())


def test_what_root_changes_is_told(runner: asyncio.Runner, rooted: LocalDesktop) -> None:
    async def work() -> None:
        script = (
            "echo 1.2.3.4 there >>/etc/hosts; rm /usr/bin/tac; mkdir /data;"
            "echo x >Documents/shut; chmod 600 Documents/shut"
        )
        log = await rooted.open_change_log()
        assert await shell(rooted, sudo(f"sh -c '{script}'")) == (0, "")
        assert await shell(rooted, "getent hosts 1.2.3.4; cat Documents/shut; tac </dev/null") == (
            127,
            "1.2.3.4         there\ncat: Documents/shut: Permission denied\nbash: line 1: tac: command not found\n",
        )
        wanted = {
            Change("/etc/hosts", ChangeKind.CHANGED, False),
            Change("/usr/bin/tac", ChangeKind.DELETED, False),
            Change("/data", ChangeKind.CREATED, True),
        }
        assert set(await rooted.system_diff()) >= wanted
        assert Change("Documents/shut", ChangeKind.CREATED, False) in await rooted.diff()
        assert (await rooted.read_changed(["Documents/shut"], limit=10))[0].content == b"x\n", "closed to everybody"
        changed = {change.path: change.change for change in (await log.since_opened()).files}
        assert changed["/etc/hosts"] == "changed" and changed["/usr/bin/tac"] == "deleted"
        assert changed["/data"] == "created" and changed["Documents/shut"] == "created"
        log.close()

    runner.run(work())


@pytest.mark.full
def test_what_tasks_do_with_root(runner: asyncio.Runner, rooted: LocalDesktop) -> None:
    async def work() -> None:
        async def gives(line: str, *said: str, code: int = 0) -> None:
            returncode, text = await shell(rooted, line)
            assert (returncode, [word for word in said if word not in text]) == (code, []), text

        await gives(sudo("useradd -m -s /bin/bash ada"))
        await gives(sudo("sh -c 'echo ada:secret | chpasswd'"))
        await gives("ls -ld /home/ada; id ada", "ada ada", "uid=1001(ada)")
        await gives("echo secret | su - ada -c 'whoami; pwd'", "ada\n", "/home/ada")
        await gives("echo wrong | su - ada -c whoami", "Authentication failure", code=1)
        await gives("echo password | su -c whoami", "Authentication failure", code=1)
        await gives("echo secret | su ada -c 'echo password | sudo -S id'", "ada is not in the sudoers file", code=1)
        await gives(sudo("-u ada whoami"), "ada")
        await gives(sudo("usermod -aG video ada && id ada"), "44(video)")
        await gives("printf 'password\\nn3wPassw0rd!\\nn3wPassw0rd!\\n' | passwd", "updated successfully")
        await gives(sudo("mkdir -p /opt/x") + " && " + sudo("chown user /opt/x") + " && touch /opt/x/f")
        await gives(sudo("chown ada:ada /opt/x/f") + "; echo no >/opt/x/f", "Permission denied", code=1)
        await gives(sudo("ln -sf /usr/share/zoneinfo/Asia/Tokyo /etc/localtime") + "; date +%Z", "JST")
        # Where systemd prints it, and OSWorld's check of it reads: in the fourth line.
        fourth = "timedatectl status | sed -n 4p"
        await gives(sudo("timedatectl set-timezone UTC") + f"; {fourth}", "Time zone: UTC (UTC, +0000)")
        await gives(sudo("timedatectl set-time 2020-01-01"), "no systemd", code=1)
        await gives(sudo("systemctl restart ssh"), "no systemd", code=1)
        await gives(PACKAGE)
        await gives(sudo("dpkg -i /tmp/trial.deb") + " && trial", "it runs")
        await gives(sudo("dpkg -r trial") + "; command -v trial", "Removing trial", code=1)
        await gives(sudo("apt-get -y install /tmp/trial.deb") + " && trial", "it runs")
        await gives(sudo("touch /usr/local/bin/mine /srv/mine /root/mine && ls /usr/local/bin/mine"), "mine")
        await gives(sudo("-i pwd"), "/root")
        await gives("export A=1; " + sudo("-E sh -c 'echo $A'"), "1")
        await gives(sudo("A=2 sh -c 'echo $A-$SUDO_USER-$USER-$DISPLAY'"), "2-user-root-:0")
        await gives("cd /tmp && " + sudo("pwd"), "/tmp")
        await gives(sudo("mount -t tmpfs t /mnt"), "permission denied", code=32)
        await gives("/usr/bin/sudo -n id -u", "0")
        await gives(sudo("no-such-program"), "command not found", code=127)
        await gives(sudo("-u nobody-there id"), "unknown user", code=1)
        await gives(sudo("userdel -r ada") + "; ls /home", "user")
        assert {"su", "passwd", "sudo"} == {request.program for request in rooted.sudo_requests}

    runner.run(work())


COMMAND = """
stty size >/tmp/size
trap 'echo caught >/tmp/int' INT
sleep 60
id -u >/tmp/uid
"""


@pytest.mark.full
def test_sudo_at_a_terminal(runner: asyncio.Runner, rooted: LocalDesktop) -> None:
    """The prompt hides the password; the command has a terminal as large, and Ctrl-C reaches it, not the shell."""

    async def typed(text: str, id: str) -> None:
        await rooted.act(Code(source=f"import pyautogui; pyautogui.write({text!r})"), id=id)

    async def until(line: str) -> None:
        while True:
            if (await shell(rooted, line))[0] == 0:
                return
            await asyncio.sleep(0.05)

    async def work() -> None:
        await shell(rooted, "sudo -k")
        await rooted.launch(("xfce4-terminal", "--geometry=100x30"))
        await rooted.wait_for(WindowShown(app="xfce4-terminal"), time_limit=60)
        await rooted.put("/tmp/command", COMMAND.encode())
        await typed("sudo sh /tmp/command\n", "1")
        await until("stty -a -F /dev/pts/0 | grep -q -- '-echo '")
        await typed("password\n", "2")
        await until("test -s /tmp/size")
        await rooted.act(Code(source="import pyautogui; pyautogui.hotkey('ctrl', 'c')"), id="3")
        await until("test -s /tmp/uid")
        assert await shell(rooted, "cat /tmp/size /tmp/int /tmp/uid") == (0, "30 100\ncaught\n0\n")
        await typed("echo $? >/tmp/after\n", "4")
        await until("test -s /tmp/after")
        assert await shell(rooted, "cat /tmp/after") == (0, "0\n")

    runner.run(asyncio.wait_for(work(), 120))


def sample() -> dict[str, str]:
    """Digests of files of the machine that a root inside would change if it could, and the names beside them."""
    found: dict[str, str] = {}
    for folder in (
        "/usr/bin",
        "/usr/sbin",
        "/usr/lib",
        "/usr/local/bin",
        "/etc",
        "/var/lib/dpkg",
        "/opt",
        "/home",
        "/",
    ):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            about = entry.stat(follow_symlinks=False)
            if folder == "/" and entry.is_dir():
                found[entry.path] = ""
                continue
            content = ""
            if entry.is_file(follow_symlinks=False) and os.access(entry.path, os.R_OK) and about.st_size < 1 << 20:
                content = hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
            found[entry.path] = f"{about.st_mode} {about.st_uid} {about.st_gid} {about.st_size} {content}"
    return found


DESTROY = """
useradd -m evil
touch /evil /usr/bin/evil /etc/evil /opt/evil /var/evil
echo evil >>/etc/passwd
chmod 4777 /usr/bin/env
chown user /usr/bin/bash
echo >>/usr/bin/who
rm -rf /etc/* /opt /home/* /var/* /usr/share/* /usr/lib/python3 /usr/bin/* 2>/dev/null
"""


@pytest.mark.full
def test_destroying_all_of_it_leaves_the_machine_as_it_was(machine: None, runner: asyncio.Runner) -> None:
    if (lack := root_available()) is not None:
        pytest.skip(lack)

    async def work() -> None:
        async with LocalDesktop(ROOTED) as desktop:
            await desktop.put("/tmp/destroy", DESTROY.encode())
            await shell(desktop, sudo("sh /tmp/destroy"))
            assert len(await desktop.system_diff()) > 100
            await desktop.reset()
            assert await desktop.system_diff() == () and await desktop.diff() == ()
            assert await shell(desktop, sudo("id -un")) == (0, "root\n")

    before = sample()
    runner.run(work())
    assert sample() == before


@pytest.mark.full
def test_root_is_granted_from_reset_to_reset(machine: None, runner: asyncio.Runner) -> None:
    if (lack := root_available()) is not None:
        pytest.skip(lack)

    async def work() -> None:
        desktop = LocalDesktop(dataclasses.replace(SMALL, sudo_password="password"))
        assert isinstance(desktop, GrantsRoot)
        async with desktop:
            assert (await shell(desktop, sudo("id -u"))) == (0, "1000\n"), "as ever: it runs without privilege"
            desktop.grant_root(True)
            assert (await shell(desktop, sudo("id -u"))) == (0, "1000\n")
            await desktop.reset()
            assert (await shell(desktop, sudo("id -u"))) == (0, "0\n")
            desktop.grant_root(False)
            await desktop.reset()
            assert (await shell(desktop, sudo("id -u"))) == (0, "1000\n")

    runner.run(work())
