"""Writing results where the user asked for them, and text for a terminal."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from trueline.errors import InputError, TruelineError
from trueline.text import printable


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    import orjson

    flags = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    try:
        content = orjson.dumps(document, option=flags)
    except TypeError:
        # Names of folders that are not UTF-8 hold what only escapes can say.
        content = json.dumps(document, indent=2).encode("ascii") + b"\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.flush()


def check_place(path: Path) -> None:
    """Check that a file can be written, before the work for it starts.

    Raises:
        InputError: The folder is missing or may not be written, or a folder has the file's name.
    """
    _check_folder(path)
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file")
    if not os.access(path if path.exists() and not path.is_file() else path.resolve().parent, os.W_OK):
        raise InputError(f"{path}: cannot be written (permission denied)")


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file by atomic rename.

    Raises:
        InputError: The folder is missing.
        TruelineError: The file cannot be written.
    """
    _check_folder(path)
    try:
        if path.exists() and not path.is_file():
            # A device or a pipe is written to, never replaced.
            with path.open("wb") as device:
                device.write(content)
            return
        _replace(path.resolve(), content)
    except OSError as error:
        raise TruelineError(f"{path}: cannot be written ({error.strerror})") from error


def _check_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist")


def _replace(path: Path, content: bytes) -> None:
    mask = os.umask(0)
    os.umask(mask)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def safe_lines(text: str) -> str:
    """Return a model's text for a terminal: lines and tabs stay, every other control character is escaped."""
    return "\n".join(
        "\t".join(printable(cell, len(cell) + 1) for cell in line.split("\t")) for line in text.split("\n")
    )


def print_note(text: str) -> None:
    """Print a note on stderr."""
    print(printable(text, 1000), file=sys.stderr)


def money(cost: float | None) -> str:
    """Show a cost."""
    return "cost unknown" if cost is None else f"${cost:.6f}".rstrip("0").rstrip(".")
