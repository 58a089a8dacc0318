"""Pressing keys and moving the mouse of an X server through XTEST.

Standard library only: the action worker uses it inside the sandbox.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from trueline.desktop.input.keyboard import Keyboard, Stroke
from trueline.desktop.input.keysyms import ENTERS, SHIFT, key_symbol, text_symbols
from trueline.desktop.x11 import XConnection, wire

LENDING_S = 0.05
"""Seconds that applications get to learn what a key means now, where they cannot say when they have."""
CATCH_UP_S = 5.0
"""Seconds that those get at most that can."""
DOUBLE_CLICK_S = 0.45
"""Seconds after which toolkits count clicks anew, and a little more. GTK takes a double click that comes sooner after a
click elsewhere for two single ones, and one after a click in the same place for three or four."""
DRAG_S = 0.1
"""The shortest a drag takes: what jumps from start to end at once is not seen as a drag."""

_STEP_S = 0.01
_HELD_BACK_S, _LOOK_AGAIN_S = 5.0, 0.0002
"""Openbox may be busy for two seconds after many keys were lent: it looks at its key bindings again each time."""
_PIECE = 32
"""Keys that are typed at most between two looks at who has them."""
_SYNC_EVERY = 256
"""Keys after which the server is waited for, so that it is never flooded."""

_BUTTONS, _UNTOLD = range(1, 10), frozenset(range(6, 10))
"""The buttons there are, and those of which X does not say whether they are down: to let go of one that is not is fine.
"""
WHEEL_UP, WHEEL_DOWN, WHEEL_LEFT, WHEEL_RIGHT = _WHEEL = 4, 5, 6, 7


class Held(NamedTuple):
    """The keys and buttons that are down at one moment, whoever pressed them."""

    keys: frozenset[int]
    buttons: frozenset[int]


class KeyboardTie:
    """Ties the keyboard to one window: says whether it has the keys, at the moment when it is asked."""

    def __init__(self, x: XConnection, window: int) -> None:
        """Tie it to a window of the window manager's list; 0: none of them must have the keys."""
        self._x = x
        self._window = window
        self._known: dict[int, bool] = {}
        """Windows that had the keys before; toolkits give them to a window within the one on the list."""

    def holds(self) -> bool:
        """Whether the keys go where they should."""
        focus = self._x.focus()
        if focus not in self._known:
            self._known[focus] = self._x.client_of(focus) == self._window
        return self._known[focus]


