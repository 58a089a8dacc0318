"""Writing results where the user asked for them."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from trueline.errors import InputError, TruelineError


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    import orjson

    flags = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    sys.stdout.flush()
    sys.stdout.buffer.write(orjson.dumps(document, option=flags))
    sys.stdout.flush()


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file by atomic rename.

    Raises:
        InputError: The folder is missing or may not be written.
    """
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent} to write it in")
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(file.name, 0o666 & ~mask)
        os.replace(file.name, path)
    except OSError as error:
        raise TruelineError(f"{path}: cannot be written ({error.strerror})") from error
