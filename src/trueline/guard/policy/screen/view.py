"""A screen's elements in the order in which they lie, made once and asked often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from trueline.actions.types import Point
from trueline.guard.policy.folding import MAX_TEXT, fold, key
from trueline.guard.policy.screen.ocr_text import MOST_LINES, ocr_text_at
from trueline.guard.policy.screen.target import BUTTON_ROLES, DESKTOPS, EDITABLE_ROLES, Target
from trueline.records.observation import Observation
from trueline.records.text_line import TextLine
from trueline.records.tree import Node

_WINDOWS = frozenset(
    {"frame", "window", "dialog", "alert", "notification", "tool-tip", "popup-menu", "menu", "file-chooser"}
)
_FRAMES = frozenset({"frame", "window", "dialog", "file-chooser"})
"""What every application has at least one of; the table of shown elements has none of them."""
_ON_TOP = frozenset({"dialog", "alert", "notification", "tool-tip", "popup-menu", "menu", "file-chooser"})
_NOTIFIERS = ("notif", "dunst", "mako")
_DIALOGS = frozenset({"dialog", "alert", "file-chooser", "notification"})
_CHANGEABLE = frozenset({
    "combo-box", "slider", "spin-button", "scroll-bar", "list-item", "table-cell", "tree-item", "menu", "dial",
    "canvas",
})  # fmt: skip
_INTERACTIVE = BUTTON_ROLES | EDITABLE_ROLES | _CHANGEABLE
_URL_KEYS = ("url", "href", "uri", "link")
_MAX_DIALOG = 500
_MOST_BENEATH = 5
_MAX_SCREEN = 2_000_000


class Entry(NamedTuple):
    """One element with its box, its parent and its window, both as places in the list."""

    node: Node
    parent: int
    window: int
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True)
class View:
    """All elements of a screen; an empty view has none."""

    entries: tuple[Entry, ...] = ()
    extra: str = ""
    """The text that OCR read, and the terminal's text."""
    known: bool = field(default=False)
    """Whether there is a tree or a list of marks at all."""
    partial: bool = False
    """Whether the tree is incomplete."""
    lines: tuple[TextLine, ...] = ()
    """What OCR read, with its places."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts on the screen, element by element, without duplicates."""
        found = (text for entry in self.entries for text in (entry.node.name, entry.node.text))
        return tuple(dict.fromkeys(text for text in (*found, *self.extra.splitlines()) if text))

    @cached_property
    def joined(self) -> str:
        """All texts joined, folded for comparison."""
        lines = "\n".join(" ".join(text[:MAX_TEXT].split()) for text in self.texts)
        return fold(lines, limit=_MAX_SCREEN).casefold()

    def where(self, folded: str) -> str | None:
        """Return the text of the element that contains a folded text."""
        return next((text for text in self.texts if folded in key(text)), None) if folded in self.joined else None

    @cached_property
    def focused(self) -> Target | None:
        """The focused element; if several are, the one in the active window."""
        places = [place for place, entry in enumerate(self.entries) if "focused" in entry.node.states]
        active = [place for place in places if "active" in self.entries[self.entries[place].window].node.states]
        return self.target((active or places)[-1]) if places else None

    @cached_property
    def active(self) -> Target | None:
        """The window in front."""
        windows = (place for place, entry in enumerate(self.entries) if entry.window == place)
        return next((self.target(place) for place in windows if "active" in self.entries[place].node.states), None)

    def hit(self, at: Point) -> Target | None:
        """Return the element at a point: the one to press, else the smallest; None if there is none."""
        inside, sure = self._at(at)
        if not inside:
            return None
        smallest = min(reversed(inside), key=self._area)
        # Where the windows are not known, nothing says which of two elements lies on top, unless one is in the other.
        sure = sure and (self._has_windows or {*inside} <= {*self._places_upwards(smallest)})
        return self.target(self._pressed(smallest), sure=sure)

    @property
    def complete(self) -> bool:
        """Whether there is nothing on the screen besides what is listed here."""
        return self.known and not self.partial

    @cached_property
    def _has_windows(self) -> bool:
        return any(entry.node.role in _FRAMES for entry in self.entries)

    def is_bare(self, at: Point) -> bool:
        """Whether the tree does not tell what is drawn at a point."""
        hit = self.hit(at)
        return self.partial or hit is None or hit.is_bare

    def written(self, at: Point) -> tuple[Target, ...]:
        """Return the texts that OCR read at a point where the tree does not describe what is drawn."""
        return ocr_text_at(self.lines, at) if self.lines and self.is_bare(at) else ()

    def beneath(self, at: Point) -> tuple[Target, ...]:
        """Return the other elements at a point that can be pressed or changed, in the same window."""
        inside, _ = self._at(at)
        if not inside:
            return ()
        hit = self._pressed(min(reversed(inside), key=self._area))
        around = {*self._places_upwards(hit)}
        others = (place for place in inside if self.entries[place].node.role in _INTERACTIVE and place not in around)
        return tuple(self.target(place) for place in others)[:_MOST_BENEATH]

    def behind(self, before: Target | None) -> tuple[Target, ...]:
        """Return the elements that Tab may reach from an element, by the order in the tree."""
        window = self.active
        order = [self.target(at) for at, entry in enumerate(self.entries) if self._takes_keys(entry)]
        order = [target for target in order if window is None or target.window == window.window]
        for at, target in enumerate(order):
            if before is not None and target.place == before.place:
                return (order[(at + 1) % len(order)],)
        return tuple(order)

    @staticmethod
    def _takes_keys(entry: Entry) -> bool:
        return entry.node.role in _INTERACTIVE and entry.right > entry.left

    def _at(self, at: Point) -> tuple[list[int], bool]:
        """The elements at a point in the window on top, and whether it is certain that it is."""
        if at not in self._points:
            self._points[at] = self._find(at)
        return self._points[at]

    @cached_property
    def _points(self) -> dict[Point, tuple[list[int], bool]]:
        """What was found at points before: the clicks of earlier steps come again with every check."""
        return {}

    def _find(self, at: Point) -> tuple[list[int], bool]:
        under = [
            place
            for place, entry in enumerate(self.entries)
            if entry.left <= at.x < entry.right and entry.top <= at.y < entry.bottom
        ]
        if not under:
            return [], True
        ranks = {entry.window: self._rank(entry.window) for entry in (self.entries[place] for place in under)}
        top = max(ranks.values())
        windows = [window for window, rank in ranks.items() if rank == top]
        return [place for place in under if self.entries[place].window == windows[-1]], len(windows) == 1

    def target(self, place: int, *, sure: bool = True) -> Target:
        """Describe an element and where it stands."""
        node = self.entries[place].node
        parents = list(self._upwards(place))
        window = next((entry.node for entry in parents if entry.node.role in _WINDOWS and entry.node.name), None)
        app = next((entry.node for entry in parents if entry.node.role == "application"), None)
        dialog = next((at for at in self._places_upwards(place) if self.entries[at].node.role in _DIALOGS), None)
        return Target(
            role=node.role,
            name=node.name or ("" if node.text else self._inner_name(place)),
            text=node.text,
            window=window.name if window else "",
            app=app.name if app else "",
            dialog="" if dialog is None else self._words(dialog),
            url=next((node.attributes[name] for name in _URL_KEYS if name in node.attributes), ""),
            states=node.states,
            in_page=any(entry.node.role in ("document-web", "document-frame") for entry in parents[1:]),
            sure=sure,
        )

    def in_window_of(self, target: Target) -> Iterator[Target]:
        """The elements of the window an element stands in."""
        for place, entry in enumerate(self.entries):
            if entry.node.role in EDITABLE_ROLES and self.entries[entry.window].node.name == target.window:
                yield self.target(place)

    def _area(self, place: int) -> int:
        entry = self.entries[place]
        return (entry.right - entry.left) * (entry.bottom - entry.top)

    def _rank(self, window: int) -> int:
        node = self.entries[window].node
        app = next(
            (entry.node.name.casefold() for entry in self._upwards(window) if entry.node.role == "application"), ""
        )
        if app.startswith(DESKTOPS) or node.role == "desktop-frame":
            return 0
        if node.role in _ON_TOP or any(word in app for word in _NOTIFIERS):
            return 3
        return 2 if "active" in node.states else 1

    def _pressed(self, place: int) -> int:
        """A click on the text or the picture of a button presses the button."""
        for at in self._places_upwards(place):
            if self.entries[at].node.role in _INTERACTIVE:
                return at
            if self.entries[at].node.role in _WINDOWS:
                break
        return place

    def _places_upwards(self, place: int) -> Iterator[int]:
        while place >= 0:
            yield place
            place = self.entries[place].parent

    def _upwards(self, place: int) -> Iterator[Entry]:
        return (self.entries[at] for at in self._places_upwards(place))

    def _inner_name(self, place: int) -> str:
        children = self.entries[place].node.children
        return " ".join(child.name or child.text for child in children if child.name or child.text)[:_MAX_DIALOG]

    def _words(self, place: int) -> str:
        words: list[str] = []
        length = 0
        for node in self.entries[place].node.walk():
            text = node.name or node.text
            if text and node.role not in BUTTON_ROLES:
                words.append(text)
                length += len(text) + 1
                if length > _MAX_DIALOG:
                    break
        return " ".join(words)[:_MAX_DIALOG]


