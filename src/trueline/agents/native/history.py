"""The results of an answer's calls, and which part of the conversation is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trueline.actions import CursorPosition, DecodedCall, Point, SafetyCheck, Zoom, bare
from trueline.actions.coordinates import Scale
from trueline.agents.conversation import LONGEST_WORDS, phrase
from trueline.agents.native.screenshots import zoomed
from trueline.models import Image, Message, Text, ToolResult
from trueline.models.types import Part
from trueline.records.step import ActionResult

History = tuple[Message, ...]

_NUMBERS = re.compile(r"-?\d+")


@dataclass(frozen=True)
class CallResult:
    """The result of one call."""

    id: str
    words: str = ""
    failed: bool = False
    picture: Image | None = None
    """The part of the screen that the call asked for; `None` for the whole screen."""
    checks: tuple[SafetyCheck, ...] = ()
    """Safety checks that came with the call."""
    ran: bool = True
    """Whether the proposal with this call was executed."""


@dataclass(frozen=True)
class ShownScreen:
    """A screenshot as the model sees it."""

    picture: Image
    new: bool = True
    """Whether the model has not seen it yet."""


async def call_results(
    calls: Sequence[DecodedCall], last: Sequence[ActionResult], png: bytes, scale: Scale
) -> list[CallResult]:
    """Return the result of each call from the results of its actions, in order.

    If the results belong to other actions, the calls were not executed.
    """
    actions = [action for call in calls for action in call.actions]
    same = all(bare(result.action) == bare(action) for result, action in zip(last, actions, strict=False))
    ran = same and any(result.id is not None for result in last)
    left = list(last) if same else []
    found: list[CallResult] = []
    for call in calls:
        mine, left = left[: len(call.actions)], left[len(call.actions) :]
        error = next((result.error for result in mine if result.error), None)
        if error is not None or not mine or len(mine) < len(call.actions) or not ran:
            found.append(stopped(call, error or phrase("not executed"), ran=ran))
            continue
        zooms = [result.action for result in mine if isinstance(result.action, Zoom)]
        shown = await zoomed(png, zooms[-1]) if zooms else None
        words = "\n".join(word for result in mine if (word := _words(result, scale)))
        found.append(CallResult(call.id, words[:LONGEST_WORDS], picture=shown, checks=call.safety_checks))
    return found


def stopped(call: DecodedCall, words: str, *, ran: bool = False) -> CallResult:
    """Return the result of a call that failed or was not executed."""
    return CallResult(call.id, words[:LONGEST_WORDS], failed=True, checks=call.safety_checks, ran=ran)


def _words(result: ActionResult, scale: Scale) -> str:
    output = result.output or ""
    if not isinstance(result.action, CursorPosition):
        return output
    numbers = [int(number) for number in _NUMBERS.findall(output)[:2]]
    try:
        x, y = scale.from_screen(Point(*numbers))
    except (TypeError, ValueError):
        return output
    return phrase("cursor", x=f"{x:g}", y=f"{y:g}")


def blur_old(history: History, keep: int) -> History:
    """Return the history with all but the last `keep` images replaced by text."""
    old = iter(range(_pictures(history) - keep))

    def blurred(part: Part) -> Part:
        if isinstance(part, Image):
            return part if next(old, None) is None else Text(text=phrase("picture left out"))
        if isinstance(part, ToolResult):
            return part.model_copy(update={"parts": tuple(blurred(piece) for piece in part.parts)})
        return part

    return tuple(turn.model_copy(update={"parts": tuple(blurred(part) for part in turn.parts)}) for turn in history)


def drop_old(history: History, keep: int) -> History:
    """Return the history without the oldest turns, so that few pictures remain; the task stays, and calls keep results.

    A turn begins with what the model said.
    """
    starts = [index for index, message in enumerate(history) if message.role == "assistant"]
    for start in (0, *starts):
        kept = history[start:]
        if _pictures(kept) <= keep:
            return kept if start == 0 else (_without_pictures(history[0]), *kept)
    return history if not starts else (_without_pictures(history[0]), *history[starts[-1] :])


def _pictures(history: History) -> int:
    parts = [part for message in history for part in message.parts]
    inner = [piece for part in parts if isinstance(part, ToolResult) for piece in part.parts]
    return sum(isinstance(part, Image) for part in (*parts, *inner))


def _without_pictures(message: Message) -> Message:
    parts = tuple(part for part in message.parts if not isinstance(part, Image))
    return message.model_copy(update={"parts": parts})
