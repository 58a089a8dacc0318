"""The syntax tree of shell text, by tree-sitter's grammar of bash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from trueline.actions.shell.syntax import NotUnderstoodError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_TREE_TEXT = 100_000
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution", "arithmetic_expansion", "expansion"})


class SyntaxTree(NamedTuple):
    """A tree, and what is looked up by its place in the text. All places are indices of characters."""

    root: Node
    comments: tuple[int, ...]
    substitutions: dict[int, tuple[str, int]]
    """Beginning -> kind and end."""


@cache
def _parser() -> Parser:
    # Only who reads shell text pays for loading the grammar.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def parse_tree(text: str) -> SyntaxTree:
    """Parse a text.

    Raises:
        NotUnderstoodError: The grammar marks an error in it.
    """
    root = error_tolerant_root(text)
    if root.has_error:
        raise NotUnderstoodError("a syntax that is not known")
    comments: list[int] = []
    substitutions: dict[int, tuple[str, int]] = {}
    for node in walk(root):
        if node.type == "comment":
            comments.append(node.start_byte)
        elif node.type in _SUBSTITUTIONS:
            start = node.start_byte
            while text[start] in " \t\n":  # the grammar counts blanks before it in
                start += 1
            substitutions[start] = (node.type, node.end_byte)
    return SyntaxTree(root, tuple(comments), substitutions)


def error_tolerant_root(text: str) -> Node:
    """Return the tree of a text that may hold errors."""
    if len(text) > MAX_TREE_TEXT:
        raise NotUnderstoodError("a very long text")
    # A letter for each character beyond ASCII, which bash takes as a part of a word too: bytes are characters then.
    return _parser().parse(_NOT_ASCII.sub("x", text).encode("ascii")).root_node


def walk(root: Node) -> Iterator[Node]:
    """All nodes, in the order of the text."""
    cursor = root.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return
