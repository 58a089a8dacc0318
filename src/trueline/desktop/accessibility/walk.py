"""Finding the elements of all applications: from their caches in bulk, else level by level.

Never through AT-SPI's Collection interface: LibreOffice hangs on it, for good.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trueline.desktop.accessibility.bus import Bus, Call, Failed
from trueline.desktop.accessibility.names import A11Y, DEFUNCT
from trueline.desktop.accessibility.raw import (
    Raw,
    Ref,
    ask,
    ask_property,
    is_row,
    number_of,
    read_item,
    ref_of,
    refs_of,
    states_of,
    text_of,
    value_of,
    words_of,
)

DESKTOP: Ref = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
MAX_DEPTH = 50
MAX_WIDTH = 1024
"""OSWorld's own limits."""
_CACHE_SHARE = 0.6
"""The part of the time after which an application that has not sent its cache is left out."""
_APPLICATION = 75


@dataclass
class Found:
    """The elements, by their reference, in the order in which they were found: parents before children."""

    nodes: dict[Ref, Raw] = field(default_factory=dict[Ref, Raw])
    problems: list[str] = field(default_factory=list[str])
    """What is missing, one line each."""

    def add(self, nodes: Iterable[Raw]) -> list[Raw]:
        """Take elements that were not known; returns those."""
        new = [node for node in nodes if node.ref not in self.nodes and not node.states & DEFUNCT]
        self.nodes.update((node.ref, node) for node in new)
        return new


def find(bus: Bus, end: float, budget: int) -> Found:
    """Find the elements of all applications, at most `budget`, until the time is over."""
    found = Found()
    began = time.monotonic()
    (listed,) = bus.many([ask(DESKTOP, "Accessible", "GetChildren")], end)
    apps = refs_of(listed)
    if listed is None or isinstance(listed, Failed):
        found.problems.append("the accessibility registry did not answer")
    names = [ask_property(app, "Accessible", "Name") for app in apps]
    caches = [Call(app[0], "/org/a11y/atspi/cache", A11Y + "Cache", "GetItems") for app in apps]
    answers = bus.many([*names, *caches], began + (end - began) * _CACHE_SHARE)
    without_cache: list[Raw] = []
    for index, (app, name, cache) in enumerate(zip(apps, answers[: len(apps)], answers[len(apps) :], strict=True)):
        word = text_of(name)
        if name is None or cache is None:
            found.problems.append(f"application {word or app[0]!r} did not answer")
        root = Raw(app, DESKTOP, index, -1, frozenset(), word, _APPLICATION, 0)
        found.add([root])
        items = value_of(cache)
        read = [node for node in map(read_item, items) if node is not None] if is_row(items) else []
        if read:
            found.add(node for node in read if node.ref != app and node.ref[0] == app[0])
        elif cache is not None:
            without_cache.append(root)
    _walk(bus, found, without_cache, end, budget)
    _walk(bus, found, _unfinished(found), end, budget)
    return found


def _unfinished(found: Found) -> list[Raw]:
    """Elements on the screen with more children than the cache holds: lists and tables make theirs when asked."""
    held = Counter(node.parent for node in found.nodes.values())
    return [
        node
        for node in found.nodes.values()
        if node.on_screen and (node.child_count < 0 or node.child_count > held[node.ref]) and not is_sheet(node)
    ]


def is_sheet(node: Raw) -> bool:
    """A table too large to be listed: of its cells only those on the screen are asked for."""
    return node.has("Table") and (node.child_count < 0 or node.child_count > MAX_WIDTH)


def _walk(bus: Bus, found: Found, level: Sequence[Raw], end: float, budget: int) -> None:
    """Add everything below these elements that is on the screen, one level at a time."""
    for _ in range(MAX_DEPTH):
        if not level:
            return
        if len(found.nodes) >= budget or time.monotonic() >= end:
            found.problems.append("the tree was cut: no time or no room left")
            return
        children = _children(bus, found, level, end)
        new = found.add(describe(bus, found, children, end))
        level = [node for node in new if node.on_screen and node.child_count != 0 and not is_sheet(node)]


def _children(bus: Bus, found: Found, parents: Sequence[Raw], end: float) -> list[tuple[Ref, Ref, int]]:
    """The children of these elements that are not known yet: itself, its parent, its place."""
    counts = bus.many([ask_property(node.ref, "Accessible", "ChildCount") for node in parents], end)
    calls: list[Call] = []
    owners: list[tuple[Ref, int | None]] = []
    for node, answer in zip(parents, counts, strict=True):
        count = number_of(answer, node.child_count)
        if answer is None:
            found.problems.append(f"{node.ref[1]} did not answer")
        if count > MAX_WIDTH:
            found.problems.append(f"{node.ref[1]} has {count} children, of which {MAX_WIDTH} are listed")
            calls.extend(ask(node.ref, "Accessible", "GetChildAtIndex", "i", index) for index in range(MAX_WIDTH))
            owners.extend((node.ref, index) for index in range(MAX_WIDTH))
        elif count != 0:
            calls.append(ask(node.ref, "Accessible", "GetChildren"))
            owners.append((node.ref, None))
    children: dict[Ref, tuple[Ref, Ref, int]] = {}
    for (parent, index), answer in zip(owners, bus.many(calls, end), strict=True):
        if index is None:
            for place, ref in enumerate(refs_of(answer)[:MAX_WIDTH]):
                children.setdefault(ref, (ref, parent, place))
        elif (one := ref_of(answer)) is not None:
            children.setdefault(one, (one, parent, index))
    return [child for ref, child in children.items() if ref not in found.nodes]


def describe(bus: Bus, found: Found, children: Sequence[tuple[Ref, Ref, int]], end: float) -> list[Raw]:
    """Ask elements for what a cache would have said of them."""
    calls = [
        call
        for ref, _, _ in children
        for call in (
            ask_property(ref, "Accessible", "Name"),
            ask(ref, "Accessible", "GetRole"),
            ask(ref, "Accessible", "GetState"),
            ask(ref, "Accessible", "GetInterfaces"),
            ask_property(ref, "Accessible", "ChildCount"),
        )
    ]
    answers = bus.many(calls, end)
    if any(answer is None for answer in answers):
        found.problems.append("some elements did not answer")
    described: list[Raw] = []
    for number, (ref, parent, index) in enumerate(children):
        name, role, states, interfaces, count = answers[5 * number : 5 * number + 5]
        described.append(
            Raw(
                ref=ref,
                parent=parent,
                index=index,
                child_count=number_of(count, -1),
                interfaces=words_of(value_of(interfaces)),
                name=text_of(name),
                role=number_of(role, 0),
                states=states_of(value_of(states)),
            )
        )
    return described
