"""Converts one pyautogui call to actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from trueline.actions.codecs.pyautogui.signatures import HOTKEYS, Args
from trueline.actions.codecs.pyautogui.values import UnprovableError, Value, unprovable
from trueline.actions.coordinates import Size
from trueline.actions.pointer import pointer_after
from trueline.actions.types import (
    Action,
    Button,
    Click,
    Drag,
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

MAX_COORDINATE = 32767
"""X11 coordinates have 16 bits; pyautogui raises beyond."""
_MAX_SCROLL = 10_000
_MAX_ACTIONS = 1_000
_MAX_TYPED = 100_000

Place = Callable[[float, float], Point]


def pixels(x: float, y: float) -> Point:
    """Take coordinates as pixels, cut to whole numbers as pyautogui does. Raises ValueError beyond X11's range."""
    if max(abs(x), abs(y)) > MAX_COORDINATE:
        raise ValueError("coordinates beyond any screen")
    return Point(int(x), int(y))


@dataclass
class KnownDesktop:
    """The known state of the desktop while a program is read."""

    place: Place = pixels
    """What a pair of coordinates means."""
    screen: Size | None = None
    pause: float = 0.1
    """pyautogui.PAUSE."""
    failsafe: bool = False
    """pyautogui.FAILSAFE; OSWorld's runner switches it off before the program starts."""
    pointer: Point | None = None
    actions: list[Action] = field(default_factory=list[Action])
    typed: int = 0
    """Characters typed so far."""

    def do(self, *actions: Action) -> None:
        """Add actions and follow the pointer."""
        for action in actions:
            self.pointer = self._on_screen(pointer_after(action, self.pointer))
            self.typed += len(action.text) if isinstance(action, Type) else 0
        self.actions.extend(actions)
        if len(self.actions) > _MAX_ACTIONS or self.typed > _MAX_TYPED:
            raise UnprovableError("too much to do")

    def _on_screen(self, at: Point | None) -> Point | None:
        """Clamp a point to the screen, as the display does with the pointer."""
        if at is None:
            return None
        right, bottom = (side - 1 for side in self.screen or (MAX_COORDINATE + 1, MAX_COORDINATE + 1))
        return Point(min(max(at.x, 0), right), min(max(at.y, 0), bottom))

    def rest(self, seconds: float) -> None:
        """Lengthen the pause after the last action."""
        if self.actions:
            last = self.actions[-1]
            self.actions[-1] = last.model_copy(update={"pause_after": last.pause_after + seconds})


def perform(machine: KnownDesktop, function: str, args: Args) -> None:
    """Add what `pyautogui.<function>(…)` does, with the pause that follows it."""
    pauses = 1
    match function:
        case "click":
            _click(machine, args, args.button(), args.count("clicks"))
        case "leftClick" | "rightClick" | "middleClick":
            buttons: dict[str, Button] = {"leftClick": "left", "rightClick": "right", "middleClick": "middle"}
            _click(machine, args, buttons[function], 1)
            pauses = 2  # each of these calls click(), and both pause
        case "doubleClick":
            _click(machine, args, args.button(), 2)
        case "tripleClick":
            _click(machine, args, args.button(), 3)
        case "mouseDown":
            machine.do(MouseDown(at=_point(machine, args), button=args.button()))
        case "mouseUp":
            machine.do(MouseUp(at=_point(machine, args), button=args.button()))
        case "moveTo":
            machine.do(Move(to=_there(machine, args), duration=args.seconds("duration")))
        case "move" | "moveRel":
            machine.do(Move(to=_offset(machine, args), duration=args.seconds("duration")))
        case "dragTo":
            _drag(machine, args, _there(machine, args))
        case "drag" | "dragRel":
            end = _offset(machine, args)
            if end == machine.pointer:
                unprovable(args.node, "a drag by nothing does nothing")
            _drag(machine, args, end)
        case "scroll" | "vscroll" | "hscroll":
            _scroll(machine, args, horizontal=function == "hscroll")
        case "write" | "typewrite":
            _write(machine, args)
        case "press":
            _press(machine, args)
        case "keyDown":
            machine.do(KeyDown(key=args.key("key")))
        case "keyUp":
            machine.do(KeyUp(key=args.key("key")))
        case "sleep":
            args.need("seconds")
            machine.do(Wait(seconds=args.seconds("seconds")))
            pauses = 0
        case _ if function in HOTKEYS:
            _hotkey(machine, args)
        case _:
            unprovable(args.node, f"{function}() is not a plain input")
    if args.flag("_pause"):
        machine.rest(machine.pause * pauses)


