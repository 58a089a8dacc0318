"""Names tasks use, as a program inside finds them; only what every desktop has."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress

import pytest

from trueline.actions import Type
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.launchers import Alias, alias_script
from trueline.desktop.local.sudo import ADDRESS, PORT
from trueline.desktop.local.vs_code import find_vs_code
from trueline.desktop.types import CommandResult, DesktopError, FileExists, WindowShown

SMALL = LocalOptions(width=640, height=480, sudo_password="s3cret")


@pytest.fixture(scope="module")
def trusting(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    """A desktop whose task allows `sudo`."""
    desktop = LocalDesktop(SMALL)
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


def sh(runner: asyncio.Runner, desktop: LocalDesktop, script: str, stdin: bytes = b"") -> CommandResult:
    return runner.run(desktop.run(("sh", "-c", script), stdin=stdin))


def test_crontab_is_written_shown_edited_and_removed(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    assert sh(runner, desktop, "crontab -l").stderr == b"no crontab for user\n"
    assert sh(runner, desktop, "crontab -", b"# mine\n1 2 * * * echo a\n").returncode == 0
    assert sh(runner, desktop, "crontab -u user -l").text == "# mine\n1 2 * * * echo a\n"
    sh(runner, desktop, "printf 'PATH=/bin\\n@daily true\\n' > tab; crontab tab")
    assert sh(runner, desktop, "crontab -l").text == "PATH=/bin\n@daily true\n"
    edited = sh(runner, desktop, "EDITOR='sed -i s/true/false/' crontab -e")
    assert edited.stderr == b"crontab: installing new crontab\n"
    assert sh(runner, desktop, "crontab -l").text == "PATH=/bin\n@daily false\n"
    assert sh(runner, desktop, "EDITOR=true crontab -e").stderr == b"No modification made\n"
    bad = sh(runner, desktop, "echo 'rm -rf /' | crontab -")
    assert bad.returncode == 1 and b"bad line" in bad.stderr
    assert sh(runner, desktop, "crontab no-such-file").returncode == 1
    assert sh(runner, desktop, "crontab -u root -l").returncode == 1
    assert sh(runner, desktop, "crontab -l").text == "PATH=/bin\n@daily false\n", "a refused one changes nothing"
    assert sh(runner, desktop, "crontab -r; crontab -l").stderr == b"no crontab for user\n"


def test_sudo_without_a_password_is_refused_and_recorded_outside(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    before = len(desktop.sudo_requests)
    refused = sh(runner, desktop, "cd /tmp; sudo -n apt install 'a b'; sudo -l; sudo -S id", b"password\n")
    assert refused.stderr.count(b"not in the sudoers file") == 3 and refused.stdout == b""
    asked = desktop.sudo_requests[before:]
    assert [request.argv for request in asked] == [("-n", "apt", "install", "a b"), ("-l",), ("-S", "id")]
    assert {(request.outcome, request.cwd) for request in asked} == {("refused", "/tmp")}


def test_sudo_with_the_tasks_password(runner: asyncio.Runner, trusting: LocalDesktop) -> None:
    wrong = sh(runner, trusting, "sudo -S id -u", b"bad\nworse\nno\n")
    assert wrong.returncode == 1 and wrong.stderr.count(b"Sorry, try again.") == 2
    assert sh(runner, trusting, "sudo -n true").stderr == b"sudo: a password is required\n"
    right = sh(runner, trusting, "sudo -S A=1 sh -c 'id -u; echo $A; touch /usr/x'", b"s3cret\n")
    assert right.text == "1000\n1\n" and b"Read-only file system" in right.stderr
    assert sh(runner, trusting, "sudo id -un").text == "user\n", "a short while it need not be given again"
    assert sh(runner, trusting, "sudo -k; sudo -n true").returncode == 1
    outcomes = [request.outcome for request in trusting.sudo_requests]
    assert outcomes == ["refused", "no password", "run", "run", "no password"]


def test_nothing_inside_knows_the_password_or_reaches_the_record(
    runner: asyncio.Runner, trusting: LocalDesktop
) -> None:
    before = len(trusting.sudo_requests)
    search = "grep -rls -f - /etc /run /usr/local /var /home /tmp /proc/[0-9]*/environ /proc/[0-9]*/cmdline; true"
    assert sh(runner, trusting, search, b"s3cret").text == ""
    # What one would try: the old places, a stamp, the port itself.
    assert sh(runner, trusting, "cat /etc/desktop-sudo.json /var/log/desktop/sudo.jsonl").returncode == 1
    assert sh(runner, trusting, f"touch {'/run/user/1000/.sudo'}; sudo -n true").returncode == 1
    take = f"import socket; socket.create_server(('{ADDRESS}', {PORT}))"
    assert b"in use" in runner.run(trusting.run(("python3", "-c", take))).stderr
    flood = (
        f"import socket\nfor data in (b'x' * 10**6, b'{{}}\\n', b'[1]\\n', b'\\xff\\n'):\n"
        f"    s = socket.create_connection(('{ADDRESS}', {PORT}))\n"
        "    try: s.sendall(data); print(s.recv(10))\n    except OSError: print(b'')\n"
    )
    assert runner.run(trusting.run(("python3", "-c", flood))).text == "b''\n" * 4
    assert [request.argv for request in trusting.sudo_requests[before:]] == [("-n", "true")]
    assert sh(runner, trusting, "sudo -n true").returncode == 1, "it still answers"


def test_no_call_of_sudo_is_lost_when_there_are_very_many(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    ask = (
        f"import json, socket\ndef ask(*argv):\n    s = socket.create_connection(('{ADDRESS}', {PORT}))\n"
        "    s.sendall(json.dumps({'argv': argv, 'cwd': '/'}).encode() + b'\\n')\n    return s.recv(99).decode()\n"
    )
    many = ask + "print(ask('x' * 100_000))\nprint(ask(*['yy'] * 30_000))\nwhile 'too many' not in ask('id'): pass\n"
    assert runner.run(fresh.run(("python3", "-c", many + "print(ask('rm'))"), time_limit=60)).returncode == 0
    long, words, *rest = fresh.sudo_requests
    assert long.argv == () and long.digest == hashlib.sha256(json.dumps(["x" * 100_000]).encode()).hexdigest()
    assert 10 < len(words.argv) < 1_000 and words.digest is not None
    assert {(request.argv, request.digest) for request in rest} == {(("id",), None)}
    assert fresh.sudo_dropped == 2
    assert sh(runner, fresh, "sudo -n touch done").stderr == b"sudo: too many requests.\n"
    assert fresh.sudo_dropped == 3 and len(fresh.sudo_requests) == len(rest) + 2


def test_who_only_holds_the_line_to_sudo_takes_few_descriptors_of_the_host(
    runner: asyncio.Runner, desktop: LocalDesktop
) -> None:
    hold = (
        f"import socket, sys\nheld = [socket.create_connection(('{ADDRESS}', {PORT})) for _ in range(100)]\n"
        "print('held', file=open('held', 'w'), flush=True)\nsys.stdin.readline()"
    )

    async def held() -> int:
        before = len(os.listdir("/proc/self/fd"))
        pid = await desktop.launch(("sh", "-c", 'sleep 600 | exec python3 -c "$0"', hold))
        await desktop.wait_for(FileExists("held"), time_limit=20)
        most = len(os.listdir("/proc/self/fd")) - before
        await desktop.run(("kill", "-9", "--", f"-{pid}"))
        return most

    assert runner.run(held()) < 40
    assert b"not in the sudoers file" in sh(runner, desktop, "sudo -n id").stderr, "it answers others then"


def test_a_program_that_is_not_installed_is_named_in_one_line(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    script = alias_script("viewer", Alias("viewer-package", ("/usr/bin/no-such-viewer",)))
    missing = sh(runner, desktop, script)
    assert missing.returncode == 127
    assert missing.stderr == b"viewer: not installed on this desktop (Debian package viewer-package)\n"
    if find_vs_code() is None:
        missing = sh(runner, desktop, "code project")
        assert missing.returncode == 127
        assert missing.stderr == b"code: not installed on this desktop (trueline desktop install-vscode)\n"


def test_terminal_and_files_under_the_names_of_gnome(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    argv = ("gnome-terminal", "--wait", "-t", "My title", "--working-directory=/tmp", "--", "sh", "-c", "echo $PWD '$HOME' > ~/ran; cat")  # fmt: skip  # noqa: E501
    runner.run(desktop.launch(argv))
    runner.run(desktop.wait_for(WindowShown("My title", "xfce4-terminal"), time_limit=20))

    assert sh(runner, desktop, "until [ -s ran ]; do sleep 0.02; done; cat ran").text == "/tmp $HOME\n"
    runner.run(desktop.launch(("nautilus", "--new-window", "/home/user/Documents")))
    runner.run(desktop.wait_for(WindowShown("Documents", "thunar"), time_limit=20))
    sh(runner, desktop, "pkill xfce4-terminal; nautilus -q")


def test_a_terminal_returns_at_once_and_its_history_is_kept_when_it_is_ended(
    runner: asyncio.Runner, desktop: LocalDesktop
) -> None:
    if not shutil.which("killall", path="/usr/bin"):
        pytest.skip("this machine has no killall")
    assert sh(runner, desktop, "gnome-terminal --maximize --working-directory=/tmp").returncode == 0
    assert any(window.app == "xfce4-terminal" for window in runner.run(desktop.windows()))
    # Its title comes from the shell, which starts a little later.
    shown = runner.run(desktop.wait_for(WindowShown("/tmp", "xfce4-terminal"), time_limit=20))
    assert shown is not None and shown.title.endswith("/tmp")
    runner.run(desktop.act(Type(text="echo kept > ~/typed\n"), id="typed"))
    runner.run(desktop.wait_for(FileExists("/home/user/typed"), time_limit=20))
    assert sh(runner, desktop, "killall gnome-terminal-server").returncode == 0
    written = "until grep -q 'echo kept' .bash_history 2>/dev/null; do sleep 0.02; done; cat .bash_history"
    assert sh(runner, desktop, written).text == "echo kept > ~/typed\n"


def test_python_programs_find_pyautogui(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    program = "import pyautogui; pyautogui.moveTo(5, 6); print(*pyautogui.position())"
    runner.run(desktop.put("move.py", program.encode()))
    for name in ("python", "python3"):
        assert sh(runner, desktop, f"cd /tmp && {name} ~/move.py").text == "5 6\n"


def test_a_port_is_passed_on_to_another(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    server = "import socket\ns = socket.create_server(('127.0.0.1', 1337))\nwhile True: c = s.accept()[0]; c.sendall(c.recv(9).upper()); c.close()"  # noqa: E501
    runner.run(desktop.launch(("python3", "-c", server)))
    runner.run(desktop.launch(("socat", "tcp-listen:9222,fork", "tcp:localhost:1337")))

    async def through() -> bytes:
        while True:
            # While the server behind it does not listen yet, a connection is refused, closed or reset.
            with suppress(OSError, DesktopError):
                reader, writer = await asyncio.open_connection(sock=await desktop.connect(port=9222))
                writer.write(b"hello")
                answer = await reader.read(100)
                writer.close()
                if answer:
                    return answer
            await asyncio.sleep(0.02)

    assert runner.run(asyncio.wait_for(through(), 20)) == b"HELLO"
    assert runner.run(asyncio.wait_for(through(), 20)) == b"HELLO", "it serves more than one"
    if not shutil.which("socat", path="/usr/bin"):
        assert sh(runner, desktop, "socat udp:1:2 tcp:a:1").returncode == 127
