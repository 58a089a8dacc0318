"""The subject that plays a script: it locates elements in the tree and acts on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from trueline.actions import Action, Click, Done, Fail, Hotkey, Key, Type, Wait
from trueline.agents.simulated.locate import describe, locate, words_of
from trueline.agents.simulated.script import Line, Script, hijacked, is_end, the_end
from trueline.agents.types import AgentContext
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.tree import Tree
from trueline.records.verdict import Feedback
from trueline.tasks.attacks.hijacks import read_order
from trueline.tasks.model import Act, Demo, Find

WAITS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds to wait, one step each, for an element that is not on the screen yet; then the subject gives up."""
SKIPPED_STEPS = 2
"""Consecutive steps in which no action of a line ran; then the subject skips that line."""
NOTE = "simulated subject"


@dataclass(frozen=True)
class Behaviour:
    """What a subject does in an episode."""

    script: Script
    demo: Demo | None = None
    gullible: bool = False
    stubborn: bool = False
    aimless: bool = False
    """It has nothing to do but to follow an injection, and is done then."""


ChooseBehaviour = Callable[[AgentContext], Behaviour]


class Subject:
    """A simulated subject. Its script is chosen when an episode starts; injections on the screen may change it."""

    wants = ObservationSpec(screenshot=False, tree=True)

    def __init__(self, choose: ChooseBehaviour) -> None:
        self._choose = choose
        self._behaviour = Behaviour(())
        self._instruction = ""
        self._todo: Script = ()
        self._undone: Script = ()
        """What was left before the last proposal: restored if no action of it runs."""
        self._skipped = 0
        self._asked: Line | None = None
        """The line that the last proposal came from."""
        self._tree: Tree | None = None
        self._obeyed = False
        self._waited = 0
        self._count = 0

    async def reset(self, ctx: AgentContext) -> None:
        """Start an episode."""
        behaviour = self._choose(ctx)
        self._instruction = ctx.instruction
        self._behaviour, self._todo, self._asked = behaviour, behaviour.script, None
        self._tree, self._obeyed, self._waited, self._count = None, False, 0, 0
        self._undone, self._skipped = (), 0

    def reads(self, obs: Observation) -> str | None:
        """All text that is showing, as the subject reads it."""
        return None if obs.tree is None else words_of(obs.tree)

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Propose the next line of the script, as far as the screen allows."""
        self._tree = obs.tree
        if last and all(result.id is None for result in last):
            if not self._corrected():
                self._repeat()
        else:
            self._skipped = 0
        if self._behaviour.gullible and not self._obeyed and obs.tree is not None:
            order = read_order(words_of(obs.tree))
            if order is not None:
                self._obeyed = True
                rest = the_end() if self._behaviour.aimless else self._todo
                self._todo = hijacked(rest, order, self._behaviour.demo, self._instruction)
        return self._next()

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:  # noqa: ARG002 - the contract's
        """Repeat the proposal if stubborn or following the solution; otherwise return to the solution."""
        if self._corrected():
            return self._next()
        self._count += 1
        return rejected.model_copy(update={"id": f"s{self._count}"})

    def _corrected(self) -> bool:
        """Return to the solution after a rejection; whether that was possible."""
        if self._behaviour.stubborn or self._asked is None or self._asked.back is None:
            return False
        self._todo, self._waited = self._asked.back, 0
        return True

    def _repeat(self) -> None:
        """Repeat a step of which no action ran; skip a line that never runs."""
        self._skipped += 1
        self._todo, self._waited = self._undone, 0
        if self._skipped < SKIPPED_STEPS or self._asked is None:
            return
        self._skipped = 0
        if self._asked.back is not None:
            self._todo = self._asked.back
        else:
            reason = f"nothing of this ran in {SKIPPED_STEPS} steps: {self._asked.say or 'no words'}"
            self._todo = (Line("", (Act(fail=reason),)),)

    def _next(self) -> Proposal:
        self._undone = self._todo
        actions: list[Action] = []
        missing: Find | None = None
        while self._todo and not actions and missing is None:
            line = self._asked = self._todo[0]
            left = line.acts
            while left and missing is None:
                action, missing = self._action(left[0], fresh=not actions)
                if missing is None:
                    actions += () if action is None else (action,)
                    left = () if is_end(left[0]) else left[1:]
            self._todo = (replace(line, acts=left), *self._todo[1:]) if left else self._todo[1:]
        if actions:
            self._waited = 0
        elif missing is None:
            actions.append(Done())
        else:
            actions.append(self._wait(missing))
        return self._proposal(actions)

    def _action(self, act: Act, *, fresh: bool) -> tuple[Action | None, Find | None]:
        """Return the actions of an act on this screen, or what is missing; the screen is unknown after an action."""
        awaited = act.wait_for or act.wait_gone
        if awaited is not None:
            there = self._tree is not None and locate(self._tree, awaited) is not None
            return None, None if fresh and there is (act.wait_for is not None) else awaited
        if act.type is not None:
            return Type(text=act.type), None
        if act.keys is not None:
            return Key(key=act.keys[0]) if len(act.keys) == 1 else Hotkey(keys=act.keys), None
        if act.done is not None:
            return Done(answer=act.done or None), None
        if act.fail is not None or act.refuse is not None:
            return Fail(reason=act.refuse or act.fail, refused=act.refuse is not None), None
        find = act.click or act.double_click or act.right_click
        assert find is not None, "an act has one field"
        at = None if self._tree is None else locate(self._tree, find)
        if at is None:
            return None, find
        button = "right" if act.right_click else "left"
        return Click(at=at, button=button, count=2 if act.double_click else 1), None

    def _wait(self, missing: Find) -> Action:
        self._waited += 1
        if self._waited > len(WAITS):
            return Fail(reason=f"waited {sum(WAITS):g} s in vain for {describe(missing)}")
        return Wait(seconds=WAITS[self._waited - 1])

    def _proposal(self, actions: list[Action]) -> Proposal:
        self._count += 1
        line = self._asked
        notes = (NOTE, line.label) if line is not None and line.label else (NOTE,)
        thought = line.say if line is not None else ""
        return Proposal(id=f"s{self._count}", thought=thought or None, actions=tuple(actions), notes=notes)
