"""The addresses of the web pages on the screen, as the browser itself tells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from trueline.desktop.accessibility.answers import Details, Raw, Ref, ask, attributes_of, value_of
from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.connection import Answer
from trueline.desktop.accessibility.names import role_name
from trueline.desktop.accessibility.walk import DESKTOP, MAX_DEPTH
from trueline.records.tree import Node, Place, Size

_ADDRESSES = ("DocURL", "URI")
"""Firefox's name and Chromium's. A browser gives it for what it has loaded; no page can write it, whatever roles and
names it gives its elements."""
_ROLES = frozenset({"document-web", "document-frame"})
_MOST = 64


@dataclass(frozen=True)
class Document:
    """A document that an application shows."""

    pid: int | None
    """The process behind the application, which the bus has from the kernel."""
    place: Place
    size: Size
    origin: str
    """Empty for one that comes from no host."""
    frame: Node
    """The window that it stands in, bare."""


def read_documents(
    bus: Bus, nodes: Mapping[Ref, Raw], details: Mapping[Ref, Details], pids: Mapping[str, int], end: float
) -> tuple[Document, ...]:
    """The documents among elements, in their order; one that does not answer in time has no origin.

    Args:
        bus: Where to ask.
        nodes: All elements.
        details: Their boxes.
        pids: The process behind each name on the bus.
        end: When to give up.
    """
    shown = [
        node for node in nodes.values() if node.on_screen and node.has("Document") and role_name(node.role) in _ROLES
    ]
    shown = shown[:_MOST]
    answers = bus.call_all([ask(node.ref, "Document", "GetAttributes") for node in shown], end)
    found: list[Document] = []
    for node, answer in zip(shown, answers, strict=True):
        box = details.get(node.ref)
        if box is None or box.position is None or box.size is None or min(box.size) <= 0:
            continue
        frame = _frame(node, nodes)
        of_frame = details.get(frame.ref, Details())
        window = Node(role_name(frame.role), frame.name, position=of_frame.position, size=of_frame.size)
        found.append(Document(pids.get(node.ref[0]), box.position, box.size, origin_of(_address(answer)), window))
    return tuple(found)


def _frame(node: Raw, nodes: Mapping[Ref, Raw]) -> Raw:
    """The element below the application that an element lies in."""
    for _ in range(MAX_DEPTH):
        above = nodes.get(node.parent)
        if above is None or above.parent == DESKTOP:
            break
        node = above
    return node


def _address(answer: Answer) -> str:
    attributes = attributes_of(value_of(answer)) or {}
    return next((address for name in _ADDRESSES if (address := attributes.get(name))), "")


def origin_of(address: str) -> str:
    """Scheme, host and port of an address; empty for one that names no host of the web."""
    try:
        parts = urlsplit(address)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return ""
    host = parts.hostname or ""
    if not host or parts.scheme not in ("http", "https"):
        return ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"
