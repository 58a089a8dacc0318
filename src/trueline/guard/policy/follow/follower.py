"""Follows actions over the screen and says what they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trueline.actions.facts.code import code_facts
from trueline.actions.types import (
    Action,
    CallUser,
    Click,
    Code,
    CursorPosition,
    Done,
    Drag,
    Fail,
    HoldKey,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Screenshot,
    Scroll,
    Type,
    Wait,
    Zoom,
)
from trueline.guard.policy.deeds import Deed, Ended, Nothing, Unclear, doubtful
from trueline.guard.policy.folding import fold
from trueline.guard.policy.follow import keyboard, pointer, terminal
from trueline.guard.policy.follow.desk import Desk
from trueline.guard.policy.follow.scene import Scene
from trueline.guard.policy.screen.target import TERMINAL
from trueline.guard.policy.screen.view import View
from trueline.guard.policy.shell.interpret import read_line, read_python
from trueline.guard.policy.shell.python import copied

_MOST_ACTIONS = 500
"""Nobody does more in one step; what is beyond is not looked at, and never cleared."""


def follow(desk: Desk, actions: Sequence[Action], view: View) -> tuple[Deed, ...]:
    """Take the desk from before the actions to after them, and return what they do."""
    scene = Scene(desk, view)
    _look(scene)
    for action in actions[:_MOST_ACTIONS]:
        told = len(scene.deeds)
        _act(scene, action)
        if len(scene.deeds) == told and not scene.touched:
            scene.deeds.append(Unclear(f"{action.kind.replace('_', ' ')}: changes nothing that can be seen from here"))
    if len(actions) > _MOST_ACTIONS:
        scene.deeds.append(Unclear(f"does more than {_MOST_ACTIONS} things at once; the rest was not looked at"))
    keyboard.rest(scene)
    return tuple(scene.deeds)


def _look(scene: Scene) -> None:
    """A new screen says what has the keyboard; what was typed into that field before still stands there."""
    focused, active, before = scene.view.focused, scene.view.active, scene.desk.focus
    if focused is not None:
        scene.focus(focused)
    elif active is not None and active.in_terminal:
        scene.focus(replace(TERMINAL, app=active.app, window=active.window))
    elif active is not None and before is not None and before.app != active.app:
        # Another window is in front now; two browsers' address fields are the same to us.
        scene.focus(before if before.in_browser and active.in_browser else None)
    terminal.look(scene)


def _act(scene: Scene, action: Action) -> None:
    match action:
        case Wait() | Screenshot() | Zoom() | CursorPosition():
            _idle(scene, action.kind.replace("_", " "))
        case Done() | Fail() | CallUser():
            scene.deeds.append(Ended(action.kind))
        case Move():
            pointer.move(scene, action.to)
        case Scroll():
            pointer.scroll(scene, action)
        case Click():
            pointer.click(scene, action)
        case Drag():
            pointer.drag(scene, action)
        case MouseDown():
            scene.desk.pointer = action.at or scene.desk.pointer
            scene.desk.buttons.add(action.button)
            scene.deeds.append(Unclear("holds a mouse button down"))
        case MouseUp():
            scene.desk.buttons.discard(action.button)
            pointer.click(scene, Click(at=action.at, button=action.button))
        case Type():
            keyboard.type_text(scene, action.text)
        case Key():
            keyboard.press(scene, action.key, action.presses)
        case Hotkey() | HoldKey():
            keyboard.chord(scene, action.keys)
        case KeyDown():
            keyboard.key_down(scene, action.key)
        case KeyUp():
            scene.desk.held.discard(action.key)
        case Code():
            _program(scene, action)


def _idle(scene: Scene, what: str) -> None:
    doubt = Unclear(f"{what}, and a key or button may be held down")
    scene.deeds.append(doubt if scene.desk.busy else Nothing(f"only: {what}"))


def _program(scene: Scene, code: Code) -> None:
    """A program: what it runs for certain, and what it may do with mouse and keyboard."""
    source = fold(code.source, limit=len(code.source))
    commands = read_line(source).commands if code.language == "bash" else read_python(source)
    for command in commands:
        terminal.tell(scene, (command,), command.text, certain=True)
    desk = scene.desk
    desk.selection = None
    desk.clipboard = copied(source) if code.language == "python" else None
    if code.language == "python":
        inner = follow(desk.copy(), code_facts(code).actions, scene.view)
        scene.deeds.extend(doubtful(deed) for deed in inner if not isinstance(deed, Nothing))
    scene.deeds.append(Unclear("a program that is not a straight line of known calls"))
    desk.pointer = None
    desk.programmed = True
    scene.focus(None)
