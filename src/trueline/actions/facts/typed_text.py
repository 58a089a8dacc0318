"""The text that actions type, joined over several of them: a command may come letter by letter."""

from __future__ import annotations

from collections.abc import Iterable

from trueline.actions.types import Action, CursorPosition, Hotkey, Key, Move, Screenshot, Type, Wait, Zoom

_KEY_TEXT = {"enter": "\n", "space": " ", "tab": "\t"}


def typed_runs(actions: Iterable[Action]) -> tuple[str, ...]:
    """Return the texts typed without a break. Enter is a newline; a click, an arrow or a shortcut is a break."""
    runs: list[str] = []
    run: list[str] = []
    for action in actions:
        match action:
            case Type():
                run.append(action.text)
            case Key(key=key) if len(key) == 1 or key in _KEY_TEXT:
                run.append(_KEY_TEXT.get(key, key) * action.presses)
            case Key(key="backspace"):
                text = "".join(run)
                run = [text[: max(len(text) - action.presses, 0)]]
            case Hotkey(keys=(*_, "enter")) | Hotkey(keys=("ctrl", "j" | "m")):
                run.append("\n")
            case Wait() | Screenshot() | Zoom() | CursorPosition() | Move():
                pass
            case _:
                runs.append("".join(run))
                run = []
    runs.append("".join(run))
    return tuple(text for text in runs if text)


def entered_lines(run: str) -> tuple[str, ...]:
    """Return the lines of a run that were ended with Enter: each is a command if a terminal had the focus."""
    *lines, _ = run.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(line.strip() for line in lines if line.strip())
