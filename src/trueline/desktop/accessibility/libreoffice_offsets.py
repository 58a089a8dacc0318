"""Boxes put where things are drawn: LibreOffice leaves its menu bar out when it says where the rest of a window is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from trueline.desktop.accessibility.answers import Details, Raw, Ref
from trueline.desktop.accessibility.names import ROLES
from trueline.records.tree import Place

_ROOT_PANE, _MENU_BAR = ROLES.index("root-pane"), ROLES.index("menu-bar")
_NEAR = 3
"""Levels above the content, and then below, within which GTK has a box for it."""


def correct_offsets(nodes: Iterable[Raw], details: Mapping[Ref, Details]) -> dict[Ref, Details]:
    """Move LibreOffice's own elements to where GTK, which draws the menu bar, says that their window's content is.

    Beside the content of a window (its root pane) stands the GTK panel it is drawn in, of the same size. Elements that
    GTK has made itself are right already, and so is the menu bar.
    """
    below: dict[Ref, list[Raw]] = {}
    known: dict[Ref, Raw] = {}
    for node in nodes:
        known[node.ref] = node
        below.setdefault(node.parent, []).append(node)
    moved = dict(details)
    for panes in below.values():
        for pane in panes:
            if pane.role == _ROOT_PANE and (by := _error(pane, known, below, details)) is not None:
                _move(pane, by, below, moved)
    return moved


def _error(
    pane: Raw, known: Mapping[Ref, Raw], below: Mapping[Ref, list[Raw]], details: Mapping[Ref, Details]
) -> Place | None:
    """The offset between where a window's content is drawn and where it claims to be."""
    said = details.get(pane.ref, Details())
    if said.position is None or _is_gtk(said):
        return None
    above = pane.parent
    for _ in range(_NEAR):
        level = below.get(above, [])
        for _ in range(_NEAR):
            for node in level:
                drawn = details.get(node.ref, Details())
                if _is_gtk(drawn) and drawn.size == said.size and drawn.position is not None:
                    return Place(drawn.position.x - said.position.x, drawn.position.y - said.position.y)
            level = [child for node in level if node.role != _ROOT_PANE for child in below.get(node.ref, ())]
        if above not in known:
            break
        above = known[above].parent
    return None


def _move(top: Raw, by: Place, below: Mapping[Ref, list[Raw]], details: dict[Ref, Details]) -> None:
    waiting, seen = [top], {top.ref}
    while waiting:
        node = waiting.pop()
        one = details.get(node.ref)
        if one is not None and one.position is not None and not _is_gtk(one):
            details[node.ref] = replace(one, position=Place(one.position.x + by.x, one.position.y + by.y))
        for child in below.get(node.ref, ()):
            if child.role != _MENU_BAR and child.ref not in seen:
                seen.add(child.ref)
                waiting.append(child)


def _is_gtk(details: Details) -> bool:
    return details.attributes.get("toolkit") == "gtk"
