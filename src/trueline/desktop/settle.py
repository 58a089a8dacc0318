"""When a screen has come to rest: nothing has changed for a short while, and no window came or went.

That the programs sleep shortens the wait: a program that was given a key and sleeps again has done what it does about
it, while one that waits for a processor on a busy machine has not, however still its window is.

What never rests does not count once it is known: a caret or a clock (a place that changes alone, at the pace of a
blink) and an animation (a small place that changes without a pause), as long as the windows stay the same. All else is
waited for up to a limit. Quiet pixels do not mean that a program that was just launched has its window: a desktop that
can tell waits for that as well.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from trueline.desktop.screen import Framebuffer
from trueline.desktop.screen.frame import Pixels

TILE_WIDTH, TILE_HEIGHT = 64, 40
_MOST_TILES_OF_A_BLINK = 2
_BLINKS = 3
_BLINK_S = (0.3, 1.5)
"""The shortest and the longest time between two changes of something that blinks."""
_MOST_TILES_OF_AN_ANIMATION = 48
_PART_OF_THE_SCREEN = 0.1
"""What moves on more of the screen than this is not an animation on it: the screen changes."""
_ANIMATION_S = 1.5
"""What has changed in the same place for this long, never resting as long as a blink, is an animation."""


class Tile(NamedTuple):
    """A part of the screen, 64 x 40 pixels, counted from the top left."""

    column: int
    row: int


@dataclass(frozen=True)
class SettleRules:
    """When the screen counts as settled, in seconds."""

    quiet: float = 0.15
    """Nothing has changed and no program has run for this long."""
    awake: float = 0.25
    """Nothing has changed for this long, whatever runs."""
    limit: float = 3.0
    """Give up after this long."""
    poll: float = 0.01


@dataclass(frozen=True)
class Settling:
    """The result of a wait."""

    settled: bool
    """False: the limit came first."""
    seconds: float
    last_change: float | None
    """Seconds from the beginning to the last change that counted; `None` when there was none."""


@dataclass
class _History:
    """When one tile changed."""

    since: float
    """When it began to change without a pause as long as a blink."""
    last: float
    times: list[float]
    """The last few times, for the pace of a blink."""

    def note(self, now: float) -> None:
        if now - self.last >= _BLINK_S[0]:
            self.since = now
        self.last = now
        self.times = [*self.times, now][-_BLINKS:]

    def blinks(self) -> bool:
        gaps = [later - earlier for earlier, later in pairwise(self.times)]
        return len(gaps) == _BLINKS - 1 and all(_BLINK_S[0] <= gap <= _BLINK_S[1] for gap in gaps)

    def moves(self) -> bool:
        return self.last - self.since >= _ANIMATION_S


@dataclass
class Restless:
    """Remembers where the screen blinks or moves all the time. Reuse it: learning takes a second or two."""

    tiles: set[Tile] = field(default_factory=set[Tile])
    most: int = _MOST_TILES_OF_AN_ANIMATION
    """Tiles that can be restless at the same time."""
    _seen: dict[Tile, _History] = field(default_factory=dict[Tile, _History])
    _windows: Hashable = None

    @classmethod
    def on(cls, width: int, height: int) -> Self:
        """The restless tiles of a screen of this size; never more than a small part of it."""
        tiles = -(-width // TILE_WIDTH) * -(-height // TILE_HEIGHT)
        return cls(most=min(_MOST_TILES_OF_AN_ANIMATION, int(tiles * _PART_OF_THE_SCREEN)))

    def under(self, windows: Hashable) -> None:
        """Set the present windows; if they change, what was learned is forgotten."""
        if windows != self._windows:
            self.tiles.clear()
            self._seen.clear()
            self._windows = windows

    def note(self, changed: frozenset[Tile], now: float) -> frozenset[Tile]:
        """Note the changed tiles and return those that are not restless."""
        new = len(changed - self.tiles)
        for tile in changed:
            history = self._seen.setdefault(tile, _History(now, now, []))
            history.note(now)
            if new > _MOST_TILES_OF_A_BLINK:
                # A real change: what blinks there from now on may be something else, and must be learnt anew.
                self.tiles.discard(tile)
                history.times = []
            elif history.blinks():
                self.tiles.add(tile)
            if new <= self.most and history.moves():
                self.tiles.add(tile)
        if len(self.tiles) > self.most:
            # A small place after the other, but all of them together are not small.
            self.tiles.clear()
        return changed - self.tiles


@dataclass
class SettleDecision:
    """Decides when the wait is over, from what it is given; it reads no clock and no screen itself."""

    rules: SettleRules
    restless: Restless
    began: float
    windows: Hashable
    _last: float | None = None
    _ran: float | None = None

    def see(self, now: float, changed: frozenset[Tile], windows: Hashable, *, asleep: bool) -> Settling | None:
        """Note one look; returns the result, or None while the wait continues.

        `asleep` says that no program has run since the last look.
        """
        self.restless.under(windows)
        if self.restless.note(changed, now) or windows != self.windows:
            self._last = now
            self.windows = windows
        if not asleep:
            self._ran = now
        waited = now - (self.began if self._last is None else self._last)
        slept = now - (self.began if self._ran is None else self._ran)
        settled = waited >= self.rules.awake or min(waited, slept) >= self.rules.quiet
        if not settled and now - self.began < self.rules.limit:
            return None
        return Settling(settled, now - self.began, None if self._last is None else self._last - self.began)


class TileWatch:
    """Says which tiles of a framebuffer have changed since it last looked."""

    def __init__(self, screen: Framebuffer) -> None:
        """Start watching; the present content is not a change."""
        self._screen = screen
        self._before = screen.rows()
        screen.read_into(self._before)

    def look(self) -> frozenset[Tile]:
        """The tiles that changed since the last look."""
        found: list[Tile] = []
        for row, top in enumerate(range(0, len(self._before), TILE_HEIGHT)):
            # Band by band: what was just read is still in the processor's cache when it is compared.
            before = self._before[top : top + TILE_HEIGHT]
            now = self._screen.differing(before, top)
            if now is not None:
                found += [Tile(column, row) for column in changed_columns(before, now)]
                before[:] = now
        return frozenset(found)


def changed_columns(before: Pixels, now: Pixels) -> list[int]:
    """The columns of tiles in which two readings of one row of tiles (rows of bytes, four per pixel) differ."""
    old, new = before.view(np.uint32), now.view(np.uint32)
    if np.array_equal(old, new):
        return []
    starts = list(range(0, new.shape[1], TILE_WIDTH))
    columns = np.logical_or.reduceat((old != new).any(axis=0), starts)
    return [int(column) for column in np.flatnonzero(columns)]
