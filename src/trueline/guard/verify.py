"""Between a check and the act the screen may change: what the guard saw is compared with what is there now."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueline.actions import Point
from trueline.actions.facts import proposal_facts
from trueline.desktop.types import Desktop, NotSupported, Window
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal

AROUND = 40
"""Pixels to each side of a point that are compared."""
_LEVELS = 24
"""A pixel has changed when a channel differs by more than this."""
_SHARE = 0.01
"""So much of the surroundings must have changed to count: a caret is less, a pop-up is more."""

_LOOKS = 3
"""How often a screen on which windows come and go is looked at."""

Layout = tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class View:
    """A moment of the screen that a verdict rests on."""

    observation: Observation
    windows: tuple[Window, ...] | None
    """`None` where the desktop cannot list them."""


async def view(desktop: Desktop, want: ObservationSpec) -> View:
    """Look at the screen and the windows on it.

    The windows are those from before the look: one that came meanwhile is not in the picture, so it must count as a
    change. When windows came or went, it looks again, a few times.
    """
    looks = 0
    while True:
        windows = await _windows(desktop)
        observation = await desktop.observe(want)
        looks += 1
        if windows is None or looks == _LOOKS or _layout(windows) == _layout(await _windows(desktop) or ()):
            return View(observation, windows)


async def changes(desktop: Desktop, seen: View, proposal: Proposal) -> tuple[str, ...]:
    """Say what is no longer as it was seen, of what the proposal relies on: `pixels`, `focus`, `windows`."""
    found: list[str] = []
    points = tuple({touch.at for touch in proposal_facts(proposal.actions).touches})
    before = seen.observation.png()
    if points and before is not None:
        now = (await desktop.observe(ObservationSpec(screenshot=True))).png()
        # The encoder gives equal bytes for equal pixels, so decoding is needed only when something has changed.
        if now is not None and now != before and _differ(before, now, points):
            found.append("pixels")
    windows = await _windows(desktop)
    if windows is not None and seen.windows is not None:
        if _active(windows) != _active(seen.windows):
            found.append("focus")
        if _layout(windows) != _layout(seen.windows):
            found.append("windows")
    return tuple(found)


async def _windows(desktop: Desktop) -> tuple[Window, ...] | None:
    try:
        return await desktop.windows()
    except NotSupported:
        return None


def _active(windows: Iterable[Window]) -> int | None:
    return next((window.id for window in windows if window.active), None)


def _layout(windows: Iterable[Window]) -> Layout:
    return tuple((w.id, w.app, w.x, w.y, w.width, w.height) for w in windows)


def _differ(before: bytes, now: bytes, points: Iterable[Point]) -> bool:
    old, new = _pixels(before), _pixels(now)
    if old.shape != new.shape:
        return True
    return any(_changed(_near(old, at), _near(new, at)) for at in points)


def _near(pixels: NDArray[np.uint8], at: Point) -> NDArray[np.uint8]:
    top, left = max(0, at.y - AROUND), max(0, at.x - AROUND)
    return pixels[top : max(0, at.y + AROUND), left : max(0, at.x + AROUND)]


def _changed(old: NDArray[np.uint8], new: NDArray[np.uint8]) -> bool:
    if not old.size:
        return False
    apart = np.abs(old.astype(np.int16) - new.astype(np.int16)).max(axis=2) > _LEVELS
    return float(apart.mean()) > _SHARE


def _pixels(png: bytes) -> NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        return np.asarray(image.convert("RGB"))
