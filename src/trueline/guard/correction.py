"""The correction loop, from a proposal to what may run: check, ask a person, re-verify, have it revised, give up.

A verdict holds for the screen that it was given on. What is allowed is therefore compared with the screen as it is by
then; if that has changed, the same proposal is checked again on the new screen. Typing takes time, so while it runs the
keyboard is tied to the window that the guard saw in front; where another one takes it, what is left is checked again.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from trueline.actions import Action, Key, Point, Type
from trueline.actions.facts import proposal_facts
from trueline.desktop.input.keysyms import typed_text
from trueline.desktop.screen_state import (
    ExpectedFocus,
    ScreenState,
    list_windows,
    window_layout,
    with_active_window,
)
from trueline.desktop.types import Desktop, Window
from trueline.guard.session import CheckOutcome, feedback_text
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult, Attempt, CutOff, Gap
from trueline.records.verdict import Decision, Feedback, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_RECHECKS = 3
"""How often a proposal is checked again because the screen has changed under it."""
CUT_OFF = "another window had the keyboard"
WANDERS = "the keyboard keeps going to other windows, so no verdict holds"
_REST = "-rest"
UNSTEADY = "the screen keeps changing where the action points, so no verdict holds"
AROUND = 40
"""Pixels to each side of a point that are compared."""
_LEVELS = 24
"""A pixel has changed when a channel differs by more than this."""
_SHARE = 0.01
"""The share of the surroundings that must have changed to count: a caret is less, a pop-up is more."""

Exhausted = Literal["skip", "fail", "stop", "ask"]
"""What happens when no revision of a step is let through; `ask` asks a person about the last one, then stops."""
Look = Callable[[], Awaitable[ScreenState]]
"""Observes the target for the guard."""
FindChanges = Callable[[ScreenState, Proposal], Awaitable[tuple[str, ...]]]
"""Names what changed since the verdict and the proposal relies on; empty if the verdict still holds."""
Revise = Callable[[Proposal, Feedback], Awaitable[Proposal]]
"""Asks the agent for another proposal."""
Ask = Callable[[CheckOutcome], Awaitable[bool]]
"""Asks a person whether a proposal may run all the same."""


class Checks(Protocol):
    """Gives the verdicts and keeps the history, as a `Session` does."""

    async def check(self, observation: Observation, proposal: Proposal) -> CheckOutcome:
        """Judge a proposal on the screen on which it would run."""
        ...

    async def executed(self, check: str, *, ran: bool = True, part: Proposal | None = None) -> None:
        """Report whether a checked proposal ran, and what of it if not all."""
        ...


@dataclass(frozen=True)
class CorrectionPolicy:
    """How verdicts are enforced."""

    max_revisions: int = 2
    exhausted: Exhausted = "stop"
    shadow: bool = False
    """Only watch: whatever the verdict, the proposal runs."""


@dataclass
class Correction:
    """The proposals and verdicts of one step. Filled as the loop runs, so that an error loses nothing."""

    screen: ScreenState
    """The screen that the last verdict is based on."""
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    outcomes: list[CheckOutcome] = field(default_factory=list[CheckOutcome])
    """The last one of each attempt."""
    gap: Gap | None = None
    guard_s: float = 0.0
    verify_s: float = 0.0


@dataclass(frozen=True)
class Ruling:
    """How the loop ended."""

    outcome: CheckOutcome
    """Outcome of the last proposal. If the caller runs the proposal, it must report that to the session."""
    runs: bool
    unsteady: bool = False
    """Whether the loop gave up because the screen kept changing."""


async def correct(
    proposal: Proposal,
    correction: Correction,
    checks: Checks,
    policy: CorrectionPolicy,
    *,
    look: Look,
    changes: FindChanges,
    revise: Revise | None,
    ask: Ask | None,
) -> Ruling:
    """Check a proposal and its revisions until one may run or none is left.

    Args:
        proposal: What the agent wants to do.
        correction: Holds the screen that the agent saw; is told all that happens.
        checks: Gives the verdicts.
        policy: What they lead to.
        look: Sees the target again, once it has changed.
        changes: Compares the target with what was seen, just before the act.
        revise: Asks the agent for another proposal; `None`: the caller answers the agent, which may come back.
        ask: Asks a person; `None`: nobody can be asked.
    """
    while True:
        last = revise is None or len(correction.attempts) >= policy.max_revisions
        checked = await _check(proposal, correction, checks, policy, look, changes, ask, last=last)
        ruling = checked.ruling
        outcome = ruling.outcome
        correction.attempts.append(Attempt(proposal=outcome.proposal, verdicts=checked.verdicts, ran=ruling.runs))
        correction.outcomes.append(outcome)
        if ruling.runs:
            return ruling
        # It may have been let through, on a screen that is not a more: it must not count as executed.
        await checks.executed(outcome.id, ran=False)
        if checked.final or revise is None:
            return ruling
        proposal = await revise(outcome.proposal, outcome.feedback)


@dataclass(frozen=True)
class _Checked:
    ruling: Ruling
    verdicts: tuple[Verdict, ...]
    final: bool
    """Whether no revision may be requested."""


async def _check(
    proposal: Proposal,
    correction: Correction,
    checks: Checks,
    policy: CorrectionPolicy,
    look: Look,
    changes: FindChanges,
    ask: Ask | None,
    *,
    last: bool,
) -> _Checked:
    """Judge one proposal, asking a person where required, and re-verify the screen afterwards."""
    loop = asyncio.get_running_loop()
    verdicts: list[Verdict] = []
    all_changed: set[str] = set()
    rechecks = 0
    while True:
        began = loop.time()
        outcome = await checks.check(with_active_window(correction.screen), proposal)
        judged = loop.time()
        correction.guard_s += judged - began
        verdicts.append(outcome.verdict)
        final = last or outcome.verdict.decision is Decision.UNDECIDED
        allowed = outcome.allowed or await _person_agrees(outcome, policy, ask, final=final)
        answered = loop.time()
        changed = await changes(correction.screen, outcome.proposal) if allowed else ()
        correction.verify_s += loop.time() - answered
        all_changed.update(changed)
        correction.gap = Gap(seconds=loop.time() - judged, changed=tuple(sorted(all_changed)), rechecks=rechecks)
        if not changed:
            return _Checked(Ruling(outcome, allowed or policy.shadow), tuple(verdicts), final)
        if rechecks == MAX_RECHECKS:
            verdict = Verdict(decision=Decision.UNDECIDED, reason=UNSTEADY)
            blocked = replace(outcome, verdict=verdict, enforced="block")
            return _Checked(Ruling(blocked, policy.shadow, unsteady=True), (*verdicts, verdict), final=True)
        await checks.executed(outcome.id, ran=False)
        rechecks += 1
        correction.screen = await look()


async def _person_agrees(outcome: CheckOutcome, policy: CorrectionPolicy, ask: Ask | None, *, final: bool) -> bool:
    wanted = outcome.enforced == "ask" or (final and policy.exhausted == "ask")
    return wanted and not policy.shadow and ask is not None and await ask(outcome)


Act = Callable[[Action, str, int], Awaitable[ActionResult]]
"""Does an action, or what is left of it: the action, what to add to its id, the window that must have the keyboard."""


class Execution:
    """A proposal that was let through, while its actions run one by one, with the keyboard tied to the window in front.

    An action ends where another window takes the keyboard. What is left of the proposal is then checked on the screen
    as it is by then, and goes on there or not at all: it is not revised, the agent proposes anew.
    """

    def __init__(
        self,
        allowed: CheckOutcome,
        correction: Correction,
        checks: Checks,
        policy: CorrectionPolicy,
        *,
        look: Look,
        changes: FindChanges,
        ask: Ask | None,
    ) -> None:
        """Take over from the correction that let it through; the other arguments are those of `correct`."""
        self.outcome = allowed
        """Of the last check."""
        self.stopped = False
        """Whether what was left may not run."""
        self._place = 0
        self._proposal = allowed.proposal
        self._rests = 0
        self._focus = ExpectedFocus.on(correction.screen.windows or ())
        self.correction = correction
        self._checks = checks
        self._policy = policy
        self._look = look
        self._changes = changes
        self._ask = ask

    async def do_next(self, act: Act) -> ActionResult:
        """Do the next action of the proposal, as far as it may run."""
        action = whole = self._proposal.actions[self._place]
        before, cut_offs = 0, list[CutOff]()
        while True:
            result = await act(action, f"{_REST}{self._rests}" if self._rests else "", self._focus.window)
            if not result.cut_offs:
                break
            cut = result.cut_offs[0]
            ran, rest = _split(self._proposal, self._place, cut.done, self._rests + 1)
            verdicts = await self._check_rest(ran, rest)
            total, before = before + cut.of, before + cut.done
            cut_offs.append(CutOff(done=before, of=total, verdicts=verdicts, went_on=not self.stopped))
            if self.stopped:
                break
            action = rest.actions[0]
        self._focus = self._focus.after(whole)
        self._place += 1
        if not cut_offs:
            return result
        result = result.model_copy(update={"action": whole, "cut_offs": tuple(cut_offs)})
        return _told(result, self.outcome.feedback)

    async def _check_rest(self, ran: Proposal | None, rest: Proposal) -> tuple[Verdict, ...]:
        checks, correction = self._checks, self.correction
        await checks.executed(self.outcome.id, ran=ran is not None, part=ran)
        correction.screen = await self._look()
        checked = await _check(rest, correction, checks, self._policy, self._look, self._changes, self._ask, last=True)
        self.outcome, verdicts = checked.ruling.outcome, checked.verdicts
        self.stopped = not checked.ruling.runs
        if not self.stopped and self._rests == MAX_RECHECKS:
            verdict = Verdict(decision=Decision.UNDECIDED, reason=WANDERS)
            self.outcome, verdicts = replace(self.outcome, verdict=verdict, enforced="block"), (*verdicts, verdict)
            self.stopped = True
        if self.stopped:
            await checks.executed(self.outcome.id, ran=False)
        self._proposal, self._place, self._rests = rest, 0, self._rests + 1
        self._focus = ExpectedFocus.on(correction.screen.windows or ())
        return verdicts


def _split(proposal: Proposal, place: int, done: int, number: int) -> tuple[Proposal | None, Proposal]:
    """What of a proposal ran, if anything did, and what is left, when the action at a place was cut off."""
    cut = proposal.actions[place]
    first = left = cut
    if isinstance(cut, Type):
        text = cut.text if cut.paste else typed_text(cut.text)
        first, left = (cut.model_copy(update={"text": part, "raw": ""}) for part in (text[:done], text[done:]))
    elif isinstance(cut, Key):
        parts = (done, cut.presses - done)
        first, left = (cut.model_copy(update={"presses": count, "raw": ""}) for count in parts)
    ran = (*proposal.actions[:place], *((first,) if done else ()))
    rest = (left, *proposal.actions[place + 1 :])
    id = f"{proposal.id.removesuffix(f'{_REST}{number - 1}')}{_REST}{number}"
    return (
        proposal.model_copy(update={"actions": ran, "raw": None}) if ran else None,
        proposal.model_copy(update={"id": id, "actions": rest, "raw": None, "usage": None}),
    )


def _told(result: ActionResult, feedback: Feedback) -> ActionResult:
    """The result of an action that was cut off, in words for the agent."""
    cut = result.cut_offs[-1]
    what = f"{CUT_OFF} after {cut.done} of {cut.of} {'characters' if isinstance(result.action, Type) else 'presses'}"
    if cut.went_on:
        return result.model_copy(update={"output": f"{what}; checked again, it went on"})
    return result.model_copy(update={"error": f"{what}. {feedback_text(feedback)}"})


async def changes_since(look: Look, seen: ScreenState, proposal: Proposal) -> tuple[str, ...]:
    """Look again and name what a proposal relies on and has changed: `pixels`, `focus`, `windows`."""
    if seen.windows is None and (not _points(proposal) or seen.observation.png() is None):
        return ()
    now = await look()
    pixels = ("pixels",) if pixels_changed(seen.observation, now.observation, proposal) else ()
    return (*pixels, *windows_changed(seen.windows, now.windows))


async def target_changes(desktop: Desktop, seen: ScreenState, proposal: Proposal) -> tuple[str, ...]:
    """Name what a proposal relies on and has changed on a desktop: `pixels`, `focus`, `windows`."""
    pixels = False
    if _points(proposal) and seen.observation.png() is not None:
        pixels = pixels_changed(seen.observation, await desktop.observe(ObservationSpec(screenshot=True)), proposal)
    # The windows are listed last, so that one that opened meanwhile counts as a change.
    return (*(("pixels",) if pixels else ()), *windows_changed(seen.windows, await list_windows(desktop)))


def pixels_changed(before: Observation, now: Observation, proposal: Proposal) -> bool:
    """Whether the surroundings of a point that the proposal touches have changed, or can no longer be seen."""
    points, old, new = _points(proposal), before.png(), now.png()
    if not points or old is None:
        return False
    # The encoder gives equal bytes for equal pixels, so decoding is needed only when something has changed.
    return new is None or (old != new and _differ(old, new, points))


def windows_changed(before: tuple[Window, ...] | None, now: tuple[Window, ...] | None) -> tuple[str, ...]:
    """Name what has changed: `focus`, `windows`; nothing where the windows are not known."""
    if before is None or now is None:
        return ()
    focus = ("focus",) if _active(before) != _active(now) else ()
    return (*focus, "windows") if window_layout(before) != window_layout(now) else focus


def _points(proposal: Proposal) -> tuple[Point, ...]:
    return tuple({touch.at for touch in proposal_facts(proposal.actions).touches})


def _active(windows: Iterable[Window]) -> int | None:
    return next((window.id for window in windows if window.active), None)


def _differ(before: bytes, now: bytes, points: Iterable[Point]) -> bool:
    old, new = _pixels(before), _pixels(now)
    if old.shape != new.shape:
        return True
    return any(_changed(_near(old, at), _near(new, at)) for at in points)


def _near(pixels: NDArray[np.uint8], at: Point) -> NDArray[np.uint8]:
    top, left = max(0, at.y - AROUND), max(0, at.x - AROUND)
    return pixels[top : max(0, at.y + AROUND), left : max(0, at.x + AROUND)]


def _changed(old: NDArray[np.uint8], new: NDArray[np.uint8]) -> bool:
    import numpy as np

    if not old.size:
        return False
    apart = np.abs(old.astype(np.int16) - new.astype(np.int16)).max(axis=2) > _LEVELS
    return float(apart.mean()) > _SHARE


def _pixels(png: bytes) -> NDArray[np.uint8]:
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        return np.asarray(image.convert("RGB"))
