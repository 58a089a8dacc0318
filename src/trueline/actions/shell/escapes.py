r"""Escapes that a shell and its programs replace: `\n`, `\x72`, `\162`, hexadecimal digits."""

from __future__ import annotations

import codecs
import re

_ANSI_ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
}


def unescape(text: str) -> str:
    r"""Replace the escapes of `$'…'`, `printf` and `echo -e` (`\x72`, `\162`, `\n`)."""
    return _ANSI_ESCAPE.sub(_escaped, text) if "\\" in text else text


def unescape_quoted(text: str) -> str | None:
    r"""Replace the escapes of `$'…'`; None where bash cuts the text off (`\0`) or makes bytes or control keys."""
    plain = unescape(text)
    return None if "\0" in plain or r"\c" in text or r"\x{" in text or _makes_bytes(text) else plain


def _makes_bytes(text: str) -> bool:
    """Whether an escape stands for a byte that is only a part of a character."""
    escapes = (match[0] for match in _ANSI_ESCAPE.finditer(text) if match[0][1] in "x01234567")
    return any(ord(_escaped_text(escape)[:1] or "\0") > 0x7F for escape in escapes)


def _escaped(match: re.Match[str]) -> str:
    return _escaped_text(match[0])


def _escaped_text(escape: str) -> str:
    body = escape[1:]
    if body[0] in "01234567":
        return chr(int(body, 8) & 0xFF)
    if body[0] in "xuU" and len(body) > 1:
        number = int(body[1:], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else ""
    return _SIMPLE_ESCAPES.get(body, body if body in "\\'\"?" else escape)


def unhex(text: str) -> str | None:
    """Decode hexadecimal digits, spaces between them ignored; None when it is something else."""
    digits = "".join(text.split())
    try:
        return codecs.decode(digits, "hex").decode("utf-8", "replace") if digits else None
    except ValueError:
        return None
