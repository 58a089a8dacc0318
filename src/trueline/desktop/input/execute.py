"""Typed actions carried out by the injector, one by one, each within a time limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from trueline.actions import (
    Action,
    Click,
    CursorPosition,
    Drag,
    HoldKey,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)
from trueline.actions.types import Button
from trueline.desktop.input.injector import (
    WHEEL_DOWN,
    WHEEL_LEFT,
    WHEEL_RIGHT,
    WHEEL_UP,
    Held,
    Injector,
    KeyboardTie,
)
from trueline.desktop.input.keysyms import UnknownKeyError, typed_text
from trueline.desktop.types import ActionTimeout, DesktopError, DesktopLost
from trueline.desktop.x11 import XConnection, XError, XLost, open_socket
from trueline.desktop.x11.clipboard import MOST_BYTES, Clipboard
from trueline.errors import InputError
from trueline.records.step import CutOff

FETCHING_S = 2.0
"""Seconds that an application gets to fetch what is pasted; one that takes these keys for something else never does."""
LIMIT_S = 120.0
"""Seconds that one action may take."""
PIXELS_PER_CLICK = 40
"""How far toolkits scroll on one click of the wheel, about: three lines of text."""
MAX_CLICKS = 10_000

_BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3, "back": 8, "forward": 9}


class ActionRefused(InputError):
    """The action names an unknown key, or a character that cannot be typed."""


class Performed(NamedTuple):
    """What came of an action."""

    answer: str | None = None
    """What it was asked for: a cursor position."""
    cut_off: CutOff | None = None
    """Where it ended, if another window had the keys."""


class Pointing:
    """The keyboard and mouse of one X server, open until it is closed. Not for several threads at once."""

    def __init__(
        self,
        x: XConnection,
        *,
        limit: float = LIMIT_S,
        connect: Callable[[], XConnection] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Act through a connection, which is closed with this object.

        Args:
            x: The connection.
            limit: Seconds that one action may take.
            connect: Opens another connection, for the clipboard.
            sleep: Waits this many seconds: the pauses and intervals of the actions.
        """
        self._x = x
        self._connect = connect
        self._clipboard: Clipboard | None = None
        self._limit = limit
        self._sleep = sleep
        self._end = 0.0
        self._injector = Injector(x, self._rest)

    def do(self, action: Action, window: int | None = None) -> Performed:
        """Carry out one action and the pause after it.

        Args:
            action: What to do.
            window: The window that must have the keys (0: none of the window manager's list); with it, an action of
                the keyboard ends where another one has them.

        Raises:
            ActionRefused: The action is not one for keyboard and mouse, or names an unknown key. Nothing was done.
            ActionTimeout: It took too long; every key and button was let go.
            DesktopLost: The X server is gone.
        """
        self._end = time.monotonic() + self._limit
        try:
            tie = None if window is None else KeyboardTie(self._x, window)
            if isinstance(action, Type) and action.paste:
                done = self._paste(action, tie)
            else:
                done = _perform(self._injector, action, tie)
            if action.pause_after and done.cut_off is None:
                self._rest(action.pause_after)
        except UnknownKeyError as error:
            raise ActionRefused(f"{action.kind}: {error}") from error
        except ActionTimeout:
            self.release_all()
            raise
        except XLost as error:
            raise DesktopLost(f"{action.kind}: {error}; reset the desktop") from error
        except XError as error:
            raise DesktopError(f"{action.kind}: {error}") from error
        return done

    def release_all(self) -> None:
        """Release every key and button that an earlier action left down."""
        try:
            self._injector.release_all()
        except XError as error:
            raise DesktopLost(f"{error}; reset the desktop") from error

    def held(self) -> Held:
        """The keys and buttons that are down now, whoever pressed them."""
        try:
            return self._injector.held()
        except XError as error:
            raise DesktopLost(f"{error}; reset the desktop") from error

    def release_since(self, before: Held) -> None:
        """Release every key and button that others pressed since then."""
        try:
            self._injector.release_since(before)
        except XError as error:
            raise DesktopLost(f"{error}; reset the desktop") from error

    def close(self) -> None:
        """Close the connections; closing twice is fine."""
        if self._clipboard is not None:
            self._clipboard.close()
        self._x.close()

    def _paste(self, action: Type, tie: KeyboardTie | None) -> Performed:
        """Put a text on the clipboard and press the keys that paste it, unless another window has the keyboard."""
        if len(action.text.encode("utf-8", "replace")) > MOST_BYTES:
            raise ActionRefused(f"type: a pasted text takes at most {MOST_BYTES} bytes; type it, or paste it in parts")
        if self._clipboard is None:
            if self._connect is None:
                raise ActionRefused("type: this desktop has no clipboard to paste from")
            self._clipboard = Clipboard(self._connect())
        self._clipboard.copy(action.text)
        if tie is not None and not tie.holds():
            return Performed(cut_off=_cut_off(0, max(1, len(action.text))))
        with _held(self._injector, action.paste):
            pass
        # What is pressed next would otherwise overtake the text, which the application fetches only now.
        self._clipboard.await_fetched(min(FETCHING_S, max(0.0, self._end - time.monotonic())))
        return Performed()

    def _rest(self, seconds: float) -> None:
        left = self._end - time.monotonic()
        self._sleep(max(0.0, min(seconds, left)))
        if seconds > left:
            raise ActionTimeout(f"the action took longer than {self._limit:g} s and was ended")


