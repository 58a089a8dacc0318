"""A node of the accessibility tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from trueline.actions.coordinates import Size

Platform = Literal["ubuntu", "windows", "macos"]


class Place(NamedTuple):
    """Top left corner in pixels of the screen; may lie outside of it."""

    x: int
    y: int


class NodeAction(NamedTuple):
    """Something that can be done to a node, as the application describes it."""

    name: str
    description: str | None = None
    keys: str | None = None


class NodeValue(NamedTuple):
    """The value of a slider, spin box and the like, as the application writes it."""

    value: str | None = None
    min: str | None = None
    max: str | None = None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One element. Everything in it comes from applications and is untrusted."""

    role: str
    """As OSWorld writes it: spaces are hyphens (`push-button`)."""
    name: str = ""
    text: str = ""
    states: frozenset[str] = frozenset()
    """The states that hold (`showing`, `enabled`, `focused` …)."""
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    position: Place | None = None
    """Top left corner; known only for elements that are visible and showing."""
    size: Size | None = None
    covered: bool = False
    """Another window lies over it, or most of it: it cannot be clicked. Only the local desktop knows."""
    visible_point: Place | None = None
    """Where a click reaches it although another window lies over its middle."""
    value: NodeValue | None = None
    actions: tuple[NodeAction, ...] = ()
    image: bool = False
    selection: bool = False
    other: Mapping[str, str] = field(default_factory=dict[str, str])
    """Attributes this type has no field for: `prefix:name`, or `{uri}name` for a foreign namespace."""
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in document order."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    @property
    def centre(self) -> Place | None:
        """The middle of its box."""
        if self.position is None or self.size is None:
            return None
        return Place(self.position.x + self.size.width // 2, self.position.y + self.size.height // 2)

    @property
    def click_point(self) -> Place | None:
        """Where a click reaches it: its middle, or the point that is seen; `None` if it is covered or has no box."""
        return None if self.covered else self.visible_point or self.centre


@dataclass(frozen=True, slots=True)
class Tree:
    """A desktop's tree; the platform decides the namespaces of its XML and which nodes count as shown."""

    root: Node
    platform: Platform = "ubuntu"
