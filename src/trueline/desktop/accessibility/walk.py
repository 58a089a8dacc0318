"""Finding the elements of all applications: from their caches in bulk, else level by level."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from trueline.desktop.accessibility.answers import (
    NOBODY,
    Raw,
    Ref,
    as_ref,
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
from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.collection import TOOLKITS, USUAL, list_elements, within_width
from trueline.desktop.accessibility.connection import Answer, FailedCall, MethodCall
from trueline.desktop.accessibility.marshal import is_row
from trueline.desktop.accessibility.names import A11Y, DEFUNCT
from trueline.records.observation import TreeScope

DESKTOP: Ref = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
MAX_DEPTH = 50
MAX_WIDTH = 1024
"""OSWorld's own limits."""
_CACHE_SHARE = 0.6
"""The part of the time after which an application that has not sent its cache is left out."""
_APPLICATION = 75
_MOST_AT_ONCE = 1 << 14
"""Children that are asked for in one question; a spreadsheet says that it has two thousand million."""


class Child(NamedTuple):
    """An element that another one lists."""

    ref: Ref
    parent: Ref
    place: int


@dataclass
class Found:
    """The elements, by their reference, in the order in which they were found: parents before children."""

    scope: TreeScope = "screen"
    nodes: dict[Ref, Raw] = field(default_factory=dict[Ref, Raw])
    sheets: list[Raw] = field(default_factory=list[Raw])
    """Tables too large to be listed: of their cells only those on the screen are asked for."""
    silent: set[Ref] = field(default_factory=set[Ref])
    """Applications that did not answer and are asked no more."""
    complete: set[str] = field(default_factory=set[str])
    """Applications all of whose elements are there."""
    bulk: set[str] = field(default_factory=set[str])
    """Applications that keep a cache; they may be asked for all properties at once."""
    problems: list[str] = field(default_factory=list[str])
    """What is missing, one line each."""

    @property
    def whole(self) -> bool:
        """Whether elements that are not on the screen are included."""
        return self.scope == "whole"

    def wants(self, node: Raw) -> bool:
        """Whether to list the children of an element."""
        return self.whole or node.on_screen

    def add(self, nodes: Iterable[Raw]) -> list[Raw]:
        """Add the elements that are new, and return them."""
        new = [node for node in nodes if node.ref not in self.nodes and not node.states & DEFUNCT]
        self.nodes.update((node.ref, node) for node in new)
        return new

    def adopt(self, ref: Ref, parent: Ref, index: int) -> None:
        """Attach an element to a parent that lists it, if the parent it names is unknown.

        LibreOffice has two objects for one window: the one in its list of windows, and the one its children know.
        """
        node = self.nodes[ref]
        if node.parent not in self.nodes and node.parent != DESKTOP:
            self.nodes[ref] = replace(node, parent=parent, index=index)


def find(bus: Bus, end: float, budget: int, scope: TreeScope = "screen") -> Found:
    """Find the elements of all applications, at most `budget`, until the time is over.

    Of what is not on the screen, `screen` finds only what applications keep at hand anyway.
    """
    found = Found(scope)
    began = time.monotonic()
    (listed,) = bus.call_all([ask(DESKTOP, "Accessible", "GetChildren")], end)
    apps = refs_of(listed)
    if listed is None or isinstance(listed, FailedCall):
        found.problems.append("the accessibility registry did not answer")
    bus.forget_others({name for name, _ in apps})
    names = [ask_property(app, "Accessible", "Name") for app in apps]
    caches = [MethodCall(app[0], "/org/a11y/atspi/cache", A11Y + "Cache", "GetItems") for app in apps]
    answers = bus.call_all([*names, *caches], began + (end - began) * _CACHE_SHARE)
    without_cache: list[Ref] = []
    for index, (app, name, cache) in enumerate(zip(apps, answers[: len(apps)], answers[len(apps) :], strict=True)):
        word = text_of(name)
        if name is None or cache is None:
            found.silent.add(app)
            found.problems.append(f"application {word or app[0]!r} did not answer")
        found.add([Raw(app, DESKTOP, index, -1, frozenset(), word, _APPLICATION, 0)])
        items = value_of(cache)
        read = [node for node in map(read_item, items) if node is not None] if is_row(items) else []
        if read:
            found.bulk.add(app[0])
            found.add(node for node in read if node.ref != app and node.ref[0] == app[0])
        elif app not in found.silent:
            without_cache.append(app)
    if found.whole:
        asked = [Child(app, DESKTOP, index) for index, app in enumerate(apps) if app not in found.silent]
        found.nodes.update((node.ref, node) for node in describe(bus, found, asked, end))
        toolkits = bus.call_all([ask_property(child.ref, "Application", "ToolkitName") for child in asked], end)
        for child, toolkit in zip(asked, toolkits, strict=True):
            if child.ref[0] in found.bulk and text_of(toolkit) in TOOLKITS:
                _take_all(bus, found, child.ref, end, budget)
    _walk(bus, found, [found.nodes[app] for app in without_cache], end, budget)
    _walk(bus, found, _unfinished(found), end, budget)
    return found


