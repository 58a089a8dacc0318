"""Many desktops at once and one desktop for long: all correct, nothing left, nothing grows."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from trueline.actions import Click, Code, Point, Type
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.process_usage import descendants
from trueline.desktop.types import FileExists
from trueline.records import ObservationSpec

pytestmark = pytest.mark.full
SMALL = LocalOptions(width=640, height=480)
ROOTLESS = """
import asyncio, os
from trueline.actions import Code
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.records import ObservationSpec

async def main():
    async with LocalDesktop(LocalOptions(width=640, height=480)) as desktop:
        seen = await desktop.observe(ObservationSpec(tree=True))
        await desktop.act(Code(source="open('made', 'w')"), id="1")
        changes = [change.path for change in await desktop.diff()]
        await desktop.reset()
        print(os.geteuid(), tuple(seen.screen), changes, await desktop.diff())

asyncio.run(main())
"""
HOST = """
import asyncio, sys
from trueline.desktop.local import LocalDesktop, LocalOptions

async def main():
    desktops = [LocalDesktop(LocalOptions(width=640, height=480)) for _ in range(int(sys.argv[1]))]
    await asyncio.gather(*(desktop.start() for desktop in desktops))
    print(*(desktop.running.sandbox.supervisor_pid for desktop in desktops), flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def traces() -> tuple[set[str], set[str], int]:
    """What a desktop could leave behind: mounts and sockets of this machine, files of ours in the temporary folder."""
    mounts = {line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()}
    files = {name for name in os.listdir("/tmp") if "trueline" in name or "bwrap" in name or name.startswith(".X")}
    return mounts, files, len(os.listdir("/proc/self/fd"))


def alive(pids: list[int]) -> list[int]:
    """Those of the processes that still run."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def start_and_stop(runner: asyncio.Runner, count: int) -> list[int]:
    async def work() -> list[int]:
        desktops = [LocalDesktop(SMALL) for _ in range(count)]
        await asyncio.gather(*(desktop.start() for desktop in desktops))
        supervisors = [desktop.running.sandbox.supervisor_pid for desktop in desktops]
        pids = [*supervisors, *(pid for supervisor in supervisors for pid in descendants(supervisor))]
        await asyncio.gather(*(desktop.stop() for desktop in desktops))
        return pids

    return runner.run(work())


@pytest.mark.parametrize("count", [8, pytest.param(40, marks=pytest.mark.proof)])
def test_many_started_and_stopped_at_once_leave_nothing(machine: None, runner: asyncio.Runner, count: int) -> None:
    start_and_stop(runner, 1)  # what a process opens once (a thread pool's pipes) is open now
    before = traces()
    pids = start_and_stop(runner, count)
    assert len(pids) > 10 * count and alive(pids) == []
    assert traces() == before


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.proof)])
def test_a_killed_host_leaves_nothing_of_many(machine: None, count: int) -> None:
    before = traces()
    with subprocess.Popen([sys.executable, "-c", HOST, str(count)], stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        supervisors = [int(word) for word in host.stdout.readline().split()]
        pids = [*supervisors, *(pid for supervisor in supervisors for pid in descendants(supervisor))]
        host.send_signal(signal.SIGKILL)
    assert len(pids) > 10 * count
    end = time.monotonic() + 30
    while alive(pids):
        assert time.monotonic() < end, f"{len(alive(pids))} processes outlive their host"
    assert traces() == before
    assert not [path for path in Path("/sys/fs/cgroup").rglob(f"trueline-{host.pid}-*") if still(path)]


def still(path: Path) -> bool:
    """Whether a control group is there after the moment its removal takes."""
    end = time.monotonic() + 20
    while path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return path.exists()


def test_eight_at_once_are_all_correct(machine: None, runner: asyncio.Runner) -> None:
    async def one(number: int) -> None:
        async with LocalDesktop(SMALL) as desktop:
            sock = await desktop.listen(80)
            with sock:
                sock.settimeout(60)
                code = f"open('mine', 'w').write('{number}')\nimport pyautogui\nprint(pyautogui.size())"
                done = await desktop.act(Code(source=code), id="code")
                assert done.error is None and "640" in (done.output or "")
                await desktop.wait_for(FileExists("mine"), time_limit=30)
                await desktop.launch(("bash", "-c", "cat mine > /dev/tcp/127.0.0.1/80"))
                assert await asyncio.to_thread(first_bytes, sock) == str(number).encode()
            seen = await desktop.observe(ObservationSpec(tree=True))
            assert seen.png() and seen.tree is not None
            assert [change.path for change in await desktop.diff()] == ["mine"]
            await desktop.reset()
            assert await desktop.diff() == ()

    async def work() -> None:
        await asyncio.gather(*(one(number) for number in range(8)))

    runner.run(asyncio.wait_for(work(), 300))


def first_bytes(sock: socket.socket) -> bytes:
    connection, _ = sock.accept()
    with connection:
        return connection.recv(100)


@pytest.mark.parametrize("times", [100, pytest.param(1000, marks=pytest.mark.proof)])
def test_nothing_grows(machine: None, runner: asyncio.Runner, times: int) -> None:
    async def rounds(desktop: LocalDesktop, count: int, name: str) -> None:
        for number in range(count):
            await desktop.observe(ObservationSpec(tree=True))
            await desktop.act(Click(at=Point(600, 400)), id=f"{name}-click-{number}")
            await desktop.act(Type(text="abc ü"), id=f"{name}-type-{number}")
            await desktop.act(Code(source="pass"), id=f"{name}-code-{number}")
            await desktop.run(("true",))

    async def work() -> None:
        async with LocalDesktop(SMALL) as desktop:
            await desktop.launch(("mousepad",))
            await rounds(desktop, 60, "warm")
            before, memory = await counts(desktop), resident(os.getpid())
            await rounds(desktop, times, "measured")
            after = await counts(desktop)
            assert all(now <= then for now, then in zip(after, before, strict=True)), (before, after)
            assert resident(os.getpid()) - memory < 24 << 20

    runner.run(asyncio.wait_for(work(), 1200))


async def counts(desktop: LocalDesktop) -> tuple[int, int, int]:
    """Open files of this process, clients of the X server, processes inside, once they stay the same for a while."""
    seen = [count(desktop)]
    while len(seen) < 10 or len(set(seen[-10:])) > 1:
        await asyncio.sleep(0.05)
        seen.append(count(desktop))
    return seen[-1]


def count(desktop: LocalDesktop) -> tuple[int, int, int]:
    supervisor = desktop.running.sandbox.supervisor_pid
    clients = [
        line for line in Path(f"/proc/{supervisor}/net/unix").read_text().splitlines() if line.endswith("X11-unix/X0")
    ]
    return len(os.listdir("/proc/self/fd")), len(clients), len(list(descendants(supervisor)))


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_it_needs_no_root(machine: None) -> None:
    with tempfile.TemporaryDirectory(prefix="rootless-") as folder:
        Path(folder).chmod(0o777)
        done = rootless(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(" ", 1)[1] == "(640, 480) ['made'] ()\n" and not done.stdout.startswith("0 ")


def rootless(folder: str) -> subprocess.CompletedProcess[str]:
    """Use a desktop as a user that is not root; when this one is not, as this one."""
    as_user: list[str] = []
    if os.geteuid() == 0:
        # It may read files, since the interpreter may lie in root's home; it is root in nothing else.
        caps = "-all,+dac_read_search"
        as_user = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", f"--inh-caps={caps}",
                   f"--ambient-caps={caps}", f"--bounding-set={caps}"]  # fmt: skip
    return subprocess.run(
        [*as_user, sys.executable, "-c", ROOTLESS],
        env={**os.environ, "HOME": folder, "TRUELINE_CACHE_DIR": folder},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
