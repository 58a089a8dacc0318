"""The screen and the windows on it at one moment: what a verdict rests on, and what it is compared with later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trueline.desktop.types import Desktop, NotSupported, Window
from trueline.records.observation import Observation, ObservationSpec

_MOST_LOOKS = 3
"""Most observations of a screen on which windows come and go."""

WindowLayout = tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class ScreenState:
    """An observation together with the windows that were open."""

    observation: Observation
    windows: tuple[Window, ...] | None = None
    """`None` where the desktop cannot list them."""


async def observe_with_windows(desktop: Desktop, want: ObservationSpec) -> ScreenState:
    """Observe the screen and list its windows.

    The windows are listed before the screen is observed: one that opens meanwhile is not in the picture, so it must
    count as a change. If windows came or went, the screen is observed again, a few times at most.
    """
    looks = 0
    while True:
        windows = await list_windows(desktop)
        observation = await desktop.observe(want)
        looks += 1
        if windows is None or looks == _MOST_LOOKS:
            return ScreenState(observation, windows)
        if window_layout(windows) == window_layout(await list_windows(desktop) or ()):
            return ScreenState(observation, windows)


async def list_windows(desktop: Desktop) -> tuple[Window, ...] | None:
    """List the windows; `None` where the desktop cannot."""
    try:
        return await desktop.windows()
    except NotSupported:
        return None


def window_layout(windows: Iterable[Window]) -> WindowLayout:
    """Return which windows there are and where, in a form that can be compared; titles are left out."""
    return tuple((w.id, w.app, w.x, w.y, w.width, w.height) for w in windows)
