"""Finding on the screen what a script names."""

from __future__ import annotations

from collections.abc import Iterator

from trueline.actions import Point
from trueline.records.tree import Node, Tree
from trueline.tasks.model import Find

_EMBEDDED = "\ufffc"
"""Stands in a text for a link or picture inside it."""


def locate(tree: Tree, find: Find) -> Point | None:
    """The middle of what is meant; `None` when it is not on the screen."""
    found = [node for node in _candidates(tree, find.app) if _fits(node, find)]
    try:
        centre = found[find.nth].centre
    except IndexError:
        return None
    return None if centre is None else Point(*centre)


def words_of(tree: Tree) -> str:
    """Everything that can be read on the screen, in the order of the tree.

    A link and the text in it say the same one after the other: that is read once.
    """
    words: list[str] = []
    for node in tree.root.walk():
        if "showing" in node.states:
            for part in (node.name, node.text):
                plain = part.replace(_EMBEDDED, " ").strip()
                if plain and plain != (words[-1] if words else ""):
                    words.append(plain)
    return " ".join(words)


def describe(find: Find) -> str:
    """What is looked for, in words."""
    parts = [find.role or "anything"]
    parts += [f"named {find.name!r}"] if find.name else []
    parts += [f"with the text {find.text!r}"] if find.text else []
    parts += [f"of {find.app}"] if find.app else []
    return " ".join(parts) + (f" (number {find.nth})" if find.nth else "")


def _candidates(tree: Tree, app: str) -> Iterator[Node]:
    """What shows and has a place; of one application only, where one is named."""
    roots = tree.root.children if app else (tree.root,)
    for root in roots:
        if not app or (root.role == "application" and root.name.casefold() == app.casefold()):
            yield from (node for node in root.walk() if _is_there(node))


def _is_there(node: Node) -> bool:
    if "showing" not in node.states or node.position is None or node.size is None:
        return False
    return min(node.size) > 0 and node.position.x + node.size.width > 0 and node.position.y + node.size.height > 0


def _fits(node: Node, find: Find) -> bool:
    return (
        (not find.role or _role(node.role) == _role(find.role))
        and node.name.casefold().startswith(find.name.casefold())
        and find.text in node.text
    )


def _role(role: str) -> str:
    return role.replace(" ", "-").casefold()
