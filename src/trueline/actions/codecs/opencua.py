"""OpenCUA and Kimi: sections `## Thought`, `## Action`, `## Code`; the last code block is the action.

The coordinates in the code are the model's own, so a program that is not a straight line cannot be mapped to the
screen: it is an error, not `Code`, unless it names nothing that points anywhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Literal

from trueline.actions.codecs.blocks import split_blocks
from trueline.actions.codecs.pyautogui.calls import KnownDesktop, perform
from trueline.actions.codecs.pyautogui.program import SPECIAL_CODES, read_program
from trueline.actions.codecs.pyautogui.render import render
from trueline.actions.codecs.pyautogui.signatures import POINTER_FUNCTIONS, Args, bind, match_arguments
from trueline.actions.codecs.pyautogui.values import Ref, UnprovableError, Value, unprovable
from trueline.actions.coordinates import Scale, Size, relative, same, smart_resize
from trueline.actions.decoded import Decoded, DecodeError, express_only, well_formed
from trueline.actions.types import Action, Code, Done, Fail, Point, Wait

CODEC = "OpenCUA"
Coordinates = Literal["relative", "qwen25", "absolute", "kimi"]
"""Fractions; pixels of the resized picture (fractions where both are at most 1); pixels; fractions or pixels (Kimi)."""

WAIT_SECONDS = 20.0
_SECTION = re.compile(
    r"^[ \t]*(?:#+[ \t]*)?(Observation|Thought|Action|Code)[ \t]*(?::|$)", re.MULTILINE | re.IGNORECASE
)
_POINTS = re.compile(rf"\b(?:computer|triple_click|{'|'.join(sorted(POINTER_FUNCTIONS))})\b")
_NAMES: dict[str, Value] = {"computer": Ref("computer"), "triple_click": Ref("computer.triple_click")}


def decode(answer: str, screen: Size, coordinates: Coordinates, *, reasoning: str = "") -> Decoded:
    """Read one answer.

    Args:
        answer: The text.
        screen: Size of the real screen.
        coordinates: What the numbers mean.
        reasoning: What a thinking model said apart from its answer.

    Raises:
        DecodeError: There is no code block, or its coordinates cannot be mapped to the screen.
    """
    answer = well_formed(answer)
    blocks, _ = split_blocks(answer, keep=SPECIAL_CODES)
    if not blocks:
        raise DecodeError(CODEC, "no code block", answer)
    code = blocks[-1].body.strip()
    sections = _sections(answer)
    thought = "\n".join(filter(None, (reasoning.strip(), sections.get("observation"), sections.get("thought"))))
    note = ""
    try:
        actions = _read(code, screen, coordinates)
    except UnprovableError as reason:
        if _POINTS.search(code):
            raise DecodeError(CODEC, f"its coordinates cannot be mapped to the screen: {reason}", answer) from None
        actions, note = (Code(source=code, raw=code),), str(reason)
    return Decoded(actions, thought=thought, text=sections.get("action", ""), note=note)


def encode(actions: Sequence[Action], screen: Size, coordinates: Coordinates) -> str:
    """Write actions as the code of one answer. An end or a wait of 20 s stands alone.

    Raises:
        EncodeError: The vocabulary cannot say it.
    """
    fractions, scale = relative(screen), _scale(screen, "relative" if coordinates == "kimi" else coordinates)

    def write(at: Point) -> str:
        x, y = scale.from_screen(at)
        if coordinates == "qwen25" and x <= 1 and y <= 1:  # these would be read as fractions
            x, y = fractions.from_screen(at)
        return f"x={x}, y={y}"

    match list(actions):
        case [Done(answer=said) | Fail(reason=said) as end]:
            express_only(CODEC, end, "answer", "reason")
            status = "success" if isinstance(end, Done) else "failure"
            return f"computer.terminate(status={status!r}{f', answer={said!r}' if said is not None else ''})"
        case [Wait(seconds=20.0)]:
            return "computer.wait()"
        case several:
            return render(several, write)


def _read(code: str, screen: Size, coordinates: Coordinates) -> tuple[Action, ...]:
    if code in SPECIAL_CODES:
        return (SPECIAL_CODES[code](code),)
    if code == "computer.wait":
        return (Wait(seconds=WAIT_SECONDS, raw=code),)
    place = _place(screen, coordinates)
    return read_program(code, screen=screen, place=place, names=_NAMES, extension=_computer)


def _computer(
    machine: KnownDesktop, function: str, node: ast.AST, args: tuple[Value, ...], keywords: dict[str, Value]
) -> bool:
    """Perform a function of the `computer` module."""
    match function:
        case "computer.wait":
            given = match_arguments(node, function, ("duration",), args, keywords)
            machine.do(Wait(seconds=Args(node, given).seconds("duration") if given else WAIT_SECONDS))
        case "computer.triple_click" | "computer.tripleClick":
            perform(machine, "tripleClick", bind(node, "tripleClick", args, keywords))
        case "computer.terminate":
            given = match_arguments(node, function, ("status", "answer"), args, keywords)
            machine.do(_end(node, given.get("status"), given.get("answer")))
        case _:
            return False
    return True


def _end(node: ast.AST, status: Value, answer: Value) -> Done | Fail:
    if not isinstance(answer, str | None) or status not in ("success", "failure"):
        unprovable(node, "computer.terminate() takes the status success or failure, and an answer")
    return Done(answer=answer) if status == "success" else Fail(reason=answer)


def _place(screen: Size, coordinates: Coordinates) -> Callable[[float, float], Point]:
    fractions = relative(screen)
    if coordinates == "relative":
        return fractions.to_screen
    pixels = _scale(screen, "absolute" if coordinates == "kimi" else coordinates)
    if coordinates == "absolute":
        return pixels.to_screen
    return lambda x, y: (fractions if x <= 1 and y <= 1 else pixels).to_screen(x, y)


def _scale(screen: Size, coordinates: Coordinates) -> Scale:
    match coordinates:
        case "relative":
            return relative(screen)
        case "qwen25":
            return Scale(screen, smart_resize(screen, factor=28, min_pixels=3136, max_pixels=12_845_056))
        case _:
            return same(screen)


def _sections(answer: str) -> dict[str, str]:
    """Return the text of each section; of several with one name, the last."""
    marks = list(_SECTION.finditer(answer))
    starts = [*(mark.start() for mark in marks), len(answer)]
    return {
        mark[1].lower(): answer[mark.end() : end].partition("```")[0].strip()
        for mark, end in zip(marks, starts[1:], strict=True)
    }
