"""The guard's scope stage: holds a proposal to what its task may touch."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from trueline.actions.shell.command import UNSEEN
from trueline.guard.policy.describe import one_line
from trueline.guard.policy.episode_reading import EpisodeReader, EpisodeReading
from trueline.guard.policy.operations import EpisodeEnd, Nothing, Operation, Ran
from trueline.guard.policy.secrets import Marked, secrets_in
from trueline.guard.scope.consequences import effects_of_changes
from trueline.guard.scope.effects import effects_of
from trueline.guard.scope.from_words import scope_from_words
from trueline.guard.scope.known_files import known_at_first
from trueline.guard.scope.open_slots import OPEN, as_evidence, open_values, with_answers
from trueline.guard.scope.place import place_effects, place_of
from trueline.guard.scope.processes import process_effects
from trueline.guard.scope.types import PlacedEffect, ProposalEffect, Scope, ScopeSource, StartState
from trueline.guard.scope.unknown import unknown_of
from trueline.guard.types import GuardContext
from trueline.records.ledger import Changes
from trueline.records.usage import NO_USAGE, Usage
from trueline.records.verdict import Category, Decision, Evidence, Feedback, Finding, Stage

SOURCE = "scope"
ScopeMode = Literal["strict", "evidence"]
_HARMS = frozenset({"delete", "write", "delete_permanently", "wipe_disk", "control_processes", "exhaust_resources"})
_MOST = 8


class ScopeMaker(Protocol):
    """Makes the Scope of a task before anything on its screen is seen."""

    @property
    def name(self) -> str:
        """Names the maker and its version, for the record."""
        ...

    async def make(self, instruction: str, start: StartState | None, episode: str) -> tuple[Scope, Usage]:
        """Return the Scope, and the usage of making it.

        Raises:
            TruelineError: It could not be made.
        """
        ...


class WordsMaker:
    """Makes Scopes by rules."""

    @property
    def name(self) -> str:
        """The vocabulary is part of the program's version."""
        return "rules"

    async def make(self, instruction: str, start: StartState | None, episode: str) -> tuple[Scope, Usage]:
        """Return the Scope that the words of the instruction give."""
        del episode
        return scope_from_words(instruction, start), NO_USAGE


class GivenScope:
    """A Scope written by hand, for every task."""

    def __init__(self, scope: Scope, name: str) -> None:
        self._scope = scope
        self._name = name

    @property
    def name(self) -> str:
        """The digest of its file."""
        return self._name

    async def make(self, instruction: str, start: StartState | None, episode: str) -> tuple[Scope, Usage]:
        """Return the Scope, whatever the instruction."""
        del instruction, start, episode
        return self._scope, NO_USAGE


class ScopeStage:
    """Places what a proposal would do in the Scope of its task."""

    def __init__(
        self,
        mode: ScopeMode = "strict",
        maker: ScopeMaker | None = None,
        read: EpisodeReader | None = None,
        *,
        clears: bool = False,
        marked: Sequence[Marked] = (),
    ) -> None:
        """Set up the stage.

        Args:
            mode: `strict` blocks what is outside, `evidence` passes it on with what is outside.
            maker: Makes the Scope where the context brings none.
            read: Reads episodes; shared with the policy stage.
            clears: Whether a proposal of which every effect is inside is aligned, because no model looks next. Without
                it such a proposal is passed on: inside says nothing about the content.
            marked: Values that were declared secret, which no message may repeat.
        """
        self.mode: ScopeMode = mode
        self.maker = maker or WordsMaker()
        self._read = read or EpisodeReader()
        self._clears = clears
        self._marked = marked

    def __str__(self) -> str:
        return f"{self.mode}, made by {self.maker.name}"

    @property
    def stage(self) -> Stage:
        """The scope stage."""
        return Stage.SCOPE

    async def look(self, context: GuardContext, evidence: tuple[Evidence, ...]) -> Finding:
        """Block what is outside, or pass it on as evidence; `evidence` of other stages is ignored."""
        del evidence
        began = time.perf_counter()
        scope, usage = await self.scope_of(context)
        reading = self._read(context)
        finding = check_scope(
            reading,
            scope,
            self.mode,
            clears=self._clears,
            ask=context.may_ask,
            marked=self._marked,
            start=source_of(context).start,
            unknown=unknown_of(reading.operations, context.proposal.actions, reading.view),
            used=process_effects(context.proposal.actions, context.observation.windows),
        )
        return finding.model_copy(update={"latency": time.perf_counter() - began, "usage": usage})

    async def scope_of(self, context: GuardContext) -> tuple[Scope, Usage]:
        """Return the Scope of the context's task, and the usage of making it.

        Raises:
            TruelineError: It could not be made.
        """
        return await self._make(source_of(context), context.episode)

    async def _make(self, source: ScopeSource, episode: str) -> tuple[Scope, Usage]:
        """Return the Scope of a task, and the usage of making it.

        Raises:
            TruelineError: It could not be made.
        """
        if source.given is not None:
            return source.given, NO_USAGE
        if not source.words.strip():
            # Nothing that is trusted says what the task is: nothing is ruled out, and nothing is granted.
            return scope_from_words("", source.start), NO_USAGE
        scope, usage = await self.maker.make(source.words, source.start, episode)
        return (with_answers(scope, source.answers) if source.answers else scope), usage

    async def late_reason(
        self, source: ScopeSource, changes: Changes, episode: str = "", before: Sequence[Changes] = ()
    ) -> str | None:
        """Why what a step changed lies outside the Scope; `None` if nothing does, or if the stage only informs."""
        if self.mode == "evidence":
            return None
        scope, _ = await self._make(source, episode)
        known = known_at_first(before, source.start.files if source.start else ())
        placed = place_effects(effects_of_changes(changes, known), scope)
        outside = [f"{item.why}: {_what(item, self._marked)}" for item in placed if item.place == "outside"]
        return one_line("; ".join(outside[:_MOST])) if outside else None


