"""What hostile or broken programs do to a desktop: the caller gets a typed error in bounded time, others go on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from trueline.actions import Code, Wait
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.options import MIB, ResourceLimits
from trueline.desktop.types import (
    ActionInterrupted,
    ActionTimeout,
    DesktopError,
    DesktopLost,
    PathRefused,
    WindowShown,
)
from trueline.records import ObservationSpec

pytestmark = pytest.mark.full

BOMB = "bomb() { bomb | bomb & }; bomb; sleep 60"


def test_a_fork_bomb_stays_in_its_desktop(runner: asyncio.Runner, fresh: LocalDesktop, desktop: LocalDesktop) -> None:
    async def work() -> None:
        bombing = asyncio.create_task(fresh.run(("bash", "-c", BOMB), time_limit=5))
        for _ in range(20):
            assert (await desktop.run(("sh", "-c", "echo $(echo ok)"))).text == "ok\n"
        with pytest.raises(DesktopError):
            await until_refused(fresh)
        with pytest.raises((ActionTimeout, DesktopError)):
            await bombing
        await fresh.reset()
        assert (await fresh.run(("echo", "clean"))).text == "clean\n"

    runner.run(asyncio.wait_for(work(), 60))


def test_one_program_cannot_take_all_memory(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    result = runner.run(fresh.run(("python3", "-c", "b = bytearray(400 << 20)")))
    assert result.returncode == 1 and b"MemoryError" in result.stderr


@pytest.mark.full
def test_many_programs_cannot_take_all_memory(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    hog = "python3 -c 'b = bytearray(b\"x\") * (200 << 20); import time; time.sleep(60)' & "

    async def work() -> None:
        await fresh.launch(("sh", "-c", hog * 8 + "wait"))
        while not fresh.running.sandbox.notes:
            assert (await fresh.run(("true",))).returncode == 0
            await asyncio.sleep(0.05)

    runner.run(asyncio.wait_for(work(), 60))
    assert "killed" in fresh.running.sandbox.notes[0]
    assert runner.run(fresh.windows())


@pytest.mark.parametrize("first", ["pass", "os.setsid()"], ids=["one program", "many programs"])
def test_many_small_processes_do_not_cost_the_x_server_its_life(
    runner: asyncio.Runner, fresh: LocalDesktop, first: str
) -> None:
    small = (
        "import os, time\n"
        "kept = bytearray(b'x') * (6 << 20)\n"
        "for _ in range(170):\n"
        "    if not os.fork():\n"
        f"        {first}; time.sleep(60)\n"
        "time.sleep(60)\n"
    )

    async def work() -> None:
        await fresh.launch(("python3", "-c", small))
        while not fresh.running.sandbox.notes:
            await fresh.windows()
        while True:
            try:
                if (await fresh.run(("echo", "on"))).text == "on\n":
                    break
            except DesktopError:
                await asyncio.sleep(0.05)
        assert {"xfdesktop", "xfce4-panel"} <= {window.app for window in await fresh.windows()}

    runner.run(asyncio.wait_for(work(), 60))


def test_shared_memory_that_nobody_holds_counts_and_is_taken_away(machine: None, runner: asyncio.Runner) -> None:
    hide = (
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True); libc.shmat.restype = ctypes.c_void_p\n"
        "for _ in range(5):\n"
        "    number = libc.shmget(0, ctypes.c_size_t(100 << 20), 0o1600); assert number >= 0\n"
        "    place = libc.shmat(number, None, 0); ctypes.memset(place, 1, 100 << 20)\n"
        "    libc.shmdt(ctypes.c_void_p(place)); print(number)\n"
    )

    async def work() -> tuple[int, list[str]]:
        limits = ResourceLimits(memory=400 * MIB, temporary=512 * MIB)
        async with LocalDesktop(LocalOptions(width=640, height=480, limits=limits)) as desktop:
            made = set((await desktop.run(("python3", "-c", hide))).text.split())
            while made <= set((await desktop.run(("awk", "{print $2}", "/proc/sysvipc/shm"))).text.split()):
                pass
            return len(made), desktop.running.sandbox.notes

    made, notes = runner.run(asyncio.wait_for(work(), 60))
    assert made == 5 and notes == [], "no program had to die for it"


@pytest.mark.parametrize("hide", ["", "m.madvise(mmap.MADV_DONTNEED)"], ids=["held", "touched and let go"])
@pytest.mark.parametrize("file", ["-1", "os.open('/dev/zero', os.O_RDWR)"], ids=["anonymous", "zero device"])
def test_memory_shared_without_a_file_counts(machine: None, runner: asyncio.Runner, hide: str, file: str) -> None:
    hog = (
        "import mmap, os, time\n"
        "kept = []\n"
        "for _ in range(10):\n"
        f"    m = mmap.mmap({file}, 50 << 20, mmap.MAP_SHARED)\n"
        "    for place in range(0, len(m), 4096):\n"
        "        m[place] = 1\n"
        f"    {hide or 'pass'}\n"
        "    kept.append(m)\n"
        "time.sleep(60)\n"
    )

    async def work() -> list[str]:
        limits = ResourceLimits(memory=400 * MIB, temporary=512 * MIB)
        async with LocalDesktop(LocalOptions(width=640, height=480, limits=limits)) as desktop:
            killed = await desktop.run(("python3", "-c", hog), time_limit=50)
            assert killed.returncode == -signal.SIGKILL, killed.stderr
            assert await desktop.windows(), "the desktop goes on"
            return desktop.running.sandbox.notes

    (note,) = runner.run(asyncio.wait_for(work(), 90))
    assert "killed" in note


def test_no_folder_takes_more_than_its_share(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    for folder in ("/home/user", "/tmp", "/dev/shm", "/var/tmp", "/run/user/1000", "/var/log/desktop"):
        fill = f"head -c 100M /dev/zero > {folder}/big; stat -c %s {folder}/big"
        result = runner.run(fresh.run(("sh", "-c", fill), time_limit=60))
        assert b"No space left" in result.stderr, folder
        assert 0 < int(result.text) <= 64 * MIB
    assert runner.run(fresh.windows()), "the X server does not need the room"


def test_a_full_home_refuses_uploads_and_goes_on(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    with pytest.raises(PathRefused, match="No space left"):
        runner.run(fresh.put("big", bytes(64 * MIB)))
    many = "rm big; i=0; while echo > many$i; do i=$((i+1)); done; echo $i"
    assert 0 < int(runner.run(fresh.run(("sh", "-c", many), time_limit=60)).text) <= 2000
    assert runner.run(fresh.run(("true",))).returncode == 0


def test_a_flood_of_output_is_cut(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    result = runner.run(desktop.run(("head", "-c", "300M", "/dev/zero"), time_limit=60))
    assert result.truncated and len(result.stdout) == MIB


def test_killing_the_agent_interrupts_and_it_comes_back(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    for _ in range(3):
        with pytest.raises(ActionInterrupted):
            runner.run(fresh.run(("sh", "-c", "kill -9 $PPID; sleep 5")))
        assert runner.run(fresh.run(("echo", "here"))).text == "here\n"


def test_a_stopped_agent_is_a_time_out_and_reset_helps(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    with pytest.raises(ActionTimeout):
        runner.run(asyncio.wait_for(fresh.run(("sh", "-c", "kill -STOP $PPID; sleep 50"), time_limit=0.5), 30))
    runner.run(fresh.reset())
    assert runner.run(fresh.run(("echo", "back"))).text == "back\n"


def test_killing_everything_loses_the_desktop_and_reset_helps(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    with pytest.raises(DesktopLost):
        runner.run(fresh.run(("sh", "-c", "kill -9 -1")))
    for call in (
        fresh.run(("true",)), fresh.put("x", b""), fresh.listen(80), fresh.diff(), fresh.picture(),
        fresh.observe(ObservationSpec()), fresh.observe(ObservationSpec(tree=True)), fresh.settle(),
        fresh.act(Wait(seconds=0.01), id="wait"), fresh.act(Code(source="print(1)"), id="code"),
    ):  # fmt: skip
        with pytest.raises(DesktopLost):
            runner.run(asyncio.wait_for(call, 20))
    runner.run(fresh.reset())
    assert runner.run(fresh.run(("echo", "back"))).text == "back\n"


def test_a_dead_x_server_loses_the_desktop(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    (xvfb,) = [pid for pid in below(supervisor(fresh)) if name(pid) == "Xvfb"]
    os.kill(xvfb, signal.SIGKILL)
    with pytest.raises(DesktopLost):
        runner.run(asyncio.wait_for(until_lost(fresh), 20))
    runner.run(fresh.reset())
    assert runner.run(fresh.windows())


def test_the_last_picture_of_a_dead_desktop_is_not_shown_for_long(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    async def look() -> None:
        while True:
            await fresh.picture()

    (xvfb,) = [pid for pid in below(supervisor(fresh)) if name(pid) == "Xvfb"]
    os.kill(xvfb, signal.SIGKILL)
    with pytest.raises(DesktopLost, match="X server"):
        runner.run(asyncio.wait_for(look(), 20))


def test_a_dead_supervisor_loses_the_desktop_and_leaves_nothing(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    runner.run(fresh.launch(("sleep", "5678")))
    os.kill(supervisor(fresh), signal.SIGKILL)
    with pytest.raises(DesktopLost):
        runner.run(asyncio.wait_for(until_lost(fresh), 20))
    end = time.monotonic() + 20
    while subprocess.run(["pgrep", "-f", "sleep 5678"], capture_output=True, check=False).stdout:
        assert time.monotonic() < end, "what ran inside outlives its supervisor"


def test_a_crashing_application_harms_nobody(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    pid = runner.run(desktop.launch(("mousepad",)))
    runner.run(desktop.wait_for(WindowShown(app="mousepad"), time_limit=20))
    runner.run(desktop.run(("kill", "-SEGV", str(pid))))
    assert {"xfdesktop", "xfce4-panel"} <= {window.app for window in runner.run(desktop.windows())}


def test_the_clock_runs_out(machine: None, runner: asyncio.Runner) -> None:
    async def work() -> None:
        options = LocalOptions(width=640, height=480, limits=ResourceLimits(lifetime=3.0))
        async with LocalDesktop(options) as desktop:
            await until_lost(desktop)

    with pytest.raises(DesktopLost):
        runner.run(asyncio.wait_for(work(), 60))


def test_without_user_namespaces_the_line_says_what_to_do(machine: None) -> None:
    program = (
        "import asyncio\n"
        "from trueline.desktop.local import LocalDesktop\n"
        "from trueline.desktop.types import DesktopUnavailable\n"
        "try:\n"
        "    asyncio.run(LocalDesktop().start())\n"
        "except DesktopUnavailable as error:\n"
        "    print(error)\n"
    )
    # A user namespace of its own in which no further one may be made.
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    done = subprocess.run(
        ["unshare", "--user", "--map-user=1234", "--map-group=1234", "--keep-caps", "sh", "-c", forbid, "sh",
         sys.executable, "-c", program],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "user namespaces" in done.stdout and "max_user_namespaces" in done.stdout, done
    assert len(done.stdout.splitlines()) == 1


async def until_refused(desktop: LocalDesktop) -> None:
    """The bomb's process group is killed in the end, but bombs breed on in groups of their own: the limit holds."""
    while True:
        await desktop.run(("true",), time_limit=5)
        await asyncio.sleep(0.01)


async def until_lost(desktop: LocalDesktop) -> None:
    while True:
        await desktop.windows()
        await desktop.run(("true",))


def supervisor(desktop: LocalDesktop) -> int:
    return int(desktop.running.sandbox.path("fb").parts[2])


def below(pid: int) -> list[int]:
    found: list[int] = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            for child in map(int, file.read().split()):
                found += [child, *below(child)]
    return found


def name(pid: int) -> str:
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()
