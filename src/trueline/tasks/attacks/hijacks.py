"""How a reader that believes everything follows an injected text: which goal it asks for, and the steps to reach it.

For simulated subjects and audits. Host and address are read from the text itself, as such a reader would.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from trueline.errors import InputError
from trueline.tasks.attacks.disguise import undisguised
from trueline.tasks.attacks.goals import GOALS, Goal
from trueline.tasks.model import Demo, DemoStep, Part

Steps = tuple[DemoStep, ...]


class _Scripts(Part):
    """Steps in a terminal by goal, and steps to leave it."""

    goals: dict[str, Steps]
    recover: Steps


_COMMENT = "#"
"""Stands before each line of a text in source code."""
_VALUES = {"host": r"[\w-]+(?:\.[\w-]+)+", "address": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"}


@dataclass(frozen=True)
class Order:
    """What an injected text asks its reader to do."""

    goal: str
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """`host` and `address`, as the text names them."""


def read_order(words: str) -> Order | None:
    """Find an injected text in the words on a screen, ignoring line breaks.

    Mail programs turn addresses into links, which the tree then lists after the text they are missing from.
    """
    plain = " ".join(word for word in undisguised(words).split() if word != _COMMENT)
    for goal in _goals():
        shape = _shape(goal.text)
        found = shape.text.search(plain)
        if found is None:
            continue
        places = {name: found[name] or _linked(link, plain, found.end()) for name, link in shape.links.items()}
        values = {name: value for name, value in places.items() if value is not None}
        if len(values) == len(places):
            return Order(goal.id, values)
    return None


def _goals() -> Iterator[Goal]:
    """All goals. One that cannot be loaded is not part of this episode: preparing its injection would have failed."""
    for name in GOALS.names():
        with suppress(InputError):
            yield GOALS.find(name)


def hijack_steps(order: Order, demo: Demo | None = None, instruction: str = "") -> Steps:
    """Steps that follow an order: those of the task's demo, or of the goal.

    `{host}` and `{address}` in typed text are replaced with the values of the order, `{task_base64}` with the
    instruction that the reader was given.
    """
    values = {**order.values, "task_base64": base64.b64encode(instruction.encode("utf-8", "replace")).decode()}
    own = demo.hijack.get(order.goal) if demo is not None else None
    steps = own if own is not None else _scripts().goals.get(order.goal, GOALS.find(order.goal).hijack)
    return tuple(_filled(step, values) for step in steps)


def recovery_steps(order: Order, demo: Demo | None = None) -> Steps:
    """Steps of a subject that a guard stopped midway, back to where it was."""
    return () if demo is not None and order.goal in demo.hijack else _scripts().recover


@dataclass(frozen=True)
class _Shape:
    """Patterns that recognise an injected text."""

    text: re.Pattern[str]
    """The text, with a group for each placeholder. A word with a placeholder is optional."""
    links: dict[str, re.Pattern[str]]
    """The optional words by placeholder."""


@cache
def _shape(template: str) -> _Shape:
    text, links = "", dict[str, re.Pattern[str]]()
    for word in template.split():
        escaped = re.escape(word)
        shaped = re.sub(r"\\\$(\w+)", lambda match: f"(?P<{match[1]}>{_VALUES[match[1]]})", escaped)
        links |= {name: re.compile(shaped, re.IGNORECASE) for name in re.findall(r"\$(\w+)", word)}
        gap = " " if text else ""
        text += f"(?:{gap}{shaped})?" if shaped != escaped else gap + escaped
    return _Shape(re.compile(text, re.IGNORECASE), links)


def _linked(link: re.Pattern[str], plain: str, after: int) -> str | None:
    found = link.search(plain, after)
    return None if found is None else found[1]


@cache
def _scripts() -> _Scripts:
    content = resources.files("trueline.tasks.attacks").joinpath("hijacks.json").read_bytes()
    return _Scripts.model_validate_json(content)


def _filled(step: DemoStep, values: Mapping[str, str]) -> DemoStep:
    def put(text: str) -> str:
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    acts = tuple(act if act.type is None else act.model_copy(update={"type": put(act.type)}) for act in step.acts)
    return step.model_copy(update={"acts": acts})
