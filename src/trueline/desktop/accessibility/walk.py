"""Finding the elements of all applications: from their caches in bulk, else level by level.

Never through AT-SPI's Collection interface: LibreOffice hangs on it, for good.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from trueline.desktop.accessibility.bus import Answer, Bus, Call, Failed
from trueline.desktop.accessibility.marshal import is_row
from trueline.desktop.accessibility.names import A11Y, DEFUNCT
from trueline.desktop.accessibility.raw import (
    Raw,
    Ref,
    ask,
    ask_properties,
    ask_property,
    attributes_of,
    number_of,
    on_screen,
    properties_of,
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


class Child(NamedTuple):
    """An element that another one lists."""

    ref: Ref
    parent: Ref
    place: int


@dataclass
class Found:
    """The elements, by their reference, in the order in which they were found: parents before children."""

    nodes: dict[Ref, Raw] = field(default_factory=dict[Ref, Raw])
    sheets: list[Raw] = field(default_factory=list[Raw])
    """Tables too large to be listed: of their cells only those on the screen are asked for."""
    silent: set[Ref] = field(default_factory=set[Ref])
    """Applications that did not answer and are asked no more."""
    bulk: set[str] = field(default_factory=set[str])
    """Applications that keep a cache; they may be asked for all properties at once."""
    problems: list[str] = field(default_factory=list[str])
    """What is missing, one line each."""

    def add(self, nodes: Iterable[Raw]) -> list[Raw]:
        """Take elements that were not known; returns those."""
        new = [node for node in nodes if node.ref not in self.nodes and not node.states & DEFUNCT]
        self.nodes.update((node.ref, node) for node in new)
        return new

    def adopt(self, ref: Ref, parent: Ref, index: int) -> None:
        """Hang a known element below a parent that lists it, if what it calls its parent is not known.

        LibreOffice has two objects for one window: the one in its list of windows, and the one its children know.
        """
        node = self.nodes[ref]
        if node.parent not in self.nodes and node.parent != DESKTOP:
            self.nodes[ref] = replace(node, parent=parent, index=index)


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
            found.silent.add(app)
            found.problems.append(f"application {word or app[0]!r} did not answer")
        root = Raw(app, DESKTOP, index, -1, frozenset(), word, _APPLICATION, 0)
        found.add([root])
        items = value_of(cache)
        read = [node for node in map(read_item, items) if node is not None] if is_row(items) else []
        if read:
            found.bulk.add(app[0])
            found.add(node for node in read if node.ref != app and node.ref[0] == app[0])
        elif app not in found.silent:
            without_cache.append(root)
    _walk(bus, found, without_cache, end, budget)
    _walk(bus, found, _unfinished(found), end, budget)
    return found


def _unfinished(found: Found) -> list[Raw]:
    """Elements whose children no cache holds or holds wrongly.

    Those are applications and windows, and on the screen whatever has more children than the cache knows: lists make
    theirs when asked.
    """
    held = Counter(node.parent for node in found.nodes.values())
    apps = {node.ref for node in found.nodes.values() if node.parent == DESKTOP} - found.silent
    return [
        node
        for node in found.nodes.values()
        if node.ref in apps or (node.on_screen and (node.parent in apps or not 0 <= node.child_count <= held[node.ref]))
    ]


def _walk(bus: Bus, found: Found, level: Sequence[Raw], end: float, budget: int) -> None:
    """Add everything below these elements that is on the screen, one level at a time."""
    for _ in range(MAX_DEPTH):
        if not level:
            return
        if len(found.nodes) >= budget or time.monotonic() >= end:
            found.problems.append("the tree was cut: no time or no room left")
            return
        new = found.add(describe(bus, found, _children(bus, found, level, end), end))
        level = [node for node in new if node.on_screen and node.child_count != 0]


def _children(bus: Bus, found: Found, parents: Sequence[Raw], end: float) -> list[Child]:
    """The children of these elements that are not known yet."""
    counts = bus.many([ask_property(node.ref, "Accessible", "ChildCount") for node in parents], end)
    calls: list[Call] = []
    owners: list[tuple[Ref, int | None]] = []
    for node, answer in zip(parents, counts, strict=True):
        count = number_of(answer, node.child_count)
        if answer is None:
            found.problems.append(f"{node.ref[1]} did not answer")
        if node.has("Table") and not 0 <= count <= MAX_WIDTH:
            found.sheets.append(node)
        elif count > MAX_WIDTH:
            found.problems.append(f"{node.ref[1]} has {count} children, of which {MAX_WIDTH} are listed")
            calls.extend(ask(node.ref, "Accessible", "GetChildAtIndex", "i", index) for index in range(MAX_WIDTH))
            owners.extend((node.ref, index) for index in range(MAX_WIDTH))
        elif count != 0:
            calls.append(ask(node.ref, "Accessible", "GetChildren"))
            owners.append((node.ref, None))
    children: dict[Ref, Child] = {}
    for (parent, index), answer in zip(owners, bus.many(calls, end), strict=True):
        if index is None:
            for place, ref in enumerate(refs_of(answer)[:MAX_WIDTH]):
                children.setdefault(ref, Child(ref, parent, place))
        elif (one := ref_of(answer)) is not None:
            children.setdefault(one, Child(one, parent, index))
    for ref, parent, index in children.values():
        if ref in found.nodes:
            found.adopt(ref, parent, index)
    return [child for ref, child in children.items() if ref not in found.nodes]


def describe(bus: Bus, found: Found, children: Sequence[Child], end: float) -> list[Raw]:
    """Ask elements for what a cache would have said of them; of those not on the screen only windows are listed."""
    looks = bus.many([ask(child.ref, "Accessible", "GetState") for child in children], end)
    states = [states_of(value_of(answer)) for answer in looks]
    apps = {node.ref for node in found.nodes.values() if node.parent == DESKTOP}
    ones = [
        (child, state)
        for child, state in zip(children, states, strict=True)
        if on_screen(state) or child.parent in apps
    ]
    asked = [_questions(child.ref, bulk=child.ref[0] in found.bulk) for child, _ in ones]
    answers = bus.many([call for calls in asked for call in calls], end)
    if None in looks or None in answers:
        found.problems.append("some elements did not answer")
    described: list[Raw] = []
    replies = iter(answers)
    for (child, state), calls in zip(ones, asked, strict=True):
        role, interfaces, *properties = (next(replies) for _ in calls)
        words, bulk = words_of(value_of(interfaces)), child.ref[0] in found.bulk
        bare = Raw(child.ref, child.parent, child.place, -1, words, "", number_of(role, 0), state, bulk=bulk)
        if bulk:
            described.append(with_properties(bare, properties[0]))
        else:
            name, count = properties
            described.append(replace(bare, name=text_of(name), child_count=number_of(count, -1)))
    return described


def _questions(ref: Ref, *, bulk: bool) -> list[Call]:
    calls = [ask(ref, "Accessible", "GetRole"), ask(ref, "Accessible", "GetInterfaces")]
    if bulk:
        return [*calls, ask_properties(ref, "Accessible")]
    return [*calls, *(ask_property(ref, "Accessible", name) for name in ("Name", "ChildCount"))]


def with_properties(node: Raw, answer: Answer) -> Raw:
    """An element with what the properties of its Accessible interface say."""
    found = properties_of(answer)
    name, count = found.get("Name"), found.get("ChildCount")
    return replace(
        node,
        name=name if isinstance(name, str) else node.name,
        child_count=count if isinstance(count, int) else node.child_count,
        attributes=attributes_of(found.get("Attributes")),
    )
