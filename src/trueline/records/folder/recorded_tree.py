"""Accessibility trees of an episode: packed files, and the texts that agents were given."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Literal, NamedTuple

from trueline.errors import InputError
from trueline.records.tree import Tree, parse_xml, read_table, tree_of

_MAX_TREE = 64 * 1024 * 1024
"""Bytes of XML; a small gzip file can hold far more than memory does."""


TreeKind = Literal["tree", "table", "cut table", "list"]
"""How much of an accessibility tree a record holds: the tree; the table of its shown elements, which has no windows,
applications or focus, whole or cut off; or the list of set-of-marks, which has no places either."""


class RecordedTree(NamedTuple):
    """An accessibility tree as a record has it."""

    tree: Tree
    kind: TreeKind

    @property
    def partial(self) -> bool:
        """Whether elements may be missing."""
        return self.kind != "tree"


def read_tree_text(text: str) -> RecordedTree | None:
    """Read what agents were given as text: the table of shown elements, or XML; `None` when it shows no element.

    Raises:
        InputError: It is XML, and broken.
    """
    if text.lstrip().startswith("<"):
        return RecordedTree(parse_xml(text.strip()), "tree")
    rows, cut = read_table(text)
    if not rows:
        return None
    listed = all(row.position is None for row in rows)
    return RecordedTree(tree_of(rows), "list" if listed else "cut table" if cut else "table")


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
