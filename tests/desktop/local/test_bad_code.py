"""Action code and applications that misbehave: a typed answer in bounded time, the desktop goes on or a reset helps."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from support.windows import open_window
from trueline.actions import Code
from trueline.desktop.local import LocalDesktop, senses
from trueline.desktop.types import ActionInterrupted, ActionTimeout, DesktopError
from trueline.records import ActionResult, ObservationSpec

pytestmark = pytest.mark.full

BOUND = 60.0
FAILS = {
    "memory": ("b = bytearray(400 << 20)", "MemoryError"),
    "disk": ("open('big', 'wb').write(bytes(100 << 20))", "No space left"),
    "files": ("import itertools\nfor n in itertools.count(): open(f'many{n}', 'w').close()", "No space left"),
    "depth": ("def f(): f()\nf()", "RecursionError"),
    "exit": ("import os\nos._exit(9)", ""),
    "signal": ("import os\nos.kill(os.getpid(), 9)", ""),
}


def act(runner: asyncio.Runner, desktop: LocalDesktop, source: str, name: str) -> ActionResult:
    return runner.run(asyncio.wait_for(desktop.act(Code(source=source), id=name), BOUND))


@pytest.fixture(scope="module")
def sturdy(machine: None, runner: asyncio.Runner, desktop: LocalDesktop) -> LocalDesktop:
    return desktop


@pytest.mark.parametrize("name", FAILS)
def test_code_that_takes_too_much_fails_by_itself(runner: asyncio.Runner, fresh: LocalDesktop, name: str) -> None:
    code, said = FAILS[name]
    result = act(runner, fresh, code, name)
    assert result.error is not None and result.returncode != 0 and said in (result.output or "")
    runner.run(fresh.run(("sh", "-c", "rm -f big many*")))
    assert act(runner, fresh, "print('on')", "after").output == "on\n"


def test_code_without_end_is_killed_and_the_next_runs(
    runner: asyncio.Runner, sturdy: LocalDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(senses, "CODE_LIMIT", 1.0)
    for number, code in enumerate(("while True: pass", "import time\ntime.sleep(1000)", "input()")):
        if code == "input()":
            assert act(runner, sturdy, code, f"loop-{number}").error is not None  # there is nothing to read
            continue
        with pytest.raises(ActionTimeout, match="did not end within 1 s"):
            act(runner, sturdy, code, f"loop-{number}")
    assert act(runner, sturdy, "print('on')", "after-loops").output == "on\n"


def test_a_gigabyte_of_print_is_cut(runner: asyncio.Runner, sturdy: LocalDesktop) -> None:
    flood = "import sys\nline = 'x' * (1 << 20)\nfor _ in range(1024): sys.stdout.write(line)"
    result = act(runner, sturdy, flood, "flood")
    assert result.error is None and result.output is not None and len(result.output) <= 2 << 20


def test_code_that_kills_its_parents_is_interrupted(runner: asyncio.Runner, fresh: LocalDesktop) -> None:
    code = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(5)"
    with pytest.raises((ActionInterrupted, ActionTimeout)):
        act(runner, fresh, code, "parent")
    assert act(runner, fresh, "print('on')", "after-parent").output == "on\n"


def test_code_that_forks_without_end_stays_in_its_desktop(
    runner: asyncio.Runner, fresh: LocalDesktop, sturdy: LocalDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(senses, "CODE_LIMIT", 3.0)
    bomb = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"

    async def work() -> None:
        bombing = asyncio.create_task(fresh.act(Code(source=bomb), id="bomb"))
        for number in range(5):
            done = await sturdy.act(Code(source="import os\nprint(os.system('true'))"), id=f"beside-{number}")
            assert done.output == "0\n"
        with suppress(DesktopError):  # it may be killed in the end
            assert (await bombing).error is not None
        await fresh.reset()
        assert (await fresh.act(Code(source="print('clean')"), id="clean")).output == "clean\n"

    runner.run(asyncio.wait_for(work(), BOUND))


def test_an_application_that_hangs_does_not_hold_the_tree(runner: asyncio.Runner, sturdy: LocalDesktop) -> None:
    async def work() -> None:
        pid = await open_window(sturdy, ("mousepad",), "mousepad", BOUND)
        await sturdy.run(("kill", "-STOP", str(pid)))
        seen = await sturdy.observe(ObservationSpec(tree=True))
        assert seen.tree is not None and seen.png() is not None
        await sturdy.run(("kill", "-KILL", str(pid)))
        assert (await sturdy.observe(ObservationSpec(tree=True))).tree is not None

    runner.run(asyncio.wait_for(work(), BOUND))
