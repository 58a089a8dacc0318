"""Lists all elements of a browser with one call, by AT-SPI's Collection interface.

Of a page a browser keeps almost nothing in its cache, and going down level by level costs two questions an element.
Chromium answers AT-SPI's Collection interface in milliseconds. LibreOffice hangs on it, for good, and others may too:
nobody else is asked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trueline.desktop.accessibility.answers import Ref, ask, refs_of
from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.connection import MethodCall
from trueline.desktop.accessibility.names import A11Y

TOOLKITS = frozenset({"Chromium"})
USUAL = frozenset(A11Y + name for name in ("Accessible", "Component", "Text", "Action"))
"""The interfaces that most elements of a browser implement."""
_RULE = "(aiia{ss}iaiiasib)"
_ALL, _ANY = 1, 2
_CANONICAL = 1
_ANSWER_S = 2.0


@dataclass(frozen=True)
class Listed:
    """The elements of an application."""

    elements: tuple[Ref, ...]
    """In document order: parents before children, children in their order."""
    usual: frozenset[Ref]
    """Those that implement exactly the usual interfaces, as far as it is asked about."""
    windows: tuple[Ref, ...]
    """The windows directly below the application; what they call their parent may not be an element."""


def list_elements(bus: Bus, root: Ref, end: float) -> Listed | None:
    """List all elements below an application's root; `None` when the application does not answer so."""
    calls = [
        _matches(root, (), _ALL),
        _matches(root, ("Text", "Action"), _ALL),
        _matches(root, ("Image", "Selection", "Value", "Table"), _ANY),
        ask(root, "Accessible", "GetChildren"),
    ]
    answers = bus.call_all(calls, min(end, time.monotonic() + _ANSWER_S))
    if not all(isinstance(answer, tuple) for answer in answers):
        return None
    every, usual, special, windows = map(refs_of, answers)
    own = tuple(ref for ref in dict.fromkeys(every) if ref[0] == root[0] and ref != root)
    return Listed(own, frozenset(usual) - frozenset(special), tuple(windows)) if own else None


def _matches(root: Ref, interfaces: Sequence[str], kind: int) -> MethodCall:
    attributes: dict[str, str] = {}
    rule = ([0, 0], _ALL, attributes, _ALL, [0, 0, 0, 0], _ALL, list(interfaces), kind, False)
    return ask(root, "Collection", "GetMatches", f"{_RULE}uib", rule, _CANONICAL, 0, True)


def within_width(parents: Iterable[tuple[Ref, Ref]], most: int) -> tuple[set[Ref], list[Ref]]:
    """Those elements, given with their parents in document order, that are among the first children of theirs.

    Returns them and the parents that have more.
    """
    counts: Counter[Ref] = Counter()
    kept: set[Ref] = set()
    for ref, parent in parents:
        counts[parent] += 1
        if counts[parent] <= most:
            kept.add(ref)
    return kept, [parent for parent, count in counts.items() if count > most]
