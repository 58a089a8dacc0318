"""Functions of pyautogui that our module lacks: all that look at the screen, windows and boxes, real tweens."""

from __future__ import annotations

VIEWERS = (
    "screenshot", "locate", "locateAll", "locateOnScreen", "locateAllOnScreen", "locateCenterOnScreen",
    "locateOnWindow", "center", "pixel", "pixelMatchesColor", "alert", "confirm", "prompt", "password",
    "getActiveWindow", "getActiveWindowTitle", "getAllTitles", "getAllWindows", "getWindowsAt", "getWindowsWithTitle",
    "mouseInfo", "displayMousePosition", "run",
)  # fmt: skip
"""Functions that are refused by name."""

_CURVES = ("Quad", "Cubic", "Quart", "Quint", "Sine", "Expo", "Circ", "Elastic", "Back", "Bounce")
TWEENS = tuple(way + curve for curve in _CURVES for way in ("easeIn", "easeOut", "easeInOut"))


def refusal(what: str) -> str:
    """Why it cannot be done, in one line."""
    return f"{what} is not available here: action code does not see the screen, the observation does"


def linear(n: float) -> float:
    """A tween; the pointer goes straight whatever is asked for."""
    return n
