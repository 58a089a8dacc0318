"""Whether a replay is where the recording was: the screen, the window with the focus, what had changed by then."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trueline.records.base import Record
from trueline.records.ledger import Changes
from trueline.records.observation import Observation
from trueline.records.tree import Tree
from trueline.tasks.checkers.home import NOISE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIXELS = 0.02
"""Share of the screen that may differ: a clock, a caret, a notification that has gone."""
_LEVELS = 24
"""A pixel differs when a channel does by more than this."""
Trace = frozenset[tuple[str, ...]]
"""What had changed, without what applications write for themselves."""


class Reproduction(Record):
    """How a replay compares with the recording just before a proposal runs; `None` is unknown."""

    pixels: float | None = None
    """Share of the screen that differs."""
    focus: bool | None = None
    """Whether the same window has the focus."""
    ledger: bool | None = None
    """Whether the same had changed by then."""

    @property
    def same(self) -> bool:
        """Whether nothing that is known differs too much, and something is known."""
        known = (None if self.pixels is None else self.pixels <= MOST_PIXELS, self.focus, self.ledger)
        return False not in known and True in known

    @property
    def differs(self) -> tuple[str, ...]:
        """What differs."""
        return (
            *(("screen",) if self.pixels is not None and self.pixels > MOST_PIXELS else ()),
            *(("focus",) if self.focus is False else ()),
            *(("ledger",) if self.ledger is False else ()),
        )


def compare_screens(recorded: Sequence[Observation], now: Observation) -> Reproduction:
    """Compare what is on the screen with what the agent saw; of several screens, the most similar one counts."""
    found = [_compare(each, now) for each in recorded]
    return min(found, key=lambda each: (len(each.differs), each.pixels or 0.0))


def _compare(recorded: Observation, now: Observation) -> Reproduction:
    old, new = recorded.png(), now.png()
    pixels = None if old is None or new is None else 0.0 if old == new else _share_that_differs(old, new)
    focus = None
    if recorded.tree is not None and now.tree is not None:
        focus = _active_frames(recorded.tree) == _active_frames(now.tree)
    return Reproduction(pixels=pixels, focus=focus)


def same_changes(recorded: Sequence[Changes | None], now: Sequence[Changes | None], place: int) -> bool | None:
    """Whether the same had changed before a step; `None` where the recording does not say.

    A change may be seen one step later on one side: a mail takes its time.
    """
    if any(changes is None for changes in recorded[:place]):
        return None
    before, soon = _trace(recorded[:place]), _trace(recorded[: place + 1])
    return before <= _trace(now[: place + 1]) and _trace(now[:place]) <= soon


def _trace(steps: Iterable[Changes | None]) -> Trace:
    found: set[tuple[str, ...]] = set()
    for changes in steps:
        if changes is None:
            continue
        for file in changes.files:
            if not file.path.startswith("/") and not any(fnmatchcase(file.path, pattern) for pattern in NOISE):
                found.add(("file", file.path, "gone" if file.change == "deleted" else "there"))
        found |= {("mail", *mail.to) for mail in changes.mails}
        found |= {("request", request.host) for request in changes.requests if request.method is not None}
    return frozenset(found)


def _active_frames(tree: Tree) -> frozenset[tuple[str, str]]:
    return frozenset(
        (app.name, frame.name) for app in tree.root.children for frame in app.children if "active" in frame.states
    )


def _share_that_differs(old: bytes, new: bytes) -> float:
    import numpy as np

    before, after = _pixels(old), _pixels(new)
    if before.shape != after.shape:
        return 1.0
    apart = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2) > _LEVELS
    return float(apart.mean())


def _pixels(png: bytes) -> NDArray[np.uint8]:
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        return np.asarray(image.convert("RGB"))
