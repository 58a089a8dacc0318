"""A module with pyautogui's names, arguments and pauses, driven by our own keyboard and mouse.

It types any Unicode text, and `<` as `<`. What needs a picture of the screen is refused.
"""

# Arguments that have no use here (tweens, logs) are taken all the same: action code passes them.
# ruff: noqa: ARG001

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from trueline.desktop.input.injector import WHEEL_DOWN, WHEEL_LEFT, WHEEL_RIGHT, WHEEL_UP, Injector
from trueline.desktop.input.keysyms import NAMES
from trueline.desktop.worker.inside.return_types import FailSafeException as FailSafeException
from trueline.desktop.worker.inside.return_types import ImageNotFoundException as ImageNotFoundException
from trueline.desktop.worker.inside.return_types import Point, PyAutoGUIException, Size
from trueline.desktop.worker.inside.unsupported import TWEENS, VIEWERS, linear, refusal
from trueline.desktop.x11 import XConnection, open_socket

PAUSE = 0.1
"""Seconds after every call; set it as in pyautogui."""
FAILSAFE = False
MINIMUM_DURATION = 0.1
MINIMUM_SLEEP = 0.05
DARWIN_CATCH_UP_TIME = 0.01
LEFT, MIDDLE, RIGHT, PRIMARY, SECONDARY = "left", "middle", "right", "primary", "secondary"
KEYBOARD_KEYS = KEY_NAMES = sorted({*NAMES, *map(chr, range(32, 127)), "\t", "\n", "\r"})
"""Names of keys."""

_BUTTONS: dict[object, int] = {
    "left": 1, "primary": 1, 1: 1, "middle": 2, 2: 2, "right": 3, "secondary": 3, 3: 3,
}  # fmt: skip
Where = float | Sequence[float] | None
"""An x, or a pair of both, or a box whose middle is meant."""
_injector: list[Injector] = []


def connect(display: str) -> None:
    """Open keyboard and mouse ahead of the first call."""
    _injector[:] = [Injector(XConnection(open_socket(display)))]


def _hands() -> Injector:
    if not _injector:
        raise PyAutoGUIException("no X server")
    return _injector[0]


@contextmanager
def _call(pause: bool = True) -> Generator[Injector]:
    """What every call does before and after."""
    hands = _hands()
    if FAILSAFE:
        at, screen = hands.position(), size()
        if at[0] in (0, screen.width - 1) and at[1] in (0, screen.height - 1):
            raise FailSafeException("the pointer is in a corner of the screen; set pyautogui.FAILSAFE = False")
    yield hands
    if pause and PAUSE:
        time.sleep(PAUSE)


def position(x: int | None = None, y: int | None = None) -> Point:
    """Where the pointer is; a coordinate that is given stands for it."""
    at = _hands().position()
    return Point(at[0] if x is None else int(x), at[1] if y is None else int(y))


def size() -> Size:
    """Width and height of the screen."""
    screen = _hands().x.screen
    return Size(screen.width, screen.height)


resolution = size


def onScreen(x: Where, y: float | None = None) -> bool:
    """Whether a point lies on the screen."""
    at, screen = _point(x, y), size()
    return 0 <= at[0] < screen.width and 0 <= at[1] < screen.height


def _point(x: Where = None, y: float | None = None) -> tuple[int, int]:
    """A point given as two numbers, as a pair, or with the pointer's own coordinate where one is missing."""
    if isinstance(x, str):
        raise PyAutoGUIException(refusal("looking for a picture"))
    if isinstance(x, Sequence):
        if len(x) == 4:
            x, y = x[0] + x[2] / 2, x[1] + x[3] / 2
        else:
            x, y = x[0], x[1]
    at = _hands().position() if x is None or y is None else (0, 0)
    return (at[0] if x is None else int(x)), (at[1] if y is None else int(y))


def _button(name: object) -> int:
    number = _BUTTONS.get(name.lower() if isinstance(name, str) else name)
    if number is None:
        raise PyAutoGUIException(f"button {name!r}: must be left, middle, right, 1, 2 or 3")
    return number