class Injector:
    """A keyboard and a mouse. Everything it does has reached the server when the call returns."""

    def __init__(self, x: XConnection, rest: Callable[[float], None] = time.sleep) -> None:
        """Use a connection of its own; `rest` waits the given seconds."""
        self.x = x
        self.rest = rest
        self._keyboard: Keyboard | None = None
        self._keys_down: dict[int, None] = {}
        self._buttons_down: dict[int, None] = {}
        self._pressed = -DOUBLE_CLICK_S
        """When a button was last pressed."""

    def position(self) -> tuple[int, int]:
        """Where the pointer is."""
        at = self.x.pointer()
        return at.x, at.y

    def move(self, x: int, y: int, seconds: float = 0.0) -> None:
        """Move the pointer in a straight line; it stops at the edges of the screen."""
        end = self._on_screen(x, y)
        if seconds > 0:
            start, began = self.position(), time.monotonic()
            for at, due in _path_points(start, end, seconds):
                self.x.fake(wire.MOTION, 0, *at)
                self.x.sync()
                self.rest(max(0.0, began + due - time.monotonic()))
        self.x.fake(wire.MOTION, 0, *end)
        self.x.sync()

    def button(self, number: int, down: bool) -> None:
        """Press or release a mouse button: 1 left, 2 middle, 3 right, 8 back, 9 forward."""
        self.x.fake(wire.BUTTON_PRESS if down else wire.BUTTON_RELEASE, number)
        if down:
            self._buttons_down[number] = None
            self._pressed = time.monotonic()
            self.x.sync()
        else:
            self._buttons_down.pop(number, None)
            self._await_release(number)

    def click(self, number: int, count: int = 1, interval: float = 0.0) -> None:
        """Press and release a mouse button; `interval` is the rest after each."""
        if count > 1 and number not in _WHEEL and time.monotonic() - self._pressed < DOUBLE_CLICK_S:
            self._let_catch_up()  # what the toolkit counts from is when it read the last click
            self.rest(DOUBLE_CLICK_S)
        for _ in range(count):
            self.x.fake(wire.BUTTON_PRESS, number)
            self.x.fake(wire.BUTTON_RELEASE, number)
            self._await_release(number)
            if interval:
                self.rest(interval)
        if number not in _WHEEL:
            self._pressed = time.monotonic()

    def _await_release(self, number: int) -> None:
        """Wait until the release has come through.

        A window manager that looks at clicks first holds the mouse back meanwhile, but not the keyboard: without this,
        keys that follow a click would overtake it.
        """
        end = time.monotonic() + _HELD_BACK_S
        while self.x.pointer().is_down(number) and time.monotonic() < end:
            self.rest(_LOOK_AGAIN_S)

    def drag(self, path: Sequence[tuple[int, int]], number: int, seconds: float = 0.0) -> None:
        """Press a button, follow the path from where the pointer is, release."""
        self.button(number, True)
        try:
            for x, y in path:
                self.move(x, y, max(seconds, DRAG_S) / len(path))
        finally:
            self.button(number, False)

    def key(self, name: str, down: bool) -> None:
        """Press or release a key by name; a character that needs Shift gets it while the key goes down."""
        stroke = self._stroke(key_symbol(name))
        if down:
            self._press(stroke)
            self._keys_down[stroke.code] = None
        else:
            self.x.fake(wire.KEY_RELEASE, stroke.code)
            self._keys_down.pop(stroke.code, None)
        self.x.sync()

    def tap(self, name: str, tie: KeyboardTie | None = None) -> bool:
        """Press and release a key, unless the tie does not hold; False then."""
        return self._type([key_symbol(name)], 0.0, tie) == 1

    def type(self, text: str, interval: float = 0.0, tie: KeyboardTie | None = None) -> int:
        """Type any text; `interval` is the rest after each character. What cannot be typed is refused beforehand.

        Returns:
            How many keys were typed: all, or those before the one at which the tie no longer held.
        """
        return self._type(text_symbols(text), interval, tie)

    def release_all(self) -> None:
        """Release every key and button that is still held."""
        for code in self._keys_down:
            self.x.fake(wire.KEY_RELEASE, code)
        for number in self._buttons_down:
            self.x.fake(wire.BUTTON_RELEASE, number)
        self._keys_down.clear()
        self._buttons_down.clear()
        self.x.sync()

    def held(self) -> Held:
        """The keys and buttons that are down now; of a button beyond the fifth only what was pressed here is known."""
        at = self.x.pointer()
        return Held(self.x.keys_down(), frozenset(n for n in _BUTTONS if at.is_down(n) or n in self._buttons_down))

    def release_since(self, before: Held) -> None:
        """Release what others pressed since then."""
        now = self.held()
        for code in now.keys - before.keys:
            self.x.fake(wire.KEY_RELEASE, code)
        for number in (now.buttons | _UNTOLD) - before.buttons:
            self.x.fake(wire.BUTTON_RELEASE, number)
        self.x.sync()

    def _type(self, symbols: Sequence[int], interval: float, tie: KeyboardTie | None) -> int:
        if tie is not None:
            return self._type_tied(symbols, interval, tie)
        for batch in self._fresh_keyboard().batches(symbols):
            if batch.takes_back:
                self._let_catch_up()
            self._lend(batch.lent)
            for number, stroke in enumerate(batch.strokes, 1):
                self._press(stroke)
                self.x.fake(wire.KEY_RELEASE, stroke.code)
                if interval or number % _SYNC_EVERY == 0:
                    self.x.sync()
                if interval:
                    self.rest(interval)
            self.x.sync()
        return len(symbols)

    def _type_tied(self, symbols: Sequence[int], interval: float, tie: KeyboardTie) -> int:
        """Type in pieces, up to the end of a line each; every key goes to the window that was found to have the keys.

        The server is this client's alone from the question who has the keys to the last key of a piece, so no window
        can take them in between. What was typed is in that window's queue, however late it reads it.
        """
        done = 0
        for batch in self._fresh_keyboard().batches(symbols):
            if batch.takes_back:
                self._let_catch_up()
            self._lend(batch.lent)
            for piece in _pieces(batch.strokes, symbols[done:], 1 if interval else _PIECE):
                with self.x.alone():
                    if not tie.holds():
                        return done
                    for stroke in piece:
                        self._press(stroke)
                        self.x.fake(wire.KEY_RELEASE, stroke.code)
                done += len(piece)
                if interval:
                    self.rest(interval)
        return done

    def _stroke(self, symbol: int) -> Stroke:
        batch = next(self._fresh_keyboard().batches([symbol]))
        self._lend(batch.lent)
        return batch.strokes[0]

    def _press(self, stroke: Stroke) -> None:
        shift = self._shift() if stroke.shift else None
        if shift is not None and shift not in self._keys_down:
            self.x.fake(wire.KEY_PRESS, shift)
            self.x.fake(wire.KEY_PRESS, stroke.code)
            self.x.fake(wire.KEY_RELEASE, shift)
        else:
            self.x.fake(wire.KEY_PRESS, stroke.code)

    def _shift(self) -> int:
        assert self._keyboard is not None, "a stroke comes from a keyboard"
        return next(self._keyboard.batches([SHIFT])).strokes[0].code

    def _lend(self, lent: Sequence[tuple[int, int]]) -> None:
        if not lent:
            return
        for code, symbol in lent:
            self.x.change_key(code, (symbol, symbol))
        self.x.sync()
        self.x.keyboard_changed = False  # the change that the server has just announced is our own
        self._let_catch_up()

    def _let_catch_up(self) -> None:
        """Wait until the application in front has read what was typed and what the keys mean now."""
        if not self.x.await_active(CATCH_UP_S):
            self.rest(LENDING_S)

    def _fresh_keyboard(self) -> Keyboard:
        self.x.sync()
        if self._keyboard is None or self.x.keyboard_changed:
            self._keyboard = Keyboard(self.x.keyboard())
        return self._keyboard

    def _on_screen(self, x: int, y: int) -> tuple[int, int]:
        screen = self.x.screen
        return min(max(x, 0), screen.width - 1), min(max(y, 0), screen.height - 1)


def _pieces(strokes: Sequence[Stroke], symbols: Sequence[int], longest: int) -> Iterator[Sequence[Stroke]]:
    """Cut strokes after each Enter and after so many keys."""
    begin = 0
    for place, symbol in enumerate(symbols[: len(strokes)], 1):
        if symbol in ENTERS or place - begin == longest or place == len(strokes):
            yield strokes[begin:place]
            begin = place


def _path_points(
    start: tuple[int, int], end: tuple[int, int], seconds: float
) -> Iterator[tuple[tuple[int, int], float]]:
    """The points between start and end, each with the second at which the next is due."""
    count = max(2, min(int(seconds / _STEP_S), 1000))
    for step in range(1, count):
        part = step / count
        at = (round(start[0] + (end[0] - start[0]) * part), round(start[1] + (end[1] - start[1]) * part))
        yield at, seconds * part