def open_pointing(display: str, *, limit: float = LIMIT_S, sleep: Callable[[float], None] = time.sleep) -> Pointing:
    """Open keyboard and mouse of a display (`:5`) or of the X server at a socket's path.

    Raises:
        DesktopLost: No X server answers there.
    """
    try:
        x = XConnection(open_socket(display))
        return Pointing(x, limit=limit, connect=lambda: XConnection(open_socket(display)), sleep=sleep)
    except XError as error:
        raise DesktopLost(f"{error}; reset the desktop") from error


def _perform(injector: Injector, action: Action, tie: KeyboardTie | None) -> Performed:
    match action:
        case Click():
            _go(injector, action.at)
            with _held(injector, action.modifiers):
                injector.click(_BUTTONS[action.button], action.count, action.interval)
        case Move():
            injector.move(*action.to, action.duration)
        case Drag():
            _go(injector, action.start)
            with _held(injector, action.modifiers):
                injector.drag(action.path, _BUTTONS[action.button], action.duration)
        case MouseDown() | MouseUp():
            _go(injector, action.at)
            injector.button(_BUTTONS[action.button], isinstance(action, MouseDown))
        case Scroll():
            _go(injector, action.at)
            with _held(injector, action.modifiers):
                injector.click(WHEEL_DOWN if action.dy > 0 else WHEEL_UP, _clicks(action.dy, action.unit))
                injector.click(WHEEL_RIGHT if action.dx > 0 else WHEEL_LEFT, _clicks(action.dx, action.unit))
        case Type():
            typed = injector.type(action.text, action.interval, tie)
            return Performed(cut_off=_cut_off(typed, len(typed_text(action.text))))
        case Key():
            for number in range(action.presses):
                if not injector.tap(action.key, tie):
                    return Performed(cut_off=_cut_off(number, action.presses))
                if action.interval:
                    injector.rest(action.interval)
        case Hotkey() | HoldKey() | KeyDown() if tie is not None and not tie.holds():
            return Performed(cut_off=_cut_off(0, 1))
        case Hotkey():
            with _held(injector, action.keys):
                pass
        case HoldKey():
            with _held(injector, action.keys):
                injector.rest(action.duration)
        case KeyDown() | KeyUp():
            injector.key(action.key, isinstance(action, KeyDown))
        case Wait():
            injector.rest(action.seconds or 0.0)
        case CursorPosition():
            return Performed(str(injector.position()))
        case _:
            raise ActionRefused(f"{action.kind}: not something that keyboard and mouse can do")
    return Performed()


def _cut_off(done: int, of: int) -> CutOff | None:
    return None if done == of else CutOff(done=done, of=of)


def _go(injector: Injector, at: Point | None) -> None:
    if at is not None:
        injector.move(*at)


def _clicks(distance: int, unit: str) -> int:
    clicks = abs(distance) if unit == "clicks" else -(-abs(distance) // PIXELS_PER_CLICK)
    if clicks > MAX_CLICKS:
        raise ActionRefused(f"scroll: {distance} {unit} is too far")
    return clicks


@contextmanager
def _held(injector: Injector, keys: Sequence[str]) -> Generator[None]:
    """Hold keys down, in order; they are let go in reverse order, whatever happens."""
    down: list[str] = []
    try:
        for key in keys:
            injector.key(key, True)
            down.append(key)
        yield
    finally:
        for key in reversed(down):
            injector.key(key, False)
