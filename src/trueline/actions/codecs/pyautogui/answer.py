"""The answers of OSWorld's prompt agent: code blocks and the words WAIT, DONE, FAIL among prose.

Code is never cut at `;`: OSWorld does that, and a semicolon in a comment or a string breaks the program.
"""

from __future__ import annotations

from trueline.actions.codecs.blocks import split_blocks
from trueline.actions.codecs.pyautogui.program import SPECIAL_CODES, decode
from trueline.actions.coordinates import Size
from trueline.actions.decoded import Decoded, well_formed
from trueline.actions.types import Action


def parse_answer(answer: str) -> tuple[str, ...]:
    """Return the action strings of an answer.

    Every code block is one; a block whose last line is a special code is two; special codes alone on a line outside the
    blocks come last. An answer that is nothing but a special code is that code. A block that is never closed is none.
    """
    if answer.strip() in SPECIAL_CODES:
        return (answer.strip(),)
    blocks, outside = split_blocks(answer, keep=SPECIAL_CODES)
    strings = [string for block in blocks for string in _split_special(block.body)]
    strings += [line.strip() for line in outside.splitlines() if line.strip() in SPECIAL_CODES]
    return tuple(strings)


def decode_answer(answer: str, *, screen: Size | None = None) -> Decoded:
    """Read a whole answer; the prose is the thought. Without a code block and special code there are no actions."""
    answer = well_formed(answer)
    parts = [decode(string, screen=screen) for string in parse_answer(answer)]
    actions: list[Action] = [action for part in parts for action in part.actions]
    prose = "" if answer.strip() in SPECIAL_CODES else split_blocks(answer, keep=SPECIAL_CODES)[1]
    thought = "\n".join(line for line in prose.splitlines() if line.strip() not in SPECIAL_CODES)
    return Decoded(tuple(actions), thought=thought.strip(), note="; ".join(part.note for part in parts if part.note))


def _split_special(body: str) -> list[str]:
    code, _, last = body.strip("\r\n").rpartition("\n")
    if last.strip() not in SPECIAL_CODES:
        return [body.strip()] if body.strip() else []
    return [*([code.strip()] if code.strip() else []), last.strip()]