def _take_all(bus: Bus, found: Found, app: Ref, end: float, budget: int) -> None:
    """Add all elements of an application that lists them at once; what its cache said of them is older."""
    listed = list_elements(bus, app, end)
    if listed is None:
        return
    top = dict.fromkeys(listed.windows, app)
    children = [Child(ref, top.get(ref, NOBODY), place) for place, ref in enumerate(listed.elements[: budget + 1])]
    described = describe(bus, found, children, end, usual=listed.usual)
    kept, wide = within_width(((node.ref, node.parent) for node in described), MAX_WIDTH)
    found.problems.extend(f"{path} has more than {MAX_WIDTH} children, of which so many are listed" for _, path in wide)
    if described:
        found.complete.add(app[0])
        for ref in [ref for ref in found.nodes if ref[0] == app[0] and ref != app]:
            del found.nodes[ref]
        found.add(node for node in described if node.ref in kept)


def _unfinished(found: Found) -> list[Raw]:
    """Elements whose children no cache holds or holds wrongly.

    Those are applications and windows, and whatever has more children than the cache knows: lists make theirs when
    asked, and a browser's cache misses most of a page. Of the screen alone only what is on it is looked into.
    """
    held = Counter(node.parent for node in found.nodes.values())
    apps = {node.ref for node in found.nodes.values() if node.parent == DESKTOP} - found.silent
    return [
        node
        for node in found.nodes.values()
        if node.ref[0] not in found.complete
        and (
            node.ref in apps
            or (found.wants(node) and (node.parent in apps or not 0 <= node.child_count <= held[node.ref]))
        )
    ]


def _walk(bus: Bus, found: Found, level: Sequence[Raw], end: float, budget: int) -> None:
    """Add everything below these elements that is wanted, one level at a time."""
    for _ in range(MAX_DEPTH):
        if not level:
            return
        if len(found.nodes) >= budget or time.monotonic() >= end:
            found.problems.append("the tree is incomplete: the limit of time or size was reached")
            return
        children = _children(bus, found, level, end)[: budget - len(found.nodes) + 1]
        new = found.add(describe(bus, found, children, end))
        level = [node for node in new if found.wants(node) and node.child_count != 0]


