"""The facts of one action, or of a whole proposal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trueline.actions.facts.code import Command, code_facts
from trueline.actions.facts.effects import Effect, effect_of, join_effects
from trueline.actions.facts.mentions import mentions
from trueline.actions.facts.touch_points import Touch, touches_of
from trueline.actions.facts.typed_text import entered_lines, typed_runs
from trueline.actions.pointer import pointer_after
from trueline.actions.types import Action, Code, Point


@dataclass(frozen=True)
class ActionFacts:
    """Facts of actions that do not depend on the screen."""

    touches: tuple[Touch, ...] = ()
    typed: tuple[str, ...] = ()
    """Texts typed without a break; Enter is a newline."""
    commands: tuple[Command, ...] = ()
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
    commands: list[Command] = []
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
    commands += [Command(line, "candidate") for run in typed for line in entered_lines(run)]
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
