"""Re-verify the target: compare what the guard saw with the screen just before the act."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trueline.actions import Point
from trueline.actions.facts import proposal_facts
from trueline.desktop.screen_state import ScreenState, list_windows, window_layout
from trueline.desktop.types import Desktop, Window
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AROUND = 40
"""Pixels to each side of a point that are compared."""
_LEVELS = 24
"""A pixel has changed when a channel differs by more than this."""
_SHARE = 0.01
"""The share of the surroundings that must have changed to count: a caret is less, a pop-up is more."""


async def changes(desktop: Desktop, seen: ScreenState, proposal: Proposal) -> tuple[str, ...]:
    """Name what a proposal relies on and has changed since it was seen: `pixels`, `focus`, `windows`."""
    pixels = False
    if _points(proposal) and seen.observation.png() is not None:
        pixels = pixels_changed(seen.observation, await desktop.observe(ObservationSpec(screenshot=True)), proposal)
    # The windows are listed last, so that one that opened meanwhile counts as a change.
    return (*(("pixels",) if pixels else ()), *windows_changed(seen.windows, await list_windows(desktop)))


def pixels_changed(before: Observation, now: Observation, proposal: Proposal) -> bool:
    """Whether the surroundings of a point that the proposal touches have changed, or can no longer be seen."""
    points, old, new = _points(proposal), before.png(), now.png()
    if not points or old is None:
        return False
    # The encoder gives equal bytes for equal pixels, so decoding is needed only when something has changed.
    return new is None or (old != new and _differ(old, new, points))


def windows_changed(before: tuple[Window, ...] | None, now: tuple[Window, ...] | None) -> tuple[str, ...]:
    """Name what has changed: `focus`, `windows`; nothing where the windows are not known."""
    if before is None or now is None:
        return ()
    focus = ("focus",) if _active(before) != _active(now) else ()
    return (*focus, "windows") if window_layout(before) != window_layout(now) else focus


def _points(proposal: Proposal) -> tuple[Point, ...]:
    return tuple({touch.at for touch in proposal_facts(proposal.actions).touches})


def _active(windows: Iterable[Window]) -> int | None:
    return next((window.id for window in windows if window.active), None)


def _differ(before: bytes, now: bytes, points: Iterable[Point]) -> bool:
    old, new = _pixels(before), _pixels(now)
    if old.shape != new.shape:
        return True
    return any(_changed(_near(old, at), _near(new, at)) for at in points)


def _near(pixels: NDArray[np.uint8], at: Point) -> NDArray[np.uint8]:
    top, left = max(0, at.y - AROUND), max(0, at.x - AROUND)
    return pixels[top : max(0, at.y + AROUND), left : max(0, at.x + AROUND)]


def _changed(old: NDArray[np.uint8], new: NDArray[np.uint8]) -> bool:
    import numpy as np

    if not old.size:
        return False
    apart = np.abs(old.astype(np.int16) - new.astype(np.int16)).max(axis=2) > _LEVELS
    return float(apart.mean()) > _SHARE


def _pixels(png: bytes) -> NDArray[np.uint8]:
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        return np.asarray(image.convert("RGB"))
