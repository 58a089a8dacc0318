"""Each desktop has user ids of its own: what the kernel counts per user, one of them cannot use up for another."""

from __future__ import annotations

import asyncio
import json
import os
from itertools import pairwise
from pathlib import Path

import pytest

from trueline.actions import Code
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.blocks import (
    BLOCK_RANGE,
    SMALL_RANGE,
    IdBlock,
    find_blocks,
    root_blocks,
    subordinate_blocks,
    supervisor_owner,
    take_block,
)
from trueline.desktop.local.options import MIB, ResourceLimits
from trueline.desktop.local.ownership import Owner, owner
from trueline.desktop.types import FileExists, PathRefused, WindowShown
from trueline.records import ObservationSpec

ALL_IDS = [range(4_294_967_295)]
EXHAUST = """
import array, ctypes, json, os, pty, resource, socket, time
libc = ctypes.CDLL(None, use_errno=True)
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
got, kept = {}, []

def until(name, work):
    count = 0
    try:
        while count < 100_000:
            kept.append(work())
            count += 1
    except OSError as error:
        got[name] = [count, error.errno]

def in_flight():
    left, right = socket.socketpair()
    socket.send_fds(left, [b"x"], [0] * 253)
    return left, right

def watches():
    fd = libc.inotify_init1(0)
    count = 0
    while fd >= 0 and libc.inotify_add_watch(fd, f"/tmp/watched/{count}".encode(), 2) >= 0:
        count += 1
    return count

def inotify():
    if libc.inotify_init1(0) < 0:
        raise OSError(ctypes.get_errno(), "inotify")

def file(folder):
    os.close(os.open(f"{folder}/{len(kept)}", os.O_CREAT | os.O_WRONLY))

until("terminals", pty.openpty)
until("inotify", inotify)
until("descriptors", in_flight)
for folder in ("/tmp", "/dev/shm", "/var/tmp"):
    until(folder, lambda: file(folder))
open("told.part", "w").write(json.dumps(got))
os.rename("told.part", "told")
def process():
    while os.path.exists("wait"):
        time.sleep(0.05)
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
        os._exit(0)
until("processes", process)
held = bytearray(b"x") * (200 << 20)
time.sleep(600)
"""
USE = """
import ctypes, os, pty, socket, subprocess
left, right = socket.socketpair()
for _ in range(8):
    socket.send_fds(left, [b"x"], [0] * 100)
for _ in range(10):
    pty.openpty()
assert ctypes.CDLL(None).inotify_init1(0) >= 0
for folder in ("/tmp", "/dev/shm", "/var/tmp", "."):
    open(folder + "/used", "w").close()
subprocess.run(["true"] , check=True)
print("works")
"""


def test_root_gives_whole_ranges_that_nobody_else_has() -> None:
    blocks = list(root_blocks(ALL_IDS, ALL_IDS))
    assert len(blocks) > 1000 and len({block.uid for block in blocks}) == len(blocks)
    assert all(block.count == 65_536 and block.uid == block.gid for block in blocks)
    assert all(BLOCK_RANGE.start <= block.uid and block.uid + block.count <= BLOCK_RANGE.stop for block in blocks)
    assert all(later.uid - block.uid == 65_536 for block, later in pairwise(blocks))


def test_in_a_container_with_few_ids_blocks_are_smaller() -> None:
    few = [range(65_536)]
    blocks = list(root_blocks(few, few))
    assert len(blocks) >= 20 and all(block.count > 1000 for block in blocks)
    assert SMALL_RANGE.start <= blocks[0].uid and blocks[-1].uid + blocks[-1].count <= SMALL_RANGE.stop
    assert list(root_blocks([range(1000)], few)) == []


def test_an_ordinary_user_gives_slices_of_its_range() -> None:
    blocks = list(subordinate_blocks([range(100_000, 165_536)], [range(200_000, 265_536)]))
    assert blocks[0] == IdBlock(100_000, 200_000, 1024, "subordinate")
    assert blocks[-1] == IdBlock(100_000 + 63 * 1024, 200_000 + 63 * 1024, 1024, "subordinate")
    assert next(subordinate_blocks([range(1 << 20, 1 << 24)], [range(1 << 20, 1 << 24)])).count == 65_536
    assert list(subordinate_blocks([], [range(65_536)])) == list(subordinate_blocks([range(900)], [range(900)])) == []


def test_root_starts_each_supervisor_as_another_user_and_others_as_themselves() -> None:
    root, user = Owner(1_900_000_000, 1_900_000_000, drop=True), Owner(1001, 1001, drop=False)
    assert supervisor_owner(root, IdBlock(5, 6, 1024, "root")) == Owner(5, 6, drop=True)
    assert supervisor_owner(user, IdBlock(5, 6, 1024, "subordinate")) == user
    assert supervisor_owner(root, None) == root


def test_a_block_is_taken_once_and_free_when_its_last_holder_closes_it() -> None:
    if next(find_blocks(owner()), None) is None:
        pytest.skip("this user has no ids to give")
    first, second = take_block(owner()), take_block(owner())
    assert first is not None and second is not None and first.block != second.block
    heir = os.dup(first.fileno())
    first.release()
    third = take_block(owner())
    assert third is not None and third.block not in (first.block, second.block)
    os.close(heir)
    fourth = take_block(owner())
    assert fourth is not None and fourth.block == first.block
    for lock in (second, third, fourth):
        lock.release()


