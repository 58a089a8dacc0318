"""The message that both model stages get: objective, history, flags, evidence, screen, proposal.

All foreign text in it is fenced; the words around it come from the prompt files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trueline.actions import Code, Point, Size
from trueline.actions.pointer import pointer_after
from trueline.errors import InputError
from trueline.guard.annotation import ActionMark, Annotation, annotate
from trueline.guard.config import GuardConfig
from trueline.guard.policy.prior_rejections import misaligned_rejections, relevant_rejections
from trueline.guard.proposal_text import action_text, shorten
from trueline.guard.types import GuardContext, PastStep, Rejection
from trueline.models import Image, Message, Text, image_from_bytes, user
from trueline.models.prompt_fence import Fence, keyed_fence
from trueline.models.prompt_files import Phrases
from trueline.records.observation import Observation
from trueline.records.verdict import Evidence

LONGEST_PROPOSAL = 100_000
"""Characters. What is judged is never cut: harm could stand in the part left out."""
MOST_STEPS = 200
MOST_FLAGS = 10
QUESTION = "question.v2"
"""The prompt file that holds our words in a message."""
_LONGEST_ACTION = 2_000
_LONGEST_NARRATIVE = 1_000
_LONGEST_EVIDENCE = 8_000
_LONGEST_THOUGHT = 8_000


phrase = Phrases("trueline.guard", QUESTION)


class Foreign(NamedTuple):
    """Text that somebody else wrote."""

    name: str
    text: str


Piece = str | Foreign | Image
"""Our own words, foreign text, or a picture."""


def ask_about(context: GuardContext, evidence: Sequence[Evidence], config: GuardConfig) -> Message:
    """Assemble the question to the models.

    Raises:
        InputError: There is no screenshot, it cannot be used, or the proposal is too long to be judged.
    """
    png = screenshot_of(context.observation)
    if png is None:
        raise InputError("there is no screenshot, and without one the models cannot judge; record screenshots")
    before = [*_objective(context), *_history(context, config), *_flags(context), *_evidence(evidence)]
    after = list(_proposal(context, config))
    screen = image_from_bytes(png, "the screenshot")
    texts = [piece.text for piece in (*before, *after) if isinstance(piece, Foreign)]
    pictures = [piece.digest for piece in before if isinstance(piece, Image)]
    fence = keyed_fence(config.key, texts, [*pictures, screen.digest])
    return assemble(fence, (*before, *_screen(context, screen, fence, config), *after))


def assemble(fence: Fence, pieces: Sequence[Piece]) -> Message:
    """Return a message that begins with its seal."""
    parts: list[Text | Image] = []
    words = [phrase("opening", seal=fence.mark)]
    for piece in pieces:
        if isinstance(piece, Image):
            parts += [Text(text="\n\n".join(words))] if words else []
            parts.append(piece)
            words = []
        else:
            words.append(fence.put(piece.name, piece.text) if isinstance(piece, Foreign) else piece)
    parts += [Text(text="\n\n".join(words))] if words else []
    return user(*parts)


def screenshot_of(observation: Observation) -> bytes | None:
    """Return the screenshot, None if there is none.

    Raises:
        InputError: Its file cannot be read.
    """
    try:
        return observation.png() or None
    except OSError as e:
        raise InputError(f"the screenshot cannot be read ({e.strerror or type(e).__name__})") from None


def _objective(context: GuardContext) -> Iterator[Piece]:
    yield phrase("objective")
    yield Foreign("objective", context.instruction)


def _history(context: GuardContext, config: GuardConfig) -> Iterator[Piece]:
    steps = context.history[-MOST_STEPS:]
    yield phrase("history") if steps else phrase("nothing before")
    if left_out := len(context.history) - len(steps):
        yield phrase("older steps", count=left_out)
    first_shown = len(steps) - config.history_screenshots
    for place, step in enumerate(steps):
        if place >= first_shown and (screen := _earlier_screen(step)):
            yield phrase("screen before", number=step.number)
            yield screen
        yield phrase("step", number=step.number)
        yield Foreign("action", shorten(action_text(step.proposal.actions), _LONGEST_ACTION))
        if config.narratives and step.narrative:
            yield phrase("narrative", number=step.number)
            yield Foreign("narrative", shorten(step.narrative, _LONGEST_NARRATIVE))


def _earlier_screen(step: PastStep) -> Image | None:
    """An earlier screen is optional: one that cannot be read is left out."""
    try:
        png = screenshot_of(step.observation) if step.observation else None
        return image_from_bytes(png) if png else None
    except InputError:
        return None


def _flags(context: GuardContext) -> Iterator[Piece]:
    bearing = relevant_rejections(context)
    others = [flag for flag in misaligned_rejections(context) if flag not in bearing]
    # Those that bear on the proposal come last, so that they are the last to be left out.
    for flag in (*others, *bearing)[-MOST_FLAGS:]:
        yield phrase("flag on this" if flag in bearing else "flag", number=flag.step)
        yield Foreign("rejected", _rejected(flag))


def _rejected(flag: Rejection) -> str:
    lines = [shorten(action_text(flag.proposal.actions), _LONGEST_ACTION)]
    if flag.verdict.category:
        lines.append(f"category: {flag.verdict.category.value}")
    if flag.verdict.reason:
        lines.append(f"reason: {shorten(flag.verdict.reason, _LONGEST_ACTION)}")
    return "\n".join(lines)


def _evidence(evidence: Sequence[Evidence]) -> Iterator[Piece]:
    if evidence:
        yield phrase("evidence")
        lines = "\n".join(f"{item.source}: {item.text}" for item in evidence)
        yield Foreign("evidence", shorten(lines, _LONGEST_EVIDENCE))


def _proposal(context: GuardContext, config: GuardConfig) -> Iterator[Piece]:
    text = action_text(context.proposal.actions)
    if len(text) > LONGEST_PROPOSAL:
        raise InputError(f"the proposal has {len(text)} characters; more than {LONGEST_PROPOSAL} are not judged")
    yield phrase("proposal", number=context.step)
    yield Foreign("proposal", text)
    if config.thoughts and context.proposal.thought:
        yield phrase("thought")
        yield Foreign("thought", shorten(context.proposal.thought, _LONGEST_THOUGHT))


def _screen(context: GuardContext, screen: Image, fence: Fence, config: GuardConfig) -> Iterator[Piece]:
    drawn = _annotated(context, screen, fence) if config.annotate else None
    yield phrase("screen now", number=context.step)
    if drawn is None:
        yield Image(data=screen.data, media_type=screen.media_type, detail="high")
        yield phrase("no marks")
    else:
        yield Image(data=drawn.png, detail="high")
        listed = "\n".join(_listed(mark, drawn) for mark in drawn.marks)
        yield phrase("marks", shape=drawn.style.shape, code=drawn.style.code, list=listed)
        if drawn.left_out:
            yield phrase("more marks", count=drawn.left_out)
    if any(isinstance(action, Code) for action in context.proposal.actions):
        yield phrase("program")


def _listed(mark: ActionMark, drawn: Annotation) -> str:
    missing = "" if mark.number in drawn.labelled else " (no room for its label)"
    return f"{mark.number}. {drawn.style.colour(mark.gesture).name}: {mark.label}{missing}"


def _annotated(context: GuardContext, screen: Image, fence: Fence) -> Annotation | None:
    size = context.observation.screen
    return annotate(
        screen.data,
        context.proposal.actions,
        seed=fence.mark,
        pointer=pointer_before(context),
        screen=None if size is None else Size(*size),
    )


def pointer_before(context: GuardContext) -> Point | None:
    """Where the executed steps left the pointer, if that is known."""
    pointer: Point | None = None
    for step in context.history:
        for action in step.proposal.actions:
            pointer = pointer_after(action, pointer)
    return pointer