def _children(bus: Bus, found: Found, parents: Sequence[Raw], end: float) -> list[Child]:
    """The children of these elements that are not known yet."""
    untold = [node for node in parents if node.child_count < 0]
    answers = bus.call_all([ask_property(node.ref, "Accessible", "ChildCount") for node in untold], end)
    counts = {node.ref: number_of(answer, -1) for node, answer in zip(untold, answers, strict=True)}
    found.problems.extend(
        f"{node.ref[1]} did not answer" for node, answer in zip(untold, answers, strict=True) if answer is None
    )
    calls: list[MethodCall] = []
    owners: list[tuple[Ref, int | None]] = []
    for node in parents:
        count = counts.get(node.ref, node.child_count)
        if node.has("Table") and not 0 <= count <= MAX_WIDTH:
            found.sheets.append(node)
            continue
        if count > MAX_WIDTH:
            found.problems.append(f"{node.ref[1]} has {count} children, of which {MAX_WIDTH} are listed")
        if count > _MOST_AT_ONCE:
            calls.extend(ask(node.ref, "Accessible", "GetChildAtIndex", "i", index) for index in range(MAX_WIDTH))
            owners.extend((node.ref, index) for index in range(MAX_WIDTH))
        elif count != 0:
            calls.append(ask(node.ref, "Accessible", "GetChildren"))
            owners.append((node.ref, None))
    children: dict[Ref, Child] = {}
    for (parent, index), answer in zip(owners, bus.call_all(calls, end), strict=True):
        if index is None:
            for place, ref in enumerate(refs_of(answer)[:MAX_WIDTH]):
                children.setdefault(ref, Child(ref, parent, place))
        elif (one := ref_of(answer)) is not None:
            children.setdefault(one, Child(one, parent, index))
    for ref, parent, index in children.values():
        if ref in found.nodes:
            found.adopt(ref, parent, index)
    return [child for ref, child in children.items() if ref not in found.nodes]


def describe(
    bus: Bus,
    found: Found,
    children: Sequence[Child],
    end: float,
    usual: Container[Ref] = (),
) -> list[Raw]:
    """Ask elements for what a cache would have said of them; of what is not wanted only windows are listed.

    The interfaces of the `usual` ones are known. A child whose parent is nobody says itself whose it is.
    """
    states: dict[Ref, int] = {}
    if not found.whole:
        looks = bus.call_all([ask(child.ref, "Accessible", "GetState") for child in children], end)
        states = {child.ref: states_of(value_of(look)) for child, look in zip(children, looks, strict=True)}
        if None in looks:
            found.problems.append("some elements did not answer")
        apps = {node.ref for node in found.nodes.values() if node.parent == DESKTOP}
        children = [child for child in children if on_screen(states[child.ref]) or child.parent in apps]

    def questions(child: Child) -> list[MethodCall]:
        known = child.ref in usual
        return _questions(child.ref, bulk=child.ref[0] in found.bulk, state=found.whole, interfaces=not known)

    described: list[Raw] = []
    for child, replies in bus.of_each(children, questions, end):
        if None in replies:
            found.problems.append("some elements did not answer")
        left = iter(replies)
        state = states_of(value_of(next(left))) if found.whole else states[child.ref]
        words = USUAL if child.ref in usual else words_of(value_of(next(left)))
        role = next(left)
        if role is None:
            continue
        bulk = child.ref[0] in found.bulk
        bare = Raw(child.ref, child.parent, child.place, -1, words, "", number_of(role, 0), state, bulk=bulk)
        if bulk:
            described.append(with_properties(bare, next(left)))
        else:
            described.append(replace(bare, name=text_of(next(left)), child_count=number_of(next(left), -1)))
    return described


def _questions(ref: Ref, *, bulk: bool, state: bool, interfaces: bool) -> list[MethodCall]:
    calls = [ask(ref, "Accessible", "GetState")] if state else []
    if interfaces:
        calls.append(ask(ref, "Accessible", "GetInterfaces"))
    calls.append(ask(ref, "Accessible", "GetRole"))
    if bulk:
        return [*calls, ask_properties(ref, "Accessible")]
    return [*calls, *(ask_property(ref, "Accessible", name) for name in ("Name", "ChildCount"))]


def with_properties(node: Raw, answer: Answer) -> Raw:
    """An element with what the properties of its Accessible interface say."""
    name, count, attributes, parent = properties_of(answer, ("Name", "ChildCount", "Attributes", "Parent"))
    return replace(
        node,
        parent=as_ref(parent) or NOBODY if node.parent == NOBODY else node.parent,
        name=name if isinstance(name, str) else node.name,
        child_count=count if isinstance(count, int) else node.child_count,
        attributes=attributes_of(attributes),
    )
