"""Follows actions over the screen and says what they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trueline.actions.facts.code import code_facts
from trueline.actions.input_commands import read_input_of_bash
from trueline.actions.python.calls import read_source
from trueline.actions.python.effects import ClipboardSet, ProgramInput, PythonProgram
from trueline.actions.shell.command import ShellCommand
from trueline.actions.shell.interpret import read_line, read_python
from trueline.actions.shell.programs import TERMINALS
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
from trueline.guard.policy.operations import (
    Addressed,
    EpisodeEnd,
    Nothing,
    Opened,
    Operation,
    Ran,
    Typed,
    Unclear,
    doubtful,
)
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
        _follow_started_input(tracker)
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
            tracker.operations.append(EpisodeEnd(action.kind))
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
        case Type(paste=keys) if keys:
            tracker.state.clipboard = action.text
            keyboard.chord(tracker, keys)
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


def _follow_started_input(tracker: Tracker) -> None:
    """Follow what a command of the terminal types and clicks; what has the keyboard by then is not certain."""
    actions, tracker.started_input = tracker.started_input, ()
    if actions:
        inner = follow(tracker.state.copy(), actions, tracker.view)
        tracker.operations.extend(doubtful(operation) for operation in inner if not isinstance(operation, Nothing))


def _record_passive(tracker: Tracker, what: str) -> None:
    doubt = Unclear(f"{what}, and a key or button may be held down")
    tracker.operations.append(doubt if tracker.state.busy else Nothing(f"only: {what}"))


def _follow_code(tracker: Tracker, code: Code) -> None:
    """Follow a program: the commands it runs, and its mouse and keyboard actions.

    Its actions are as certain as those of a proposal if they happen whenever the program runs.
    """
    source = fold(code.source, limit=len(code.source))
    state = tracker.state
    if code.language == "bash":
        program = read_input_of_bash(source)
        read = read_line(source)
        commands = read.commands
        if read.not_understood:
            tracker.operations.append(terminal.not_understood(source, read.not_understood))
    else:
        program = read_source(source)
        commands = read_python(source)
    for command in commands:
        terminal.tell(tracker, (command,), command.text, certain=True)
    state.selection = None
    state.clipboard = program.clipboard
    if code.language == "python":
        inner = follow(state.copy(), code_facts(code).actions, tracker.view)
        tracker.operations.extend(doubtful(operation) for operation in inner if not isinstance(operation, Nothing))
    tracker.operations.extend(_certain_text(tracker, program, commands))
    tracker.operations.append(Unclear("a program that is not a straight line of known calls"))
    state.pointer = None
    state.programmed = True
    tracker.focus(None)


def _certain_text(tracker: Tracker, program: PythonProgram, commands: Sequence[ShellCommand]) -> tuple[Operation, ...]:
    """What a program types and pastes whenever it runs, and what comes of it where the keyboard is."""
    inner = Tracker(tracker.state.copy(), tracker.view)
    inner.state.clipboard = None
    if any(command.program in TERMINALS for command in commands):
        inner.focus(TERMINAL)
    followed = 0
    for effect in program.effects:
        if isinstance(effect, ClipboardSet):
            if effect.primary:
                inner.state.selection = effect.text
            else:
                inner.state.clipboard = effect.text
        elif isinstance(effect, ProgramInput):
            if not effect.certain:
                break  # from here on nothing is certain
            followed += len(effect.actions)
            if followed > _MOST_ACTIONS:
                break
            for action in effect.actions:
                _follow_action(inner, action)
    keyboard.rest(inner)
    return tuple(
        operation
        for operation in inner.operations
        if isinstance(operation, Ran | Typed | Opened | Addressed)
        and (operation.certain or (isinstance(operation, Ran) and operation.unseen))
    )
