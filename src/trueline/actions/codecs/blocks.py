"""Code blocks between triple backticks in a model's answer."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

_FENCE = "```"
_LANGUAGE = re.compile(r"[ \t]*([\w+#.-]+)(?=\s)")
_REST_OF_LINE = re.compile(r"[ \t\r]*\n")


class CodeBlock(NamedTuple):
    """One code block."""

    language: str
    body: str


def split_blocks(answer: str, keep: Container[str] = ()) -> tuple[list[CodeBlock], str]:
    """Return the code blocks of an answer, and the text outside of them.

    In a block of several lines, backticks behind an open quote belong to the code and do not end it. What follows a
    fence that is never closed is not a block, because it may be half of one.

    Args:
        answer: The text.
        keep: Words that are never taken for the name of a language.
    """
    blocks: list[CodeBlock] = []
    outside: list[str] = []
    position = 0
    while (start := answer.find(_FENCE, position)) >= 0:
        outside.append(answer[position:start])
        inside = start + len(_FENCE)
        word = _LANGUAGE.match(answer, inside)
        language = word[1] if word and word[1] not in keep else ""
        inside += len(word[0]) if word and language else 0
        end = _closing(answer, inside)
        if end < 0:
            position = len(answer)
            break
        blocks.append(CodeBlock(language, answer[inside:end]))
        position = end + len(_FENCE)
    outside.append(answer[position:])
    return blocks, "\n".join(outside)


def _closing(answer: str, inside: int) -> int:
    """Return where the fence that ends a block begins, -1 when there is none."""
    end = answer.find(_FENCE, inside)
    if not _REST_OF_LINE.match(answer, inside):
        return end
    single = double = 0
    position = inside
    while end >= 0:
        _, newline, piece = answer[position:end].rpartition("\n")
        if newline:  # quotes are counted line by line
            single = double = 0
        single += piece.count("'")
        double += piece.count('"')
        if single % 2 == 0 and double % 2 == 0:
            return end
        position = end + len(_FENCE)
        end = answer.find(_FENCE, position)
    return -1