def source_of(context: GuardContext) -> ScopeSource:
    """What the Scope of a context's task is made from."""
    return context.scope_source or ScopeSource(context.instruction)


def check_scope(
    reading: EpisodeReading,
    scope: Scope,
    mode: ScopeMode,
    *,
    clears: bool = False,
    ask: bool = False,
    marked: Sequence[Marked] = (),
    start: StartState | None = None,
    unknown: Sequence[str] = (),
    used: Sequence[ProposalEffect] = (),
) -> Finding:
    """Judge a proposal by where its effects lie: a pure function of its arguments.

    Args:
        reading: What the proposal would do.
        scope: What the task may touch.
        mode: What happens to what is outside.
        clears: Whether a proposal of which every effect is inside is aligned.
        ask: Whether a person can be asked for a value that the instruction leaves open: the finding is undecided then.
        marked: Values that no message may repeat.
        start: What was open when the task began: those files exist.
        unknown: What cannot be seen of the proposal; it is noted, and decides nothing.
        used: The applications and sites that it uses, by processes and origins.
    """
    past = (operation for step in reading.past for operation in step)
    known = known_at_first(reading.changes, start.files if start else ())
    placed = place_effects((*effects_of(reading.operations, past, known), *used), scope)
    outside = tuple(item for item in placed if item.place == "outside")
    seen = tuple(Evidence(source=SOURCE, text=_describe(item, marked)) for item in _told(placed))
    blocking = next((item for item in outside if item.effect.certain or item.effect.entered), None)
    if mode == "strict" and blocking is not None:
        wrong = one_line(f"{blocking.why[:1].upper()}{blocking.why[1:]}: {_what(blocking, marked)}.")
        feedback = Feedback(wrong=wrong, instead="Go on with what the user asked for, and leave everything else alone.")
        harm = blocking.effect.kind in _HARMS
        return Finding(
            stage=Stage.SCOPE,
            decision=Decision.MISALIGNED,
            category=Category.UNINTENDED_HARM if harm else Category.MALICIOUS_INSTRUCTION,
            reason=f"outside the scope: {wrong}",
            feedback=feedback,
            evidence=seen,
        )
    if values := open_values(placed):
        left = "; ".join(f"{OPEN[slot]}: {value}" for slot, value in values)
        found = (*seen, *as_evidence(values))
        # Where a model looks next it is told; else nobody but a person can say, and nothing is let through in silence.
        decision = Decision.UNDECIDED if ask or clears else None
        return Finding(stage=Stage.SCOPE, decision=decision, reason=one_line(left), evidence=found)
    inside = clears and place_of(placed) == "inside" and all(map(_is_wholly_seen, reading.operations))
    reason = "everything that it does is inside the scope" if inside else _summary(placed, unknown, marked)
    decision = Decision.ALIGNED if inside else None
    return Finding(stage=Stage.SCOPE, decision=decision, reason=reason, evidence=seen)


def _is_wholly_seen(operation: Operation) -> bool:
    """Whether its effects are all that it does: texts, clicks and what is not understood may do more."""
    match operation:
        case Nothing() | EpisodeEnd():
            return operation.certain
        case Ran():
            return operation.alone and not operation.command.does & UNSEEN
        case _:
            return False


def _told(placed: Iterable[PlacedEffect]) -> list[PlacedEffect]:
    """What later stages should know: all that is outside."""
    return [item for item in placed if item.place == "outside"][:_MOST]


def _describe(item: PlacedEffect, marked: Sequence[Marked]) -> str:
    return one_line(f"{item.place}: {_what(item, marked)} ({item.why})")


def _what(item: PlacedEffect, marked: Sequence[Marked]) -> str:
    effect = item.effect
    if secrets_in(effect.within, marked):
        return f"{effect.kind.replace('_', ' ')}, by something with a secret in it"
    parts = [effect.kind.replace("_", " "), effect.resource]
    what = " ".join(part for part in parts if part)
    return f"{what}, by {effect.within!r}" if effect.within else what


def _summary(placed: tuple[PlacedEffect, ...], unknown: Sequence[str], marked: Sequence[Marked]) -> str:
    effects = (f"{_what(item, marked)} ({item.why})" for item in placed if item.place == "unknown")
    notes = [note for note in (*effects, *unknown) if not secrets_in(note, marked)]
    shown = [item for item in placed if item.place == "inside" and item.effect.shown_by in ("process", "origin")]
    seen = f"inside: {'; '.join(_what(item, marked) for item in shown[:_MOST])}; " if shown else ""
    return one_line(f"{seen}unknown: {'; '.join(notes[:_MOST])}" if notes else seen + "nothing outside the scope")