def test_programs_run_with_the_ids_of_the_block(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    sandbox = desktop.running.sandbox
    pid = runner.run(desktop.launch(("sleep", "60")))
    assert pid > 0
    users = {Path(f"/proc/{found}").stat().st_uid for found in children(sandbox.supervisor_pid)}
    if sandbox.block is None:
        assert owner().uid in users
    else:
        assert users <= {sandbox.block.uid, sandbox.block.uid + 1000, 0}, "0 owns what cannot be looked into"
        assert sandbox.block.uid + 1000 in users
    told = "id -u; stat -c %u . .config /tmp; touch mine; stat -c %u mine; echo x >> .config/user-dirs.dirs"
    assert runner.run(desktop.run(("sh", "-c", told))).text.split() == ["1000"] * 5


def children(pid: int) -> list[int]:
    found: list[int] = []
    for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        found += [child, *children(child)]
    return found


def test_what_the_user_inside_has_closed_is_still_told(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    script = "mkdir shut; echo x > shut/file; chmod 0 shut/file shut"
    runner.run(desktop.run(("sh", "-c", script)))
    assert {change.path for change in runner.run(desktop.diff())} >= {"shut", "shut/file"}
    runner.run(desktop.run(("chmod", "700", "shut")))


def test_the_mounts_tell_no_path_of_the_host(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    mounts = runner.run(desktop.run(("sh", "-c", "cat /proc/self/mountinfo /proc/1/mountinfo /proc/mounts"))).text
    sources = {line.split()[3] for line in mounts.splitlines() if " - " in line}
    own = ("/null", "/zero", "/full", "/random", "/urandom", "/tty", "/newroot", "/devices/", "/programs", "/sys")
    assert {path for path in sources if path != "/" and not path.startswith(("/usr/", "/etc/", "/var/", *own))} <= {
        "/usr"
    }
    for told in ("trueline/desktop", f"{Path.home()}/", "/.cache", "lowerdir=/var"):
        assert told not in mounts


def test_what_is_written_in_proc_is_refused(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    lower = "cat /proc/self/oom_score_adj; echo -1000 > /proc/self/oom_score_adj; echo 0 > /proc/$PPID/oom_score_adj"
    tried = runner.run(desktop.run(("sh", "-c", f"{lower}; cat /proc/self/oom_score_adj")))
    assert tried.text == "500\n500\n" and tried.stderr.count(b"Read-only") == 2


LIMITS = ResourceLimits(processes=400, temporary=32 * MIB, temporary_files=3000, memory=900 * MIB)


async def exhaust(greedy: LocalDesktop) -> dict[str, list[int]]:
    """Have a desktop use up all it can get and keep it; return how much of what."""
    await greedy.put("exhaust.py", EXHAUST.encode())
    await greedy.put("wait", b"")
    await greedy.launch(("python3", "exhaust.py"))
    await greedy.wait_for(FileExists("told"), time_limit=60)
    return json.loads((await greedy.run(("cat", "told"))).text)


async def use(other: LocalDesktop) -> None:
    """Everything a desktop is for."""
    used = await other.run(("python3", "-c", USE))
    assert used.text == "works\n", used.stderr.decode()
    assert (await other.act(Code(source="print(1 + 1)"), id="code")).output == "2\n"
    await other.launch(("xfce4-terminal",))
    await other.wait_for(WindowShown(app="xfce4-terminal"), time_limit=30)
    seen = await other.observe(ObservationSpec(screenshot=True, tree=True))
    assert seen.screenshot and seen.tree is not None


@pytest.mark.full
def test_a_desktop_that_uses_up_what_a_user_has_does_not_stop_another(machine: None, runner: asyncio.Runner) -> None:
    options = LocalOptions(width=640, height=480, limits=LIMITS)
    if next(find_blocks(owner()), None) is None:
        pytest.skip("this user has no ids to give")

    async def work() -> dict[str, list[int]]:
        async with LocalDesktop(options) as greedy, LocalDesktop(options) as other:
            got = await exhaust(greedy)
            with pytest.raises(PathRefused, match="Too many references"):
                await greedy.get("told")
            assert (await greedy.run(("echo", "here"))).text == "here\n", "its agent goes on"
            await greedy.run(("rm", "wait"))
            await use(other)
            async with LocalDesktop(options) as later:
                assert (await later.run(("echo", "up"))).text == "up\n"
            return got

    got = runner.run(asyncio.wait_for(work(), 240))
    assert got["terminals"][0] <= LIMITS.terminals
    for folder in ("/tmp", "/dev/shm", "/var/tmp"):
        assert 2000 <= got[folder][0] <= LIMITS.temporary_files, got
    assert set(got) == {"terminals", "inotify", "descriptors", "/tmp", "/dev/shm", "/var/tmp"}, "all were used up"


@pytest.mark.full
def test_desktops_that_share_a_user_go_on_after_a_moment(machine: None, runner: asyncio.Runner) -> None:
    """Where there are no ids to give, limits are low, and whoever keeps descriptors on their way is killed."""
    options = LocalOptions(width=640, height=480, limits=LIMITS, own_ids=False)

    async def work() -> None:
        async with LocalDesktop(options) as greedy, LocalDesktop(options) as other:
            assert greedy.running.sandbox.block is None
            await greedy.put("exhaust.py", EXHAUST.encode())
            await greedy.put("wait", b"")
            await greedy.launch(("python3", "exhaust.py"))
            while not any("descriptors" in note for note in greedy.running.sandbox.notes):
                assert (await other.run(("true",))).returncode == 0
            await use(other)
            assert other.running.sandbox.notes == []

    runner.run(asyncio.wait_for(work(), 120))