def view(observation: Observation | None) -> View:
    """List the elements of a screen in document order, from its tree or else from its marks."""
    if observation is None:
        return View()
    extra, partial, lines = extra_text(observation), observation.partial, observation.lines[:MOST_LINES]
    if observation.tree is not None:
        return View(tuple(_listed(observation.tree.root)), extra, True, partial, lines)
    marks = [Node(mark.tag, mark.name, position=mark.position, size=mark.size) for mark in observation.marks]
    return View(tuple(_listed(Node("desktop-frame", children=tuple(marks)))), extra, bool(marks), partial, lines)


def extra_text(observation: Observation | None) -> str:
    """What a screen says besides its elements."""
    texts = (observation.text, observation.terminal) if observation else ()
    return "\n".join(text for text in texts if text)


def _listed(root: Node) -> Iterator[Entry]:
    todo: list[tuple[Node, int, int]] = [(root, -1, 0)]
    place = 0
    while todo:
        node, parent, window = todo.pop()
        at, size = node.position, node.size
        # The outermost window counts; a dialog of a web page belongs to its browser's window.
        inside = place if window == 0 and node.role in _WINDOWS else window
        if at is None or size is None or size.width <= 0 or size.height <= 0:
            yield Entry(node, parent, inside, 0, 0, 0, 0)
        else:
            yield Entry(node, parent, inside, at.x, at.y, at.x + size.width, at.y + size.height)
        todo.extend((child, place, inside) for child in reversed(node.children))
        place += 1
