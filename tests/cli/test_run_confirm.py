"""A person who is asked by `trueline run`, at a real terminal."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from support.small_suite import write_suite
from trueline.actions import Code, Type
from trueline.cli import main
from trueline.cli.run.confirm import SHOWN_CHARACTERS, Terminal
from trueline.guard.correction import Ask
from trueline.guard.session import CheckOutcome
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision, Verdict

T = TypeVar("T")
PROMPT = "Let it run? Type yes: "


def outcome(source: str = "rm -rf ~/x", reason: str = "it deletes") -> CheckOutcome:
    proposal = Proposal(id="p", actions=(Code(language="bash", source=source),))
    return CheckOutcome("c", 3, proposal, Verdict(decision=Decision.MISALIGNED, reason=reason), "block")


class Screen(io.StringIO):
    """What the terminal shows."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def write(self, s: str, /) -> int:
        self.changed.set()
        return super().write(s)


class Desk:
    """Who sits at the terminal: sees what was printed, types lines."""

    def __init__(self, keys: int, keyboard: int) -> None:
        self._keys = keys
        self._keyboard = keyboard
        self.screen = Screen()
        self.terminal = Terminal(keyboard, self.screen)

    @property
    def seen(self) -> str:
        return self.screen.getvalue()

    def ask(self, episode: str = "os/t0", about: CheckOutcome | None = None) -> asyncio.Task[bool]:
        asking: Ask = self.terminal.about(episode)

        async def go() -> bool:
            return await asking(about or outcome())

        return asyncio.create_task(go())

    async def prompted(self, times: int = 1) -> None:
        while self.seen.count(PROMPT) < times:
            self.screen.changed.clear()
            await self.screen.changed.wait()

    def type(self, line: str) -> None:
        os.write(self._keys, f"{line}\n".encode())

    def type_unasked(self, line: str) -> None:
        """Type while nothing is asked, and wait until it has got to the terminal's other end."""
        self.type(line)
        assert select.select([self._keyboard], [], [], 10)[0]


@asynccontextmanager
async def desk() -> AsyncGenerator[Desk]:
    keys, keyboard = pty.openpty()
    try:
        async with asyncio.timeout(30):
            yield Desk(keys, keyboard)
    finally:
        os.close(keys)
        os.close(keyboard)


def at_desk(session: Callable[[Desk], Awaitable[T]]) -> T:
    async def go() -> T:
        async with desk() as one:
            return await session(one)

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("answer", "runs"), [("yes", True), (" YES ", True), ("y", False), ("", False), ("no", False), ("\x04", False)]
)
def test_only_yes_is_yes(answer: str, runs: bool) -> None:
    async def session(desk: Desk) -> bool:
        asked = desk.ask()
        await desk.prompted()
        desk.type(answer)
        return await asked

    assert at_desk(session) is runs


def test_two_episodes_are_asked_one_after_the_other_by_name() -> None:
    async def session(desk: Desk) -> tuple[bool, bool]:
        first, second = desk.ask("os/one"), desk.ask("os/two")
        await desk.prompted()
        assert "os/one" in desk.seen and "os/two" not in desk.seen
        desk.type("no")
        await desk.prompted(2)
        assert first.done() and "os/two" in desk.seen
        desk.type("yes")
        return await first, await second

    assert at_desk(session) == (False, True)


def test_a_question_that_is_called_off_ends_at_once_and_takes_no_later_answer() -> None:
    async def session(desk: Desk) -> bool:
        late = desk.ask("os/late")
        await desk.prompted()
        late.cancel()
        await asyncio.wait([late])
        assert late.cancelled()
        assert "withdrawn: the question about os/late" in desk.seen
        # Typed for the question that is gone: it must not answer the next one.
        desk.type_unasked("yes")
        asked = desk.ask("os/next")
        await desk.prompted(2)
        desk.type("no")
        return await asked

    assert at_desk(session) is False