def _point(machine: KnownDesktop, args: Args) -> Point | None:
    """Return the point that x and y name, None for "where the pointer is"."""
    x, y = args.value("x"), args.value("y")
    if isinstance(x, tuple) and y is None and len(x) == 2:
        x, y = x
    if x is None and y is None:
        return None
    return _place(machine, args, x, y)


def _place(machine: KnownDesktop, args: Args, x: Value, y: Value) -> Point:
    pair = Args(args.node, {"x": x, "y": y})
    try:
        return machine.place(pair.number("x"), pair.number("y"))
    except ValueError as error:
        unprovable(args.node, str(error))


def _there(machine: KnownDesktop, args: Args) -> Point:
    return _point(machine, args) or machine.pointer or unprovable(args.node, "where the pointer is, is not known")


def _offset(machine: KnownDesktop, args: Args) -> Point:
    # With one offset only, pyautogui takes the pointer's own coordinate for the other.
    dx, dy = args.value("xOffset"), args.value("yOffset")
    if isinstance(dx, tuple) and dy is None and len(dx) == 2:
        dx, dy = dx
    if machine.pointer is None or machine.place is not pixels:
        unprovable(args.node, "where the pointer is, is not known")
    by = _place(machine, args, dx, dy)
    x, y = machine.pointer.x + by.x, machine.pointer.y + by.y
    return _place(machine, args, x, y)


def _click(machine: KnownDesktop, args: Args, button: Button, count: int) -> None:
    at, interval, duration = _point(machine, args), args.seconds("interval"), args.seconds("duration")
    if duration:
        machine.do(Move(to=_there(machine, args), duration=duration))
    # More than three are runs of three: the same presses at the same moments.
    for start in range(0, count, 3):
        machine.do(Click(at=at, button=button, count=min(3, count - start), interval=interval))


def _drag(machine: KnownDesktop, args: Args, end: Point) -> None:
    duration, button = args.seconds("duration"), args.button()
    if not args.flag("mouseDownUp"):
        machine.do(Move(to=end, duration=duration))
    else:
        machine.do(Drag(path=(end,), button=button, duration=duration))


def _scroll(machine: KnownDesktop, args: Args, *, horizontal: bool) -> None:
    args.need("clicks")
    clicks = int(args.number("clicks"))
    if abs(clicks) > _MAX_SCROLL:
        unprovable(args.node, "it scrolls too far")
    at = _point(machine, args) if clicks else None  # without a click, pyautogui does not even move
    machine.do(Scroll(at=at, dx=clicks) if horizontal else Scroll(at=at, dy=-clicks))


def _write(machine: KnownDesktop, args: Args) -> None:
    message, interval = args.value("message"), args.seconds("interval")
    if isinstance(message, str):
        machine.do(Type(text=message, interval=interval))
    else:
        machine.do(*(Key(key=key, interval=interval) for key in args.keys("message")))


def _press(machine: KnownDesktop, args: Args) -> None:
    keys, presses, interval = args.keys("keys"), args.count("presses"), args.seconds("interval")
    if len(keys) == 1:
        machine.do(Key(key=keys[0], presses=presses, interval=interval))
        return
    for _ in range(presses):
        machine.do(*(Key(key=key) for key in keys[:-1]), Key(key=keys[-1], interval=interval))


def _hotkey(machine: KnownDesktop, args: Args) -> None:
    keys, interval = args.keys("keys"), args.seconds("interval")
    if not interval:
        machine.do(Hotkey(keys=keys))
        return
    machine.do(*(KeyDown(key=key, pause_after=interval) for key in keys))
    machine.do(*(KeyUp(key=key, pause_after=interval) for key in reversed(keys)))
