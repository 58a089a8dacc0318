"""The parameters of pyautogui 0.9.54's functions, and typed reading of the arguments of one call."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trueline.actions.codecs.pyautogui.values import Ref, Value, is_number, unprovable
from trueline.actions.keys import canonical
from trueline.actions.types import Button

_CLICK = ("x", "y", "interval", "duration", "tween", "logScreenshot", "_pause")
_MULTI = ("x", "y", "interval", "button", "duration", "tween", "logScreenshot", "_pause")
_BUTTON = ("x", "y", "button", "duration", "tween", "logScreenshot", "_pause")
_SCROLL = ("clicks", "x", "y", "logScreenshot", "_pause")
_MOVE_BY = ("xOffset", "yOffset", "duration", "tween", "logScreenshot", "_pause")
_DRAG_BY = ("xOffset", "yOffset", "duration", "tween", "button", "logScreenshot", "_pause", "mouseDownUp")
_KEY = ("key", "logScreenshot", "_pause")
_WRITE = ("message", "interval", "logScreenshot", "_pause")

PARAMETERS: dict[str, tuple[str, ...]] = {
    "click": ("x", "y", "clicks", "interval", "button", "duration", "tween", "logScreenshot", "_pause"),
    "leftClick": _CLICK,
    "rightClick": _CLICK,
    "middleClick": _CLICK,
    "doubleClick": _MULTI,
    "tripleClick": _MULTI,
    "mouseDown": _BUTTON,
    "mouseUp": _BUTTON,
    "moveTo": ("x", "y", "duration", "tween", "logScreenshot", "_pause"),
    "move": _MOVE_BY,
    "moveRel": _MOVE_BY,
    "dragTo": ("x", "y", "duration", "tween", "button", "logScreenshot", "_pause", "mouseDownUp"),
    "drag": _DRAG_BY,
    "dragRel": _DRAG_BY,
    "scroll": _SCROLL,
    "vscroll": _SCROLL,
    "hscroll": _SCROLL,
    "write": _WRITE,
    "typewrite": _WRITE,
    "press": ("keys", "presses", "interval", "logScreenshot", "_pause"),
    "keyDown": _KEY,
    "keyUp": _KEY,
    "hold": ("keys", "logScreenshot", "_pause"),
    "sleep": ("seconds",),
}
HOTKEYS = frozenset({"hotkey", "shortcut"})
POINTER_FUNCTIONS = frozenset(name for name, parameters in PARAMETERS.items() if {"x", "xOffset"} & set(parameters))
"""Functions whose arguments are coordinates."""

# These run along the straight line to the target and never turn back, as the default does.
_EASINGS = ("Quad", "Cubic", "Quart", "Quint", "Sine", "Expo", "Circ")
_TWEENS = {"pyautogui.linear"} | {f"pyautogui.ease{way}{kind}" for way in ("In", "Out", "InOut") for kind in _EASINGS}
_BUTTONS: dict[str, Button] = {
    "left": "left",
    "primary": "left",
    "middle": "middle",
    "right": "right",
    "secondary": "right",
}
_MAX_REPEAT = 1000


@dataclass(frozen=True)
class Args:
    """The arguments of one call. Every reader gives up when an argument is not what pyautogui would take."""

    node: ast.AST
    given: dict[str, Value]

    def value(self, name: str) -> Value:
        """Return an argument, None when it is not given."""
        return self.given.get(name)

    def need(self, name: str) -> None:
        """Refuse a call without this argument."""
        if name not in self.given:
            unprovable(self.node, f"{name} is missing")

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a number."""
        value = self.given.get(name, default)
        if not (isinstance(value, int | float) and is_number(value)):
            unprovable(self.node, f"{name} is not a number")
        return value

    def seconds(self, name: str) -> float:
        """Return a duration, 0 when it is not given."""
        value = self.number(name)
        return value if value >= 0 else unprovable(self.node, f"{name} is negative")

    def count(self, name: str) -> int:
        """Return how often something is to be done, 1 when it is not given."""
        value = self.given.get(name, 1)
        if not (type(value) is int and 1 <= value <= _MAX_REPEAT):
            unprovable(self.node, f"{name} is not a number from 1 to {_MAX_REPEAT}")
        return value

    def button(self) -> Button:
        """Return the mouse button, the left one when it is not given."""
        value = self.given.get("button", "left")
        found = _BUTTONS.get(value.lower()) if isinstance(value, str) else None
        return found or unprovable(self.node, "unknown button")

    def flag(self, name: str) -> bool:
        """Return a switch that is on when it is not given."""
        value = self.given.get(name, True)
        return value if isinstance(value, bool) else unprovable(self.node, f"{name} is neither True nor False")

    def key(self, name: str) -> str:
        """Return one key."""
        return self._key(self.given.get(name))

    def keys(self, name: str) -> tuple[str, ...]:
        """Return one key or a list of keys."""
        value = self.given.get(name)
        keys = tuple(self._key(item) for item in (value if isinstance(value, tuple) else (value,)))
        return keys or unprovable(self.node, "no key")

    def check(self) -> None:
        """Refuse arguments that change more than the input: log screenshots write files, tweens leave the line."""
        if self.given.get("logScreenshot"):
            unprovable(self.node, "it writes screenshots to files")
        tween = self.given.get("tween", Ref("pyautogui.linear"))
        if not (isinstance(tween, Ref) and tween.name in _TWEENS):
            unprovable(self.node, "a tween that leaves the straight line")

    def _key(self, value: Value) -> str:
        return canonical(value) if isinstance(value, str) and value else unprovable(self.node, "no name of a key")


def match_arguments(
    node: ast.AST, function: str, parameters: tuple[str, ...], args: tuple[Value, ...], keywords: dict[str, Value]
) -> dict[str, Value]:
    """Match arguments to parameters by place and name, as Python would."""
    given = dict(zip(parameters, args, strict=False))
    if len(args) > len(parameters) or given.keys() & keywords.keys() or not set(keywords) <= set(parameters):
        unprovable(node, f"{function}() does not take these arguments")
    return given | keywords


def bind(node: ast.AST, function: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Args:
    """Match the arguments of a call to the parameters of a pyautogui function."""
    parameters = PARAMETERS[function]
    bound = Args(node, match_arguments(node, function, parameters, args, keywords))
    if "_pause" in parameters[: len(args)]:
        unprovable(node, "_pause counts only as a keyword")
    bound.check()
    return bound
