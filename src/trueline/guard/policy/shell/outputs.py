"""What a command prints, when that is certain from its words and its input: how hidden commands are put together."""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib

from trueline.guard.policy.shell.lex import unescape, unhex

MAX_OUTPUT = 20_000

_DECODERS = frozenset({"base64", "base32", "xxd", "openssl", "uudecode", "gunzip", "zcat", "gzip", "rev", "tr", "basenc"})


def is_decoder(program: str) -> bool:
    """Tell whether a program is used to make something readable again."""
    return program in _DECODERS


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
        case "cat" | "tee" if given is not None and all(arg.startswith("-") for arg in args):
            return given
        case "true" | ":":
            return ""
        case _:
            text = None if given is None else _filtered(program, args, given)
            return None if text is None else text[:MAX_OUTPUT]


def _echo(args: tuple[str, ...]) -> str:
    words = list(args)
    flags = ""
    while words and words[0].startswith("-") and set(words[0][1:]) <= set("neE") and words[0] != "-":
        flags += words.pop(0)[1:]
    text = " ".join(words)
    return (unescape(text) if "e" in flags else text) + ("" if "n" in flags else "\n")


def _printf(args: tuple[str, ...]) -> str | None:
    if not args or args[0] == "-v":
        return None
    form, *values = args
    pieces = unescape(form).split("%s")
    if "%" in "".join(pieces).replace("%%", ""):
        return unescape("".join(values)) if form in ("%b", "%b\\n") else None
    slots = len(pieces) - 1
    rounds = max(1, -(-len(values) // slots)) if slots else 1
    filled = iter([*values, *[""] * (rounds * slots - len(values))])
    made = [piece + next(filled) if place < slots else piece for _ in range(rounds) for place, piece in enumerate(pieces)]
    return "".join(made).replace("%%", "%")


def _filtered(program: str, args: tuple[str, ...], given: str) -> str | None:
    decodes = any(arg in ("-d", "-D", "--decode", "-di", "-id") for arg in args)
    match program:
        case "base64" if decodes:
            return _bytes_text(_unbase64(given))
        case "base32" if decodes:
            return _bytes_text(_attempt(base64.b32decode, "".join(given.split())))
        case "xxd" if any("r" in arg for arg in args if arg.startswith("-")):
            return unhex(given)
        case "openssl" if ("base64" in args or "-base64" in args or "-a" in args) and decodes:
            return _bytes_text(_unbase64(given))
        case "rev":
            return "\n".join(line[::-1] for line in given.split("\n"))
        case "tr" if len(args) == 2 and args[0] == "-d":
            return given.translate(dict.fromkeys(map(ord, unescape(args[1]))))
        case "tr" if len(args) == 2:
            return _translated(given, unescape(args[0]), unescape(args[1]))
        case "gunzip" | "zcat" | "gzip":
            return None
        case _:
            return None


def _translated(text: str, old: str, new: str) -> str | None:
    before, after = _ranges(old), _ranges(new)
    if not before or not after or len(after) > len(before):
        return None
    after += after[-1] * (len(before) - len(after))
    return text.translate(str.maketrans(before, after))


def _ranges(text: str) -> str:
    if len(text) == 3 and text[1] == "-" and text[0] < text[2] and ord(text[2]) < 128:
        return "".join(map(chr, range(ord(text[0]), ord(text[2]) + 1)))
    if len(text) % 3 == 0 and text[1::3] == "-" * (len(text) // 3):
        return "".join(_ranges(text[at : at + 3]) for at in range(0, len(text), 3)) if len(text) > 3 else text
    return text


def unpacked_base64(text: str) -> str | None:
    """Decode base64 (also gzipped inside); None when it is something else than text."""
    raw = _unbase64(text)
    if raw and raw[:2] == b"\x1f\x8b":
        raw = _attempt(_bounded_gunzip, raw)
    text_ = None if raw is None else _bytes_text(raw)
    return text_ if text_ and text_.isprintable() or text_ and text_.replace("\n", "").isprintable() else None


def _bounded_gunzip(raw: bytes) -> bytes:
    with gzip.GzipFile(fileobj=_io(raw)) as file:
        return file.read(MAX_OUTPUT)


def _io(raw: bytes):  # noqa: ANN202
    import io

    return io.BytesIO(raw)


def _unbase64(text: str) -> bytes | None:
    joined = "".join(text.split()).replace("-", "+").replace("_", "/")
    return _attempt(lambda raw: base64.b64decode(raw + "=" * (-len(raw) % 4), validate=True), joined)


def _attempt(decode, raw):  # noqa: ANN001, ANN202
    try:
        return decode(raw)
    except (binascii.Error, ValueError, OSError, EOFError, zlib.error):
        return None


def _bytes_text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")
