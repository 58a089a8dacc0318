"""Locating on the screen what a script names."""

from __future__ import annotations

from collections.abc import Iterator

from trueline.actions import Point
from trueline.records.tree import Node, Tree
from trueline.tasks.model import Find

_EMBEDDED = "\ufffc"
"""Placeholder in a text for an embedded link or image."""


def locate(tree: Tree, find: Find) -> Point | None:
    """Return where a click reaches the element, else its centre; `None` if it is not on the screen."""
    found = [node for node in _candidates(tree, find.app) if _fits(node, find)]
    try:
        at = found[find.nth].click_point or found[find.nth].centre
    except IndexError:
        return None
    return None if at is None else Point(*at)


def words_of(tree: Tree) -> str:
    """Return all text that is showing, in the order of the tree.

    A link and the text inside it repeat each other; such a repetition is returned once.
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
    """Describe the element that is looked for."""
    parts = [find.role or "anything"]
    parts += [f"named {find.name!r}"] if find.name else []
    parts += [f"with the text {find.text!r}"] if find.text else []
    parts += [f"of {find.app}"] if find.app else []
    return " ".join(parts) + (f" (number {find.nth})" if find.nth else "")


def _candidates(tree: Tree, app: str) -> Iterator[Node]:
    """Elements that are showing and have a position; of one application only, if one is named."""
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