def _go(hands: Injector, x: Where, y: float | None, duration: float = 0.0) -> None:
    if x is not None or y is not None:
        hands.move(*_point(x, y), duration if duration > MINIMUM_DURATION else 0.0)


def moveTo(
    x: Where = None,
    y: float | None = None,
    duration: float = 0.0,
    tween: object = None,
    logScreenshot: object = None,
    _pause: bool = True,
) -> None:
    """Move the pointer; it goes straight, whatever the tween."""
    with _call(_pause) as hands:
        _go(hands, x, y, duration)


def moveRel(
    xOffset: Where = None,
    yOffset: float | None = None,
    duration: float = 0.0,
    tween: object = None,
    logScreenshot: object = None,
    _pause: bool = True,
) -> None:
    """Move the pointer by an offset."""
    with _call(_pause) as hands:
        _go(hands, *_offset(xOffset, yOffset), duration)


move = moveRel


def _offset(x: Where, y: float | None) -> tuple[int, int]:
    if isinstance(x, Sequence):
        x, y = x[0], x[1]
    at = _hands().position()
    return at[0] + int(x or 0), at[1] + int(y or 0)


def mouseDown(
    x: Where = None,
    y: float | None = None,
    button: object = PRIMARY,
    duration: float = 0.0,
    tween: object = None,
    logScreenshot: object = None,
    _pause: bool = True,
) -> None:
    """Press a mouse button."""
    with _call(_pause) as hands:
        _go(hands, x, y)
        hands.button(_button(button), True)


def mouseUp(
    x: Where = None,
    y: float | None = None,
    button: object = PRIMARY,
    duration: float = 0.0,
    tween: object = None,
    logScreenshot: object = None,
    _pause: bool = True,
) -> None:
    """Release a mouse button."""
    with _call(_pause) as hands:
        _go(hands, x, y)
        hands.button(_button(button), False)


def click(
    x: Where = None,
    y: float | None = None,
    clicks: int = 1,
    interval: float = 0.0,
    button: object = PRIMARY,
    duration: float = 0.0,
    tween: object = None,
    logScreenshot: object = None,
    _pause: bool = True,
) -> None:
    """Click."""
    with _call(_pause) as hands:
        _go(hands, x, y, duration)
        hands.click(_button(button), int(clicks), interval)


def _clicking(button: str, clicks: int) -> Callable[..., None]:
    def click_so_often(
        x: Where = None,
        y: float | None = None,
        interval: float = 0.0,
        button: object = button,
        duration: float = 0.0,
        tween: object = None,
        logScreenshot: object = None,
        _pause: bool = True,
    ) -> None:
        click(x, y, clicks, interval, button, duration, tween, logScreenshot, _pause)

    return click_so_often


leftClick = _clicking(LEFT, 1)
rightClick = _clicking(RIGHT, 1)
middleClick = _clicking(MIDDLE, 1)
doubleClick = _clicking(LEFT, 2)
tripleClick = _clicking(LEFT, 3)


def dragTo(
    x: Where = None,
    y: float | None = None,
    duration: float = 0.0,
    tween: object = None,
    button: object = PRIMARY,
    logScreenshot: object = None,
    _pause: bool = True,
    mouseDownUp: bool = True,
) -> None:
    """Move with a button held down."""
    with _call(_pause) as hands:
        _drag(hands, _point(x, y), duration, button, mouseDownUp)


def dragRel(
    xOffset: Where = 0,
    yOffset: float | None = 0,
    duration: float = 0.0,
    tween: object = None,
    button: object = PRIMARY,
    logScreenshot: object = None,
    _pause: bool = True,
    mouseDownUp: bool = True,
) -> None:
    """Move by an offset with a button held down."""
    with _call(_pause) as hands:
        _drag(hands, _offset(xOffset, yOffset), duration, button, mouseDownUp)


drag = dragRel


