"""Attempts from inside to speak to the host in the name of what serves it there."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from trueline.actions import Code
from trueline.desktop.local import LocalDesktop
from trueline.desktop.local.files import plain_file
from trueline.desktop.local.link import LinkAnswer, LinkMessage
from trueline.desktop.types import DesktopError, FileExists, PathRefused

# Kills the agent again and again, and tries to open the memory of every process that comes after it.
AMBUSH = """
import os
def comm(pid):
    try:
        return open(f"/proc/{pid}/comm").read().strip()
    except OSError:
        return ""
def agent():
    return next((int(pid) for pid in os.listdir("/proc") if pid.isdigit() and comm(pid) == "agent"), 0)
taken, killed = 0, 0
for _ in range(15):
    while not (old := agent()):
        pass
    last = int(open("/proc/loadavg").read().split()[-1])
    os.kill(old, 9)
    killed += 1
    tries = 0
    while tries < 2000:
        for pid in range(last + 1, last + 4):
            try:
                os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))
                taken += 1
            except OSError:
                pass
        tries += tries > 0 or agent() not in (0, old)  # counted from when it is there: its whole start is tried
open("told.part", "w").write(f"{killed} {taken}")
os.rename("told.part", "told")
"""


@pytest.mark.full
def test_a_new_agent_cannot_be_taken_over_at_its_start(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    async def work() -> bytes:
        await fresh.put("ambush.py", AMBUSH.encode())
        await fresh.launch(("setsid", "python3", "ambush.py"))
        while True:
            try:
                await fresh.wait_for(FileExists("told"), time_limit=40)
                return await fresh.get("told")
            except DesktopError:
                continue  # the agent was killed while it was asked

    assert runner.run(asyncio.wait_for(work(), 60)) == b"15 0"
    assert runner.run(fresh.run(("echo", "here"))).text == "here\n"


# Tries to open every new process that the agent starts, from its first moment on, until it is told to end.
LURK = """
import os
agent, mine = os.getppid(), os.getpid()
opened, seen = set(), set()
def parent(pid):
    try:
        return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
open("lurking", "w").close()
while not os.path.exists("enough"):
    last = int(open("/proc/loadavg").read().split()[-1])
    for pid in range(last, last + 6):
        for name in ("mem", "environ", "auxv"):
            try:
                fd = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
            except OSError:
                continue
            os.close(fd)
            if pid != mine and parent(pid) == agent and name != "auxv":
                opened.add(pid)
print(len(opened))
"""


@pytest.mark.full
def test_a_worker_cannot_be_opened_at_its_start(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    async def work() -> str:
        await fresh.put("lurk.py", LURK.encode())
        lurking = asyncio.create_task(fresh.run(("python3", "lurk.py"), time_limit=60))
        await fresh.wait_for(FileExists("lurking"), time_limit=20)
        for number in range(8):
            code = Code(source="import os, signal; os.kill(os.getppid(), signal.SIGKILL)")
            with pytest.raises(DesktopError):
                await fresh.act(code, id=f"kill-{number}")
        assert (await fresh.act(Code(source="print('here')"), id="here")).output == "here\n"
        await fresh.put("enough", b"")
        return (await lurking).text

    assert runner.run(asyncio.wait_for(work(), 90)) == "0\n"


def test_code_cannot_reach_its_worker(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    code = (
        "import os\n"
        "for path in ('mem', 'fd', 'environ'):\n"
        "    try:\n"
        "        os.open(f'/proc/{os.getppid()}/{path}', os.O_RDONLY); print('ESCAPED')\n"
        "    except PermissionError:\n"
        "        print('refused')\n"
        "print(len(os.listdir('/proc/self/fd')) < 10)"
    )
    done = runner.run(desktop.act(Code(source=code), id="reach"))
    assert done.output == "refused\nrefused\nrefused\nTrue\n"


def test_a_worker_killed_between_two_actions_is_replaced(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    said = runner.run(desktop.act(Code(source="import os; print(os.getppid())"), id="who")).output or ""
    runner.run(desktop.run(("sh", "-c", 'kill -9 "$1"; while kill -0 "$1"; do :; done', "sh", said.strip())))
    again = runner.run(desktop.act(Code(source="import os; print(os.getppid())"), id="who-again")).output or ""
    assert again.strip().isdigit() and again != said


def test_what_comes_for_a_file_is_looked_at_here_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDWR)
    with pytest.raises(PathRefused, match="not a plain file"):
        plain_file(LinkAnswer(LinkMessage(), (pipe,)), "x")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(pipe)
    with pytest.raises(DesktopError, match="no descriptor"):
        plain_file(LinkAnswer(LinkMessage()), "x")
