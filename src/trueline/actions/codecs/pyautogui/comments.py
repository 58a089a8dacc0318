"""Strips the comments of a program and changes nothing else."""

from __future__ import annotations

import io
import tokenize

from trueline.actions.codecs.pyautogui.program import MAX_SOURCE


def strip_comments(source: str) -> str:
    """Return the source without its comments, and without the lines that held nothing else.

    Spaces, strings and line ends stay as they are. A source that Python cannot cut into tokens, or a very long one,
    comes back unchanged.
    """
    if "#" not in source or len(source) > MAX_SOURCE:
        return source
    lines = io.StringIO(source, newline="").readlines()
    reader = iter(lines)
    try:
        tokens = list(tokenize.generate_tokens(lambda: next(reader, "")))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    if any(token.type == tokenize.ERRORTOKEN for token in tokens):
        return source
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start[0] - 1, token.start[1]
            kept = lines[row][:column].rstrip(" \t\f")
            lines[row] = kept + _line_end(lines[row]) if kept else ""
    return "".join(lines)


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
