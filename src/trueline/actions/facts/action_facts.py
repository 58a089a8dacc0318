"""The facts of one action, or of a whole proposal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trueline.actions.facts.code import CommandInCode, code_facts
from trueline.actions.facts.effects import Effect, effect_of, join_effects
from trueline.actions.facts.mentions import mentions
from trueline.actions.facts.touch_points import Touch, touches_of
from trueline.actions.pointer import pointer_after
from trueline.actions.types import Action, Code, CursorPosition, Hotkey, Key, Move, Point, Screenshot, Type, Wait, Zoom

_KEY_TEXT = {"enter": "\n", "space": " ", "tab": "\t"}


@dataclass(frozen=True)
class ActionFacts:
    """Facts of actions that do not depend on the screen."""

    touches: tuple[Touch, ...] = ()
    typed: tuple[str, ...] = ()
    """Texts typed without a break; Enter is a newline."""
    commands: tuple[CommandInCode, ...] = ()
    urls: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    effect: Effect = "unknown"


def facts(action: Action) -> ActionFacts:
    """Return the facts of one action by itself."""
    return proposal_facts((action,))


def proposal_facts(actions: Sequence[Action], pointer: Point | None = None) -> ActionFacts:
    """Return the facts of actions that follow each other.

    Args:
        actions: The actions in order.
        pointer: Where the pointer is before the first, if that is known. A click without a point happens where the
            action before left the pointer.
    """
    touches: list[Touch] = []
    commands: list[CommandInCode] = []
    strings: list[str] = []
    straight: list[Action] = []
    for action in actions:
        touches += touches_of(action, pointer)
        straight.append(action)
        if isinstance(action, Code):
            inside = code_facts(action)
            touches += _uncertain(inside.actions)
            commands += inside.commands
            strings += inside.strings
            straight += inside.actions
        pointer = pointer_after(action, pointer)
    typed = typed_runs(straight)
    commands += [CommandInCode(line, "candidate") for run in typed for line in entered_lines(run)]
    named = mentions([*typed, *(command.text for command in commands), *strings])
    return ActionFacts(
        touches=tuple(touches),
        typed=typed,
        commands=tuple(commands),
        urls=named.urls,
        paths=named.paths,
        emails=named.emails,
        hosts=named.hosts,
        effect=join_effects(effect_of(action) for action in actions),
    )


def _uncertain(actions: Sequence[Action]) -> list[Touch]:
    touches: list[Touch] = []
    pointer: Point | None = None
    for action in actions:
        touches += (touch._replace(certain=False) for touch in touches_of(action, pointer))
        pointer = pointer_after(action, pointer)
    return touches


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