def _drag(hands: Injector, to: tuple[int, int], duration: float, button: object, down_up: bool) -> None:
    if down_up:
        hands.drag([to], _button(button), duration)
    else:
        hands.move(*to, duration)


def scroll(
    clicks: float, x: Where = None, y: float | None = None, logScreenshot: object = None, _pause: bool = True
) -> None:
    """Turn the wheel; positive is up."""
    _wheel(clicks, WHEEL_UP, WHEEL_DOWN, x, y, _pause)


vscroll = scroll


def hscroll(
    clicks: float, x: Where = None, y: float | None = None, logScreenshot: object = None, _pause: bool = True
) -> None:
    """Turn the wheel sideways; positive is right."""
    _wheel(clicks, WHEEL_RIGHT, WHEEL_LEFT, x, y, _pause)


def _wheel(clicks: float, up: int, down: int, x: Where, y: float | None, pause: bool) -> None:
    with _call(pause) as hands:
        _go(hands, x, y)
        hands.click(up if clicks > 0 else down, abs(int(clicks)))


def isValidKey(key: str) -> bool:
    """Whether there is such a key."""
    return len(key) == 1 or key.lower() in NAMES


def keyDown(key: str, logScreenshot: object = None, _pause: bool = True) -> None:
    """Press a key."""
    with _call(_pause) as hands:
        hands.key(key, True)


def keyUp(key: str, logScreenshot: object = None, _pause: bool = True) -> None:
    """Release a key."""
    with _call(_pause) as hands:
        hands.key(key, False)


def press(
    keys: str | Sequence[str],
    presses: int = 1,
    interval: float = 0.0,
    logScreenshot: object = None,
    _pause: bool = True,
) -> None:
    """Press and release keys, one after the other."""
    with _call(_pause) as hands:
        for _ in range(int(presses)):
            for key in [keys] if isinstance(keys, str) else keys:
                hands.tap(key)
            if interval:
                time.sleep(interval)


def hotkey(
    *keys: str | Sequence[str], interval: float = 0.0, logScreenshot: object = None, _pause: bool = True
) -> None:
    """Press keys in order, release them in reverse order."""
    names = [name for part in keys for name in ([part] if isinstance(part, str) else part)]
    with _call(_pause) as hands, _held(hands, names, interval):
        pass


shortcut = hotkey


@contextmanager
def hold(keys: str | Sequence[str], logScreenshot: object = None, _pause: bool = True) -> Generator[None]:
    """Hold keys down while the block runs."""
    with _call(_pause) as hands, _held(hands, [keys] if isinstance(keys, str) else list(keys), 0.0):
        yield


@contextmanager
def _held(hands: Injector, keys: Sequence[str], interval: float) -> Generator[None]:
    down: list[str] = []
    try:
        for key in keys:
            hands.key(key, True)
            down.append(key)
            if interval:
                time.sleep(interval)
        yield
    finally:
        for key in reversed(down):
            hands.key(key, False)


def write(
    message: str | Sequence[str], interval: float = 0.0, logScreenshot: object = None, _pause: bool = True
) -> None:
    """Type a text, or a list of keys and texts."""
    with _call(_pause) as hands:
        if isinstance(message, str):
            hands.type(message, interval)
            return
        for key in message:
            hands.tap(key)
            if interval:
                time.sleep(interval)


typewrite = write


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


def countdown(seconds: int) -> None:
    """Wait."""
    time.sleep(seconds)


def getPointOnLine(x1: float, y1: float, x2: float, y2: float, n: float) -> tuple[float, float]:
    """The point at the part n of a line."""
    return x1 + (x2 - x1) * n, y1 + (y2 - y1) * n


def _refuse(name: str) -> Callable[..., NoReturn]:
    def refused(*_args: object, **_kwargs: object) -> NoReturn:
        raise PyAutoGUIException(refusal(f"pyautogui.{name}"))

    return refused


globals().update({name: _refuse(name) for name in VIEWERS})
globals().update(dict.fromkeys(TWEENS, linear))
