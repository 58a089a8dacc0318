"""What a command prints, when that is certain from its words and its input: how hidden commands are put together."""

from __future__ import annotations

import base64
import binascii
import re

from trueline.actions.shell.escapes import unescape, unhex

MAX_OUTPUT = 20_000

_DECODE_FLAGS = frozenset({"-d", "-D", "--decode", "-di", "-id"})
_RANGE = re.compile(r"([ -~])-([ -~])")


def output(program: str, args: tuple[str, ...], given: str | None) -> str | None:
    """Return what the command prints; None when that is not certain.

    Args:
        program: Base name of the program.
        args: Its arguments, all certain.
        given: Its input, None when that is unknown or absent.
    """
    match program:
        case "echo":
            return _echo(args)
        case "printf":
            return _printf(args)
        case "true" | ":":
            return ""
        case _:
            text = None if given is None else _filtered(program, args, given)
            return None if text is None else text[:MAX_OUTPUT]


def unpacked(text: str) -> str | None:
    """Decode base64; None when it is something else, or not readable text."""
    raw = _bytes(text)
    decoded = "" if raw is None else raw.decode("utf-8", "replace")
    return decoded if decoded and decoded.replace("\n", "").isprintable() and "\ufffd" not in decoded else None


def _echo(args: tuple[str, ...]) -> str:
    words = list(args)
    flags = ""
    while words and len(words[0]) > 1 and words[0][0] == "-" and set(words[0][1:]) <= set("neE"):
        flags += words.pop(0)[1:]
    text = " ".join(words)
    return (unescape(text) if "e" in flags else text) + ("" if "n" in flags else "\n")


def _printf(args: tuple[str, ...]) -> str | None:
    form, *values = args or ("",)
    if form in ("%b", "%b\\n"):
        return unescape("".join(values))
    pieces = unescape(form).split("%s")
    if "%" in "".join(pieces).replace("%%", ""):
        return None
    slots = len(pieces) - 1
    rounds = max(1, -(-len(values) // slots)) if slots else 1
    if len(form) * rounds > MAX_OUTPUT:
        return None
    filled = iter([*values, *[""] * (rounds * slots - len(values))])
    made = [piece + next(filled) if at < slots else piece for _ in range(rounds) for at, piece in enumerate(pieces)]
    return "".join(made).replace("%%", "%")


def _filtered(program: str, args: tuple[str, ...], given: str) -> str | None:
    decodes = not _DECODE_FLAGS.isdisjoint(args)
    match program, args:
        case "cat", _ if all(arg.startswith("-") for arg in args):
            return given
        case "tee", _:
            return given
        case "base64", _ if decodes:
            return _text(_bytes(given))
        case "openssl", _ if decodes and not {"base64", "-base64", "-a"}.isdisjoint(args):
            return _text(_bytes(given))
        case "xxd", _ if any("r" in arg for arg in args if arg.startswith("-")):
            return unhex(given)
        case "rev", _:
            return "\n".join(line[::-1] for line in given.split("\n"))
        case "tr", ("-d", unwanted):
            return given.translate(dict.fromkeys(map(ord, _ranges(unwanted))))
        case "tr", (old, new) if not old.startswith("-"):
            return _translated(given, _ranges(old), _ranges(new))
        case _:
            return None


def _translated(text: str, old: str, new: str) -> str | None:
    if not new or len(new) > len(old):
        return None
    return text.translate(str.maketrans(old, new + new[-1] * (len(old) - len(new))))


def _ranges(text: str) -> str:
    """`a-c` written out, as `tr` reads it."""
    return _RANGE.sub(lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))), unescape(text))


def _bytes(text: str) -> bytes | None:
    joined = "".join(text.split()).translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(joined + "=" * (-len(joined) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")
