"""A running desktop: programs, files, windows, the diff, reset and stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.desktop.types import (
    ActionTimeout,
    Change,
    ChangeKind,
    DesktopError,
    DesktopLost,
    FileExists,
    PathRefused,
    WindowShown,
)
from trueline.errors import InputError


def test_a_program_runs_and_its_outputs_come_back(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    result = runner.run(desktop.run(("sh", "-c", 'cat; echo "$WORD $(pwd)"; echo bad >&2; exit 3'),
                                    stdin=b"in ", env={"WORD": "a b;$c"}, cwd="Documents"))  # fmt: skip
    assert (result.returncode, result.stdout, result.stderr) == (3, b"in a b;$c /home/user/Documents\n", b"bad\n")


def test_arguments_are_not_shell_text(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    result = runner.run(desktop.run(("printf", "%s|", "$(id)", "`id`", "a b", "'", "ü \n")))
    assert result.text == "$(id)|`id`|a b|'|ü \n|"


def test_a_signal_is_a_negative_code(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    assert runner.run(desktop.run(("sh", "-c", "kill -TERM $$"))).returncode == -signal.SIGTERM


def test_programs_run_side_by_side(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def both() -> list[str]:
        # Each waits for the other's file: one after the other they would never end.
        pair = [("a", "b"), ("b", "a")]
        script = "touch /tmp/$0; until [ -e /tmp/$1 ]; do sleep 0.01; done; echo $0"
        results = await asyncio.gather(*(desktop.run(("sh", "-c", script, *names)) for names in pair))
        return [result.text for result in results]

    assert runner.run(both()) == ["a\n", "b\n"]


def test_what_cannot_be_started_says_so(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    with pytest.raises(DesktopError, match="no-such-program: cannot be started inside: No such file"):
        runner.run(desktop.run(("no-such-program",)))
    with pytest.raises(DesktopError, match="cannot be started"):
        runner.run(desktop.run(("true",), cwd="/no/such/folder"))
    with pytest.raises(InputError, match="empty"):
        runner.run(desktop.run(()))
    with pytest.raises(InputError, match="NUL"):
        runner.run(desktop.run(("echo", "a\0b")))
    with pytest.raises(InputError, match="put a file instead"):
        runner.run(desktop.run(("echo", "x" * 300_000)))


def test_a_program_out_of_time_is_killed_with_its_children(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    with pytest.raises(ActionTimeout, match=r"did not end within 0\.3 s"):
        runner.run(desktop.run(("sh", "-c", "sleep 987 & sleep 987"), time_limit=0.3))
    assert runner.run(desktop.run(("pgrep", "-f", "sleep 987"))).returncode == 1


def test_a_program_left_running_does_not_hold_the_caller(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    assert runner.run(desktop.run(("sh", "-c", "sleep 50 & echo done"), time_limit=20)).text == "done\n"


def test_files_go_in_and_out(runner: asyncio.Runner, desktop: LocalDesktop, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(os.urandom(3_000_000))
    runner.run(desktop.put("new/folder/data.bin", source))
    assert runner.run(desktop.get("/home/user/new/folder/data.bin")) == source.read_bytes()
    runner.run(desktop.put("~/script", b"#!/bin/sh\necho ran\n", mode=0o755))
    assert runner.run(desktop.run(("/home/user/script",))).text == "ran\n"
    runner.run(desktop.put("script", b"shorter", mode=0o644))
    assert runner.run(desktop.get("script")) == b"shorter"
    assert runner.run(desktop.run(("stat", "-c", "%U %a", "script"))).text == "user 644\n"


@pytest.mark.parametrize("path", ["", "a\0b", "/etc/passwd", "/usr/x", "/", "Documents", "/proc/1/x"])
def test_files_that_cannot_be_written(runner: asyncio.Runner, desktop: LocalDesktop, path: str) -> None:
    with pytest.raises(PathRefused):
        runner.run(desktop.put(path, b"x"))


def test_files_that_cannot_be_read(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    runner.run(desktop.run(("sh", "-c", "mkfifo pipe; echo long > long; ln -s /etc/shadow link; ln -s loop loop")))
    for path in ("nothing", "pipe", "link", "loop", "Documents", "/dev/zero", "/dev/tty"):
        with pytest.raises(PathRefused):
            runner.run(desktop.get(path))
    with pytest.raises(PathRefused, match="longer than 2 bytes"):
        runner.run(desktop.get("long", limit=2))


def test_where_the_icons_of_the_desktop_lie_is_no_change(machine: None, runner: asyncio.Runner) -> None:
    async def work() -> list[str]:
        async with LocalDesktop(LocalOptions(width=640, height=480)) as desktop:
            await desktop.put("Desktop/new.txt", b"x")
            kept = "until ls .config/xfce4/desktop/icons.screen*; do sleep 0.05; done"
            await desktop.run(("sh", "-c", kept), time_limit=20)
            return [change.path for change in await desktop.diff()]

    assert runner.run(work()) == ["Desktop/new.txt"]


def test_the_diff_is_exactly_what_was_done(machine: None, runner: asyncio.Runner) -> None:
    async def work() -> tuple[tuple[Change, ...], tuple[Change, ...], tuple[Change, ...]]:
        async with LocalDesktop(LocalOptions(width=640, height=480)) as desktop:
            first = await desktop.diff()
            script = (
                "rmdir Music; rm .config/user-dirs.dirs; mkdir -p New/deep; echo x > New/deep/file;"
                "rm -r .config/gtk-3.0; mkdir .config/gtk-3.0; echo y > .config/gtk-3.0/other;"
                "echo z >> .config/xfce4/terminal/terminalrc; touch .config/xfce4/xfconf/*/thunar.xml;"
                "ln -s /etc/passwd Desktop/link; rmdir Videos; echo v > Videos"
            )
            await desktop.run(("sh", "-c", script))
            second = await desktop.diff()
            await desktop.reset()
            return first, second, await desktop.diff()

    first, second, third = runner.run(work())
    assert first == third == ()
    new, changed, gone = ChangeKind.CREATED, ChangeKind.CHANGED, ChangeKind.DELETED
    assert second == (
        Change(".config/gtk-3.0/other", new),
        Change(".config/gtk-3.0/settings.ini", gone),
        Change(".config/user-dirs.dirs", gone),
        Change(".config/xfce4/terminal/terminalrc", changed),
        Change("Desktop/link", new),
        Change("Music", gone, folder=True),
        Change("New", new, folder=True),
        Change("New/deep", new, folder=True),
        Change("New/deep/file", new),
        Change("Videos", changed),
    )


def test_an_application_opens_a_window(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    runner.run(desktop.put("Desktop/letter.txt", "Grüße".encode()))
    pid = runner.run(desktop.launch(("mousepad", "Desktop/letter.txt")))
    window = runner.run(desktop.wait_for(WindowShown("LETTER.txt", app="mousepad"), time_limit=20))
    assert window is not None and window.pid == pid and window.width > 100
    assert window in runner.run(desktop.windows()) or window.id in {w.id for w in runner.run(desktop.windows())}
    with pytest.raises(ActionTimeout, match="within"):
        runner.run(desktop.wait_for(WindowShown("letter.txt", new=True), time_limit=0.1))


def test_waiting_for_a_file(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    runner.run(desktop.launch(("sh", "-c", "sleep 0.1; touch later")))
    runner.run(desktop.wait_for(FileExists("later")))
    with pytest.raises(ActionTimeout):
        runner.run(desktop.wait_for(FileExists("never"), time_limit=0.1))


def test_a_sink_of_the_host_is_reached_from_inside(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    with runner.run(desktop.listen(25)) as sink, runner.run(desktop.listen(53, udp=True)) as names:
        runner.run(desktop.launch(("bash", "-c", "echo mail > /dev/tcp/127.0.0.1/25; echo q > /dev/udp/127.0.0.1/53")))
        sink.settimeout(10)
        names.settimeout(10)
        connection, _ = sink.accept()
        with connection:
            assert connection.recv(100) == b"mail\n"
        assert names.recv(100) == b"q\n"
        with pytest.raises(DesktopError, match=r"cannot listen on 127\.0\.0\.1:25 inside"):
            runner.run(desktop.listen(25))
        with pytest.raises(InputError, match="address nowhere: must be an IPv4 address"):
            runner.run(desktop.listen(26, address="nowhere"))
        # The host's own loopback knows nothing of it.
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.1", 25)) != 0 or other.getsockname() is None


def test_a_server_inside_is_reached_from_the_host(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    server = "import socket; s = socket.create_server(('127.0.0.1', 80)); open('up', 'w'); s.accept()[0].send(b'hello')"
    runner.run(desktop.launch(("python3", "-c", server)))
    runner.run(desktop.wait_for(FileExists("up")))
    with runner.run(desktop.connect(port=80)) as sock:
        sock.settimeout(10)
        assert sock.recv(100) == b"hello"
    with pytest.raises(DesktopError, match="cannot connect to 81"):
        runner.run(desktop.connect(port=81))


def test_a_server_inside_gets_an_address_on_request(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def ask() -> tuple[bytes, bytes]:
        await desktop.put("page/index.html", b"a page" * 100_000)
        serve = ("python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", "page", "8080")
        await desktop.launch(serve)
        async with desktop.forward(8080) as port:
            while True:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"GET / HTTP/1.0\r\n\r\n")
                answer = await reader.read(-1)
                writer.close()
                if answer:  # until the server is up, the connection just ends
                    break
        return answer[:15], answer[-6:]

    assert runner.run(asyncio.wait_for(ask(), 20)) == (b"HTTP/1.0 200 OK", b"a page")


def test_the_pool_has_desktops_ready_and_leaves_none(machine: None, runner: asyncio.Runner) -> None:
    async def work() -> list[bool]:
        async with Pool(LocalOptions(width=640, height=480), size=1) as pool, LocalDesktop(pool=pool) as desktop:
            await desktop.put("mark", b"1")
            await desktop.reset()
            clean = await desktop.diff() == ()
            return [clean, (await desktop.run(("true",))).returncode == 0]

    before = supervisors()
    assert runner.run(work()) == [True, True]
    assert supervisors() == before


@pytest.mark.full
def test_several_at_once_do_not_mix(machine: None, runner: asyncio.Runner) -> None:
    async def one(number: int) -> None:
        async with LocalDesktop(LocalOptions(width=640, height=480)) as desktop:
            for _ in range(2):
                await desktop.put("mine", str(number).encode())
                with await desktop.listen(8000):
                    assert await desktop.get("mine") == str(number).encode()
                assert [change.path for change in await desktop.diff()] == ["mine"]
                await desktop.reset()
                assert await desktop.diff() == ()

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number) for number in range(4)))

    before = supervisors()
    runner.run(all_of_them())
    assert supervisors() == before


def test_after_stop_nothing_is_left_and_calls_say_so(machine: None, runner: asyncio.Runner) -> None:
    async def work() -> LocalDesktop:
        async with LocalDesktop(LocalOptions(width=640, height=480)) as desktop:
            await desktop.launch(("setsid", "sleep", "4321"))
            return desktop

    before = set(os.listdir("/proc/self/fd"))
    desktop = runner.run(work())
    assert set(os.listdir("/proc/self/fd")) == before
    assert subprocess.run(["pgrep", "-f", "sleep 4321"], capture_output=True, check=False).stdout == b""
    with pytest.raises(DesktopLost, match="not started"):
        runner.run(desktop.run(("true",)))


def test_nothing_is_left_when_the_host_is_killed(machine: None) -> None:
    program = (
        "import asyncio, sys\n"
        "from trueline.desktop.local import LocalDesktop, LocalOptions\n"
        "async def main():\n"
        "    async with LocalDesktop(LocalOptions(width=640, height=480)) as desktop:\n"
        "        await desktop.launch(('setsid', 'sleep', '8765'))\n"
        "        print('up', flush=True)\n"
        "        await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None and host.stdout.readline() == b"up\n"
        (supervisor,) = supervisors(of=host.pid)
        gone = os.pidfd_open(supervisor)
        host.kill()
        host.wait()
    import select

    assert select.select([gone], [], [], 20)[0], "the supervisor outlives its host"
    os.close(gone)
    assert subprocess.run(["pgrep", "-f", "sleep 8765"], capture_output=True, check=False).stdout == b""


def supervisors(of: int | None = None) -> set[int]:
    """The supervisors a process of ours started."""
    found = subprocess.run(
        ["pgrep", "-P", str(of or os.getpid()), "-f", "supervisor.py"], capture_output=True, text=True, check=False
    )
    return {int(word) for word in found.stdout.split()}
