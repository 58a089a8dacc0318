"""Follows actions over the screen and says what they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trueline.actions.facts.code import code_facts
from trueline.actions.python.calls import copied
from trueline.actions.shell.interpret import read_line, read_python
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
from trueline.guard.policy.folding import fold
from trueline.guard.policy.follow import keyboard, pointer, terminal
from trueline.guard.policy.follow.input_state import InputState
from trueline.guard.policy.follow.tracker import Tracker
from trueline.guard.policy.operations import Ended, Nothing, Operation, Unclear, doubtful
from trueline.guard.policy.screen.target import TERMINAL
from trueline.guard.policy.screen.view import View

_MOST_ACTIONS = 500
"""Actions beyond this are not followed, and such a proposal is never cleared."""


def follow(state: InputState, actions: Sequence[Action], view: View) -> tuple[Operation, ...]:
    """Return what the actions do, and update the state accordingly."""
    tracker = Tracker(state, view)
    _focus_from_screen(tracker)
    for action in actions[:_MOST_ACTIONS]:
        told = len(tracker.operations)
        _follow_action(tracker, action)
        if len(tracker.operations) == told and not tracker.touched:
            tracker.operations.append(
                Unclear(f"{action.kind.replace('_', ' ')}: changes nothing that can be seen from here")
            )
    if len(actions) > _MOST_ACTIONS:
        tracker.operations.append(Unclear(f"does more than {_MOST_ACTIONS} things at once; the rest was not looked at"))
    keyboard.rest(tracker)
    return tuple(tracker.operations)


def _focus_from_screen(tracker: Tracker) -> None:
    """Update the focus from a new screen; text typed into that field before is kept."""
    focused, active, before = tracker.view.focused, tracker.view.active, tracker.state.focus
    if focused is not None:
        tracker.focus(focused)
    elif active is not None and active.in_terminal:
        tracker.focus(replace(TERMINAL, app=active.app, window=active.window))
    elif active is not None and before is not None and before.app != active.app:
        # Another window is in front now; two browsers' address fields are the same to us.
        tracker.focus(before if before.in_browser and active.in_browser else None)
    terminal.look(tracker)


def _follow_action(tracker: Tracker, action: Action) -> None:
    match action:
        case Wait() | Screenshot() | Zoom() | CursorPosition():
            _record_passive(tracker, action.kind.replace("_", " "))
        case Done() | Fail() | CallUser():
            tracker.operations.append(Ended(action.kind))
        case Move():
            pointer.move(tracker, action.to)
        case Scroll():
            pointer.scroll(tracker, action)
        case Click():
            pointer.click(tracker, action)
        case Drag():
            pointer.drag(tracker, action)
        case MouseDown():
            tracker.state.pointer = action.at or tracker.state.pointer
            tracker.state.buttons.add(action.button)
            tracker.operations.append(Unclear("holds a mouse button down"))
        case MouseUp():
            tracker.state.buttons.discard(action.button)
            pointer.click(tracker, Click(at=action.at, button=action.button))
        case Type():
            keyboard.type_text(tracker, action.text)
        case Key():
            keyboard.press(tracker, action.key, action.presses)
        case Hotkey() | HoldKey():
            keyboard.chord(tracker, action.keys)
        case KeyDown():
            keyboard.key_down(tracker, action.key)
        case KeyUp():
            tracker.state.held.discard(action.key)
        case Code():
            _follow_code(tracker, action)


def _record_passive(tracker: Tracker, what: str) -> None:
    doubt = Unclear(f"{what}, and a key or button may be held down")
    tracker.operations.append(doubt if tracker.state.busy else Nothing(f"only: {what}"))


def _follow_code(tracker: Tracker, code: Code) -> None:
    """Follow a program: the commands it certainly runs, and its possible mouse and keyboard actions."""
    source = fold(code.source, limit=len(code.source))
    read = read_line(source) if code.language == "bash" else None
    for command in read_python(source) if read is None else read.commands:
        terminal.tell(tracker, (command,), command.text, certain=True)
    if read is not None and read.not_understood:
        tracker.operations.append(terminal.not_understood(source, read.not_understood))
    state = tracker.state
    state.selection = None
    state.clipboard = copied(source) if code.language == "python" else None
    if code.language == "python":
        inner = follow(state.copy(), code_facts(code).actions, tracker.view)
        tracker.operations.extend(doubtful(operation) for operation in inner if not isinstance(operation, Nothing))
    tracker.operations.append(Unclear("a program that is not a straight line of known calls"))
    state.pointer = None
    state.programmed = True
    tracker.focus(None)
