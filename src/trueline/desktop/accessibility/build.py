"""Elements put together as a tree, always in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trueline.desktop.accessibility.answers import Details, Raw, Ref
from trueline.desktop.accessibility.names import role_name, state_names
from trueline.desktop.accessibility.walk import DESKTOP, MAX_DEPTH
from trueline.records.tree import Node, Tree

_NOTHING = Details()


def build(nodes: Iterable[Raw], details: Mapping[Ref, Details]) -> Tree:
    """Build the tree from elements and parents. Elements not connected to the desktop are left out."""
    below: dict[Ref, list[Raw]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    for children in below.values():
        # Some do not know their place; those stand last, in the order of their names on the bus.
        children.sort(key=lambda node: (node.index < 0, node.index, node.ref))
    levels: list[list[Raw]] = [below.get(DESKTOP, [])]
    while levels[-1] and len(levels) < MAX_DEPTH:
        levels.append([child for node in levels[-1] for child in below.get(node.ref, ())])
    made: dict[Ref, Node] = {}
    for level in reversed(levels):
        for node in level:
            children = tuple(made[child.ref] for child in below.get(node.ref, ()) if child.ref in made)
            made[node.ref] = _node(node, details.get(node.ref, _NOTHING), children)
    return Tree(Node("desktop-frame", children=tuple(made[app.ref] for app in levels[0])))


def _node(raw: Raw, details: Details, children: tuple[Node, ...]) -> Node:
    return Node(
        role=details.role or role_name(raw.role),
        name=raw.name,
        text=details.text,
        states=state_names(raw.states),
        attributes=details.attributes,
        position=details.position,
        size=details.size,
        value=details.value,
        actions=details.actions,
        image=raw.has("Image"),
        selection=raw.has("Selection"),
        children=children,
    )
