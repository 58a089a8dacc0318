"""The accessibility tree of a desktop, read in bulk and within a time limit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from trueline.desktop.accessibility.answers import Details, Raw, Ref, ask, number_of, refs_of, text_of
from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.cells import add_cells
from trueline.desktop.accessibility.connection import MethodCall, connect
from trueline.desktop.accessibility.details import ActionNames, read_details
from trueline.desktop.accessibility.documents import Document, read_documents
from trueline.desktop.accessibility.libreoffice_offsets import correct_offsets
from trueline.desktop.accessibility.names import role_name, state_names
from trueline.desktop.accessibility.walk import DESKTOP, MAX_DEPTH, find
from trueline.desktop.types import DesktopError
from trueline.records.observation import TreeScope
from trueline.records.tree import Node, Tree

DEADLINE_S = 5.0
WHOLE_DEADLINE_S = 30.0
"""OSWorld's clients wait for a whole tree without a limit."""
BUDGET = 20_000
"""Elements of a tree, at most."""

_DETAILS_SHARE = {"screen": 0.25, "whole": 0.5}
"""The part of the time that is kept for asking for details, whatever hung before."""
_NOTHING = Details()
_BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/registry")


@dataclass(frozen=True)
class Reading:
    """A tree, and what is missing from it."""

    tree: Tree
    problems: tuple[str, ...] = ()
    """One line for each thing that did not answer or was cut."""
    pids: tuple[int | None, ...] = ()
    """The process of each application of the tree, in its order, as the desktop numbers them."""
    documents: tuple[Document, ...] = ()
    """The web pages on the screen with their addresses, in the order of the tree's elements."""

    @property
    def partial(self) -> bool:
        """Whether something is missing."""
        return bool(self.problems)


def accessibility_address(session: Bus) -> str:
    """Ask the session bus for the address of the accessibility bus; it is started if need be."""
    return text_of(session.call(MethodCall("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")))


class Accessibility:
    """The accessibility bus of one desktop. Open it early: applications keep a cache only for those who listen."""

    def __init__(self, bus: Bus) -> None:
        """Read through a connection to the accessibility bus, which is closed with this object."""
        self._bus = bus
        self._action_names: ActionNames = {}
        self._pids: dict[str, int] = {}
        try:
            self._bus.call(ask(_REGISTRY, "Registry", "RegisterEvent", "sass", "object:state-changed", [], ""))
        except DesktopError:
            self.close()
            raise

    @classmethod
    def open(cls, address: str, uid: int | None = None) -> Self:
        """Connect to the accessibility bus at an address (`unix:path=…`).

        Raises:
            DesktopLost: Nothing answers there.
        """
        return cls(Bus(connect(address), uid, lambda path: connect(f"unix:path={path}")))

    def read(
        self,
        scope: TreeScope = "screen",
        *,
        deadline: float | None = None,
        budget: int = BUDGET,
        cells: bool = True,
    ) -> Reading:
        """Read the tree of all applications.

        Args:
            scope: `whole` has every element that OSWorld's server lists; `screen` has those on the screen with all
                that is known of them, and of others only the bare ones that applications keep at hand.
            deadline: Seconds after which what is not there is left out; `None` is the usual limit of the scope.
            budget: Elements, at most.
            cells: Add the showing cells of spreadsheets.

        Raises:
            DesktopLost: The bus is gone. An application that hangs is only a problem of the reading.
        """
        seconds = deadline or (WHOLE_DEADLINE_S if scope == "whole" else DEADLINE_S)
        end = time.monotonic() + seconds
        until = end - seconds * _DETAILS_SHARE[scope]
        self._bus.begin_reading()
        found = find(self._bus, until, budget, scope)
        if cells:
            add_cells(self._bus, found, until, budget)
        if len(found.nodes) > budget:
            found.problems.append(f"only the first {budget} of {len(found.nodes)} elements are listed")
        nodes = list(found.nodes.values())[:budget]
        asked = [node for node in nodes if found.wants(node) and node.ref not in found.silent]
        details, complete = read_details(self._bus, asked, end, self._action_names)
        if not complete:
            found.problems.append("some elements did not report all their properties")
        tree = build(nodes, correct_offsets(nodes, details))
        pids = self._processes([node.ref[0] for node in applications_of(nodes)], end)
        documents = read_documents(self._bus, found.nodes, details, self._pids, end)
        return Reading(tree, tuple(dict.fromkeys(found.problems)), pids, documents)

    def _processes(self, names: Sequence[str], end: float) -> tuple[int | None, ...]:
        """The processes behind names on the bus, each of which the bus is asked for once: no name is given twice."""
        self._pids = {name: pid for name, pid in self._pids.items() if name in names}
        unknown = [name for name in dict.fromkeys(names) if name not in self._pids]
        calls = [MethodCall(*_BUS, "GetConnectionUnixProcessID", "s", (name,)) for name in unknown]
        for name, answer in zip(unknown, self._bus.call_all(calls, end), strict=True):
            if (pid := number_of(answer, 0)) > 0:
                self._pids[name] = pid
        return tuple(self._pids.get(name) for name in names)

    def applications(self) -> int:
        """How many applications there are on the bus."""
        return len(refs_of(self._bus.call(ask(DESKTOP, "Accessible", "GetChildren"))))

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self._bus.close()


def applications_of(nodes: Iterable[Raw]) -> list[Raw]:
    """The applications among elements, in the order in which they stand in the tree."""
    return sorted((node for node in nodes if node.parent == DESKTOP), key=_place)


def build(nodes: Iterable[Raw], details: Mapping[Ref, Details]) -> Tree:
    """Build the tree from elements and parents. Elements not connected to the desktop are left out."""
    below: dict[Ref, list[Raw]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    for children in below.values():
        children.sort(key=_place)
    levels: list[list[Raw]] = [below.get(DESKTOP, [])]
    while levels[-1] and len(levels) < MAX_DEPTH:
        levels.append([child for node in levels[-1] for child in below.get(node.ref, ())])
    made: dict[Ref, Node] = {}
    for level in reversed(levels):
        for node in level:
            children = tuple(made[child.ref] for child in below.get(node.ref, ()) if child.ref in made)
            made[node.ref] = _node(node, details.get(node.ref, _NOTHING), children)
    return Tree(Node("desktop-frame", children=tuple(made[app.ref] for app in levels[0])))


def _place(node: Raw) -> tuple[bool, int, Ref]:
    """Some do not know their place; those stand last, in the order of their names on the bus."""
    return node.index < 0, node.index, node.ref


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
