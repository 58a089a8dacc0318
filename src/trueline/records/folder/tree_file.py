"""Packed accessibility trees of an episode."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from trueline.errors import InputError
from trueline.records.tree import Tree, parse_xml

_MAX_TREE = 64 * 1024 * 1024
"""Bytes of XML; a small gzip file can hold far more than memory does."""


def read_tree_file(path: Path) -> Tree:
    """Read a tree that is stored as gzipped XML.

    Raises:
        InputError: It is missing, broken, or larger than a tree can be.
    """
    try:
        with gzip.open(path) as file:
            content = file.read(_MAX_TREE + 1)
        if len(content) > _MAX_TREE:
            raise InputError(f"{path}: is larger than {_MAX_TREE} bytes when unpacked")
        return parse_xml(content.decode())
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