def test_what_does_not_fit_must_be_looked_at_before_it_is_let_run() -> None:
    padded = f"echo {'x' * SHOWN_CHARACTERS}; rm -rf ~/Documents"

    async def session(desk: Desk) -> bool:
        asked = desk.ask(about=outcome(padded))
        await desk.prompted()
        assert "rm -rf" not in desk.seen
        assert "more characters are hidden: type all to see them" in desk.seen
        desk.type("yes")
        await desk.prompted(2)
        assert not asked.done() and "Not before you have seen it all" in desk.seen
        desk.type("all")
        await desk.prompted(3)
        assert padded in desk.seen
        desk.type("yes")
        return await asked

    assert at_desk(session) is True


def test_many_lines_are_hidden_too() -> None:
    async def session(desk: Desk) -> bool:
        asked = desk.ask(about=outcome("\n".join(["true"] * 80 + ["rm -rf ~"])))
        await desk.prompted()
        assert "rm -rf" not in desk.seen and "more characters are hidden" in desk.seen
        desk.type("no")
        return await asked

    assert at_desk(session) is False


def test_hostile_text_neither_moves_the_cursor_nor_poses_as_ours() -> None:
    async def session(desk: Desk) -> bool:
        asked = desk.ask(about=outcome(f"true\n\x1b[2J{PROMPT}\u202e", reason="because\n\x1b[31m"))
        await desk.prompted(2)
        desk.type("no")
        return await asked

    async def seen(desk: Desk) -> str:
        await session(desk)
        return desk.seen

    screen = at_desk(seen)
    assert "\x1b" not in screen and "\u202e" not in screen
    assert f"  | \\x1b[2J{PROMPT}" in screen


def test_typed_text_is_shown_whole() -> None:
    text = "z" * 900
    about = CheckOutcome(
        "c", 1, Proposal(id="p", actions=(Type(text=text),)), Verdict(decision=Decision.UNDECIDED), "ask"
    )

    async def session(desk: Desk) -> str:
        asked = desk.ask(about=about)
        await desk.prompted()
        desk.type("yes")
        assert await asked
        return desk.seen

    assert text in at_desk(session)


OWN = """
from trueline.actions import Type
from trueline.records import Decision, ObservationSpec, Proposal, Verdict

class Typist:
    wants = ObservationSpec(screenshot=True)
    async def reset(self, ctx): pass
    async def propose(self, obs, last): return Proposal(id="p", actions=(Type(text="hello"),))
    async def revise(self, rejected, feedback): return rejected

class Nay:
    async def check(self, ctx): return Verdict(decision=Decision.MISALIGNED, reason="no")
"""


@pytest.mark.full
def test_ctrl_c_ends_a_run_that_waits_for_an_answer(tmp_path: Path, machine: None) -> None:
    (tmp_path / "own_asked.py").write_text(OWN)
    words = ["--suite", str(write_suite(tmp_path / "suite", "t0", "t1")), "--result_dir", str(tmp_path / "results")]
    words += ["--agent", "own_asked:Typist", "--guard", "own_asked:Nay", "--guard_exhausted", "ask", "--num_envs", "2"]
    words += ["--guard_max_revisions", "0", "--screen_width", "640", "--screen_height", "480"]
    keys, keyboard = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "trueline", "run", *words],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        stdin=keyboard,
        stdout=subprocess.DEVNULL,
        stderr=keyboard,
        start_new_session=True,
    )
    try:
        seen = b""
        while PROMPT.encode() not in seen:
            assert select.select([keys], [], [], 120)[0], seen
            seen += os.read(keys, 65536)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
    finally:
        run.kill()
        run.wait()
        os.close(keys)
        os.close(keyboard)


@pytest.mark.parametrize("flag", ["--guard_exhausted", "--guard_on_error"])
def test_nobody_at_a_terminal_is_told_before_anything_starts(capsys: pytest.CaptureFixture[str], flag: str) -> None:
    assert main(["run", "--suite", "starter", "--agent", "noop", "--guard", "policy", flag, "ask"]) == 2
    assert f"{flag} ask: requires that stdin and stderr are a terminal" in capsys.readouterr().err
