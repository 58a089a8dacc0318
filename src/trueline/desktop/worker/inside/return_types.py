"""The types that pyautogui gives back and raises."""

from __future__ import annotations

from typing import NamedTuple


class PyAutoGUIException(Exception):
    """Base of what goes wrong here."""


class FailSafeException(PyAutoGUIException):
    """The pointer is in a corner of the screen, and FAILSAFE is on."""


class ImageNotFoundException(PyAutoGUIException):
    """Never raised: nothing is looked for in pictures here."""


class Point(NamedTuple):
    """A pixel of the screen."""

    x: int
    y: int


class Size(NamedTuple):
    """Width and height of the screen."""

    width: int
    height: int
