"""Keys that change what stands in a field, or what is chosen in a list."""

from __future__ import annotations

from trueline.guard.policy.follow import terminal
from trueline.guard.policy.follow.tracker import Tracker
from trueline.guard.policy.operations import Pressed


def copy(tracker: Tracker) -> None:
    """Put the selection on the clipboard."""
    tracker.state.clipboard = tracker.state.selection


def backspace(tracker: Tracker) -> None:
    """Delete the selection, or the character before the cursor."""
    state = tracker.state
    if state.everything:
        state.add("")
    else:
        state.cut(state.cursor - 1, state.cursor)
    tracker.touched = True


def delete(tracker: Tracker) -> None:
    """Delete the selection, or the character after the cursor; outside of text, the selected item."""
    state = tracker.state
    if state.focus is not None and state.focus.is_editable:
        if state.everything:
            state.add("")
        else:
            state.cut(state.cursor, state.cursor + 1)
        tracker.touched = True
        return
    tracker.operations.append(Pressed(state.focus, "delete", "key", state.everything, certain=state.focus is not None))


def delete_forever(tracker: Tracker) -> None:
    """Shift+Delete: deletes without the trash in a file manager, cuts in a text."""
    state = tracker.state
    focus = state.focus
    if focus is not None and not (focus.in_file_manager or focus.in_mail):
        copy(tracker)  # elsewhere it cuts
        return
    tracker.operations.append(Pressed(focus, "delete_forever", "key", state.everything, certain=focus is not None))


def select_all_or_home(tracker: Tracker) -> None:
    """Ctrl+A."""
    state = tracker.state
    if in_terminal(tracker):
        state.move(0)
        return
    state.everything = True
    editable = state.focus is not None and state.focus.is_editable
    state.selection = (state.focus.text or state.line or None) if editable and state.focus else None


def copy_or_interrupt(tracker: Tracker) -> None:
    """Ctrl+C."""
    if in_terminal(tracker):
        tracker.state.start()
        tracker.state.inside = ""
        tracker.touched = False
    else:
        copy(tracker)


def cut(tracker: Tracker) -> None:
    """Ctrl+X."""
    copy(tracker)
    if tracker.state.everything:
        tracker.state.add("")
    else:
        tracker.state.whole = False  # which part is gone is not known
    tracker.touched = True


def move(tracker: Tracker, modifiers: frozenset[str], name: str) -> None:
    """Move the cursor, or the selection, or the choice in a list."""
    state = tracker.state
    state.everything = False
    if "shift" in modifiers:
        state.selection = None
    if name in ("up", "down") and in_terminal(tracker) and not modifiers:
        terminal.recall(tracker, 1 if name == "up" else -1)
    elif name in ("left", "right") and not modifiers:
        state.move(state.cursor + (1 if name == "right" else -1))
    elif name in ("home", "end") and not modifiers and "\n" not in state.line:
        state.move(len(state.line) if name == "end" else 0)
    elif state.line:
        state.whole = False  # what follows goes in somewhere else


def in_terminal(tracker: Tracker) -> bool:
    """Whether a terminal has the keyboard."""
    return tracker.state.focus is not None and tracker.state.focus.is_terminal
