"""Typing takes time: a window that takes the keyboard meanwhile gets none of the keys, and the guard is asked again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from support.playing import INSTRUCTION, ScriptedAgent, Stage
from trueline.actions import Action, Code, Done, Hotkey, Key, KeyDown, KeyUp, Type
from trueline.desktop.local import LocalDesktop
from trueline.desktop.screen_state import observe_with_windows
from trueline.desktop.types import WindowShown
from trueline.guard import GuardContext
from trueline.guard.guarded import guarded
from trueline.guard.session import Session
from trueline.records import ObservationSpec, Proposal
from trueline.records.end import End
from trueline.records.verdict import Decision, Feedback, Verdict
from trueline.runs.types import Oversight

TRAP = "touch /home/user/ran\n"
LONG = Type(text=TRAP * 200, interval=0.02)
"""Far longer than a terminal takes to open."""
OPEN_OTHER = Code(
    source="import subprocess\nsubprocess.run(['mousepad', '--opening-mode', 'window', '/home/user/other.txt'])"
)
"""Another window, which takes the keyboard."""
SAVE = Hotkey(keys=("ctrl", "s"))


@dataclass
class TerminalWhileTyping:
    """A guard that lets the first proposal through; a terminal opens as soon as the first keys have arrived."""

    desktop: LocalDesktop
    later: Decision
    """What it says from then on."""
    opens: bool = True
    contexts: list[GuardContext] = field(default_factory=list[GuardContext])
    opening: asyncio.Task[None] | None = None

    async def check(self, context: GuardContext) -> Verdict:
        self.contexts.append(context)
        if len(self.contexts) > 1:
            told = Feedback(wrong="It would go to a terminal.")
            return Verdict(decision=self.later, feedback=told if self.later is Decision.MISALIGNED else None)
        if self.opens:
            self.opening = asyncio.create_task(self._open())
        return Verdict(decision=Decision.ALIGNED)

    async def _open(self) -> None:
        # Mousepad marks a text that was changed.
        await self.desktop.wait_for(WindowShown(title="*", app="mousepad"), time_limit=60)
        await self.desktop.launch(("xfce4-terminal",))


@dataclass
class Once:
    """A guard that rejects what is left of the first proposal, and nothing else."""

    inner: TerminalWhileTyping

    async def check(self, context: GuardContext) -> Verdict:
        verdict = await self.inner.check(context)
        return verdict if len(self.inner.contexts) <= 2 else Verdict(decision=Decision.ALIGNED)


def ran(stage: Stage) -> bool:
    return stage.runner.run(stage.desktop.run(("test", "-e", "/home/user/ran"))).returncode == 0


def typed(stage: Stage) -> str:
    """What is in the note, which is saved by its own window."""

    async def save() -> str:
        await stage.desktop.run(("pkill", "-x", "xfce4-terminal"))
        await stage.desktop.wait_for(WindowShown(app="mousepad"))
        seen = await stage.desktop.observe(ObservationSpec(screenshot=False, tree=True))
        assert seen.tree is not None
        return next(node.text for node in seen.tree.root.walk() if node.role == "text" and node.text)

    return stage.runner.run(save())


def texts(proposal: Proposal) -> list[str]:
    return [action.text for action in proposal.actions if isinstance(action, Type)]


def test_a_terminal_that_opens_while_text_is_typed_gets_none_of_it(stage: Stage) -> None:
    guard = TerminalWhileTyping(stage.desktop, Decision.MISALIGNED)
    agent = ScriptedAgent([(LONG, Key(key="enter")), (Done(),)])
    record = stage.play(agent, oversight=Oversight(Session(guard, INSTRUCTION)))
    step = record.steps[0]
    (cut,) = step.results[0].cut_offs
    assert 0 < cut.done < cut.of == len(LONG.text)
    assert not cut.went_on and [verdict.decision for verdict in cut.verdicts] == [Decision.MISALIGNED]
    assert not ran(stage)
    assert typed(stage) == LONG.text[: cut.done]
    rest = guard.contexts[1]
    assert texts(rest.proposal) == [LONG.text[cut.done :]] and len(rest.proposal.actions) == 2
    assert [texts(past.proposal) for past in rest.history] == [[LONG.text[: cut.done]]]
    assert rest.observation.png() != guard.contexts[0].observation.png()
    heard = agent.heard[1]
    assert f"after {cut.done} of {cut.of} characters" in (heard[0].error or "")
    assert "It would go to a terminal." in (heard[0].error or "")
    assert heard[1].error == "not executed"
    assert [attempt.ran for attempt in step.attempts] == [True]
    assert len(step.results) == 1


def other(stage: Stage) -> str:
    """What was saved in the window that a proposal opened."""
    return stage.runner.run(stage.desktop.get("other.txt")).decode()


def test_what_is_left_goes_on_when_it_passes_on_the_new_screen(stage: Stage) -> None:
    """The window that the proposal itself has opened was not on the screen that was judged."""
    guard = TerminalWhileTyping(stage.desktop, Decision.ALIGNED, opens=False)
    actions = (OPEN_OTHER, Type(text="one"), Key(key="enter"), Type(text="two"), SAVE)
    record = stage.play(ScriptedAgent([actions, (Done(),)]), oversight=Oversight(Session(guard, INSTRUCTION)))
    assert other(stage) == "one\ntwo"
    results = record.steps[0].results
    assert [result.error for result in results] == [None] * 5
    assert [[(cut.done, cut.went_on) for cut in result.cut_offs] for result in results] == [[], [(0, True)], [], [], []]
    assert [len(context.proposal.actions) for context in guard.contexts] == [5, 4, 1]
    assert [texts(past.proposal) for past in guard.contexts[2].history] == [[], ["one", "two"]]


def test_held_keys_are_let_go_where_the_rest_does_not_run(stage: Stage) -> None:
    guard = TerminalWhileTyping(stage.desktop, Decision.MISALIGNED, opens=False)
    actions: tuple[Action, ...] = (KeyDown(key="shift"), OPEN_OTHER, Type(text="a"), KeyUp(key="shift"))
    agent = ScriptedAgent([actions, (Type(text="b"), SAVE), (Done(),)])
    record = stage.play(agent, oversight=Oversight(Session(Once(guard), INSTRUCTION)))
    assert [cut.done for cut in record.steps[0].results[-1].cut_offs] == [0]
    assert other(stage) == "b"


def test_without_a_guard_nothing_is_tied(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([(OPEN_OTHER, Type(text="one"), SAVE), (Done(),)]))
    assert (record.end, [result.cut_offs for result in record.steps[0].results]) == (End.DONE, [(), (), ()])
    assert other(stage) == "one"


@dataclass
class _Types:
    wants = ObservationSpec()
    told: list[Feedback] = field(default_factory=list[Feedback])

    async def propose(self, obs: object, last: object) -> Proposal:
        return Proposal(id="p", actions=(LONG,))

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        raise AssertionError("what is left is not revised")


def test_a_guarded_agent_carries_out_what_was_let_through(stage: Stage) -> None:
    desktop = stage.desktop
    guard = TerminalWhileTyping(desktop, Decision.MISALIGNED)

    async def work() -> tuple[int, ...]:
        await desktop.put("note.txt", b"")
        await desktop.launch(("mousepad", "/home/user/note.txt"))
        await desktop.wait_for(WindowShown(app="mousepad"))
        spec = ObservationSpec(tree=True)
        agent = guarded(_Types(), guard, instruction=INSTRUCTION, look=lambda: observe_with_windows(desktop, spec))
        await agent.propose(await desktop.observe(spec))
        (result,) = await agent.act(desktop)
        (cut,) = result.cut_offs
        (past,) = agent.session.history
        assert texts(past.proposal) == [LONG.text[: cut.done]]
        return cut.done, cut.of

    done, of = stage.runner.run(work())
    assert 0 < done < of
    assert not ran(stage)
