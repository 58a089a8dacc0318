"""A screen's elements in the order in which they lie, made once and asked often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from operator import attrgetter
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
_CHILDREN, _STATES = attrgetter("children"), attrgetter("states")
_TEXTS = attrgetter("name", "text")
_APART = "\ue000"


class Elements(NamedTuple):
    """The elements of a screen in document order; parents and windows by their places in it.

    Lists side by side rather than an object for each element: a screen may have tens of thousands, and each is new.
    """

    nodes: list[Node]
    parents: list[int]
    """-1 for the outermost element."""
    windows: list[int]


@dataclass(frozen=True)
class View:
    """All elements of a screen; an empty view has none."""

    elements: Elements = field(default_factory=lambda: Elements([], [], []))
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
        of_elements = chain.from_iterable(map(_TEXTS, self.elements.nodes))
        found = dict.fromkeys(chain(of_elements, self.extra.splitlines()))
        found.pop("", None)
        return tuple(found)

    @cached_property
    def joined(self) -> str:
        """All texts joined, folded for comparison."""
        # Blanks are folded in all texts at once; a character that no text keeps stands between them.
        apart = _APART.join([text if len(text) <= MAX_TEXT else text[:MAX_TEXT] for text in self.texts])
        lines = " ".join(apart.split()).replace(_APART, "\n")
        return fold(lines, limit=_MAX_SCREEN).casefold()

    def where(self, folded: str) -> str | None:
        """Return the text of the element that contains a folded text."""
        return next((text for text in self.texts if folded in key(text)), None) if folded in self.joined else None

    @cached_property
    def focused(self) -> Target | None:
        """The focused element; if several are, the one in the active window."""
        nodes, _, windows = self.elements
        places = [place for place, states in enumerate(map(_STATES, nodes)) if "focused" in states]
        active = [place for place in places if "active" in nodes[windows[place]].states]
        return self.target((active or places)[-1]) if places else None

    @cached_property
    def active(self) -> Target | None:
        """The window in front."""
        nodes, _, of_element = self.elements
        windows = sorted(place for place in set(of_element) if of_element[place] == place)
        return next((self.target(place) for place in windows if "active" in nodes[place].states), None)

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
        return any(node.role in _FRAMES for node in self.elements.nodes)

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
        others = (place for place in inside if self._node(place).role in _INTERACTIVE and place not in around)
        return tuple(self.target(place) for place in others)[:_MOST_BENEATH]

    def behind(self, before: Target | None) -> tuple[Target, ...]:
        """Return the elements that Tab may reach from an element, by the order in the tree."""
        window = self.active
        order = [self.target(at) for at, node in enumerate(self.elements.nodes) if self._takes_keys(node)]
        order = [target for target in order if window is None or target.window == window.window]
        for at, target in enumerate(order):
            if before is not None and target.place == before.place:
                return (order[(at + 1) % len(order)],)
        return tuple(order)

    @staticmethod
    def _takes_keys(node: Node) -> bool:
        return node.role in _INTERACTIVE and _has_box(node)

    def _node(self, place: int) -> Node:
        return self.elements.nodes[place]

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
        x, y = at
        under = [
            place
            for place, node in enumerate(self.elements.nodes)
            if (corner := node.position) is not None
            and (size := node.size) is not None
            and 0 <= x - corner[0] < size[0]
            and 0 <= y - corner[1] < size[1]
        ]
        if not under:
            return [], True
        of_element = self.elements.windows
        ranks = {window: self._rank(window) for window in dict.fromkeys(of_element[place] for place in under)}
        top = max(ranks.values())
        windows = [window for window, rank in ranks.items() if rank == top]
        return [place for place in under if of_element[place] == windows[-1]], len(windows) == 1

    def target(self, place: int, *, sure: bool = True) -> Target:
        """Describe an element and where it stands."""
        node = self._node(place)
        parents = list(self._upwards(place))
        window = next((above for above in parents if above.role in _WINDOWS and above.name), None)
        app = next((above for above in parents if above.role == "application"), None)
        dialog = next((at for at in self._places_upwards(place) if self._node(at).role in _DIALOGS), None)
        return Target(
            role=node.role,
            name=node.name or ("" if node.text else self._inner_name(place)),
            text=node.text,
            window=window.name if window else "",
            app=app.name if app else "",
            dialog="" if dialog is None else self._words(dialog),
            url=next((node.attributes[name] for name in _URL_KEYS if name in node.attributes), ""),
            states=node.states,
            in_page=any(above.role in ("document-web", "document-frame") for above in parents[1:]),
            sure=sure,
        )

    def in_window_of(self, target: Target) -> Iterator[Target]:
        """The elements of the window an element stands in."""
        nodes, _, windows = self.elements
        for place, node in enumerate(nodes):
            if node.role in EDITABLE_ROLES and nodes[windows[place]].name == target.window:
                yield self.target(place)

    def _area(self, place: int) -> int:
        size = self._node(place).size
        return 0 if size is None else size.width * size.height

    def _rank(self, window: int) -> int:
        node = self._node(window)
        app = next((above.name.casefold() for above in self._upwards(window) if above.role == "application"), "")
        if app.startswith(DESKTOPS) or node.role == "desktop-frame":
            return 0
        if node.role in _ON_TOP or any(word in app for word in _NOTIFIERS):
            return 3
        return 2 if "active" in node.states else 1

    def _pressed(self, place: int) -> int:
        """A click on the text or the picture of a button presses the button."""
        for at in self._places_upwards(place):
            if self._node(at).role in _INTERACTIVE:
                return at
            if self._node(at).role in _WINDOWS:
                break
        return place

    def _places_upwards(self, place: int) -> Iterator[int]:
        while place >= 0:
            yield place
            place = self.elements.parents[place]

    def _upwards(self, place: int) -> Iterator[Node]:
        return (self._node(at) for at in self._places_upwards(place))

    def _inner_name(self, place: int) -> str:
        children = self._node(place).children
        return " ".join(child.name or child.text for child in children if child.name or child.text)[:_MAX_DIALOG]

    def _words(self, place: int) -> str:
        words: list[str] = []
        length = 0
        for node in self._node(place).walk():
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
        return View(_listed(observation.tree.root), extra, True, partial, lines)
    marks = [Node(mark.tag, mark.name, position=mark.position, size=mark.size) for mark in observation.marks]
    return View(_listed(Node("desktop-frame", children=tuple(marks))), extra, bool(marks), partial, lines)


def extra_text(observation: Observation | None) -> str:
    """What a screen says besides its elements."""
    texts = (observation.text, observation.terminal) if observation else ()
    return "\n".join(text for text in texts if text)


def _has_box(node: Node) -> bool:
    return node.position is not None and node.size is not None and node.size.width > 0 and node.size.height > 0


def _listed(root: Node) -> Elements:
    nodes: list[Node] = []
    parents: list[int] = []
    windows: list[int] = []
    # Those whose children are being listed: the rest of them, their place, and the window they lie in.
    todo: list[tuple[Iterator[Node], int, int]] = [(iter((root,)), -1, 0)]
    while todo:
        children, parent, window = todo[-1]
        for node in children:
            place = len(nodes)
            # The outermost window counts; a dialog of a web page belongs to its browser's window.
            inside = place if window == 0 and node.role in _WINDOWS else window
            nodes.append(node)
            parents.append(parent)
            windows.append(inside)
            below = node.children
            if not below:
                continue
            if inside and not any(map(_CHILDREN, below)):
                # Most elements are leaves within a window.
                nodes.extend(below)
                parents.extend(repeat(place, len(below)))
                windows.extend(repeat(inside, len(below)))
                continue
            todo.append((iter(below), place, inside))
            break
        else:
            todo.pop()
    return Elements(nodes, parents, windows)
