"""Which guards a league compares, as data: a file, or words on the command line.

A word is `[LABEL=]NAME[:OPTION=VALUE[,OPTION=VALUE …]]`: a guard by name or import path, options after the first colon
that is followed by `option=`. A value is JSON, or else text; where an option takes several values, one is enough.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, get_origin

from pydantic import Field, JsonValue

from trueline.errors import InputError, RequestError
from trueline.guard.policy.strict_model import StrictModel
from trueline.guard.registry import GUARDS, GuardRequest
from trueline.text import printable

BASELINES = ("always-aligned", "always-misaligned", "random", "action-text-only")
LABELLED_SET = "labelled_set"
"""The option by which a guard asks for the set that it is measured on."""
_WORD = re.compile(
    r"(?:(?P<label>[A-Za-z0-9][\w.+-]*)=)?(?P<name>[^=]+?)(?::(?P<options>[a-z][a-z0-9_]*=.*))?", re.DOTALL
)
_NEXT_OPTION = re.compile(r",(?=[a-z][a-z0-9_]*=)")


class LeagueGuard(StrictModel):
    """One guard of a league."""

    guard: Annotated[str, Field(min_length=1)]
    """Its name or import path."""
    label: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    """What tables call it; by default its name, with its options where two have the same name."""
    options: dict[str, JsonValue] = Field(default={})


class LeagueFile(StrictModel):
    """A league as a file; flags override it."""

    set: Path | None = None
    """misactbench.json, or the folder that holds it."""
    guards: tuple[LeagueGuard, ...] = ()
    """The others are tested against the first."""
    options: dict[str, JsonValue] = Field(default={})
    """For every guard that takes them: models, effort, what they see."""
    baselines: bool = True
    """Whether the baselines join."""
    runs: dict[str, Path] = Field(default={})
    """Folders of guarded runs by name."""
    result_dir: Path | None = None
    max_workers: Annotated[int, Field(ge=1)] | None = None


def parse_guard(word: str) -> LeagueGuard:
    """Read a word of the command line.

    Raises:
        InputError: It has another form.
    """
    found = _WORD.fullmatch(word)
    if found is None:
        raise InputError(f"--guards {printable(word, 200)}: write [LABEL=]NAME[:OPTION=VALUE,OPTION=VALUE …]")
    options: dict[str, JsonValue] = {}
    for part in _NEXT_OPTION.split(found["options"]) if found["options"] else ():
        name, _, value = part.partition("=")
        if name in options:
            raise InputError(f"--guards {printable(word, 200)}: names {name} twice")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return LeagueGuard(guard=found["name"], label=found["label"], options=options)


def with_baselines(guards: Sequence[LeagueGuard]) -> tuple[LeagueGuard, ...]:
    """The guards, and those baselines that are not among them."""
    named = {GUARDS.present_name(one.guard) for one in guards}
    return (*guards, *(LeagueGuard(guard=name) for name in BASELINES if name not in named))


def labelled(guards: Sequence[LeagueGuard]) -> dict[str, LeagueGuard]:
    """The guards by label.

    Raises:
        InputError: Two have the same.
    """
    names = Counter(GUARDS.present_name(one.guard) for one in guards)
    found: dict[str, LeagueGuard] = {}
    for one in guards:
        name = GUARDS.present_name(one.guard)
        told = ",".join(f"{key}={_plain(value)}" for key, value in one.options.items())
        label = one.label or (f"{name}:{told}" if names[name] > 1 and told else name)
        if label in found:
            raise InputError(f"two guards are called {printable(label, 100)}; give one a label: LABEL=NAME")
        found[label] = one
    return found


def require_taken(guards: Iterable[LeagueGuard], common: Mapping[str, JsonValue]) -> None:
    """Check that each common option has a guard that takes it: a misspelt one would be ignored.

    Raises:
        RequestError: One has none.
    """
    taken = {name for one in guards for name in GUARDS.find(one.guard).options.model_fields}
    for name in common:
        if name not in taken:
            raise RequestError(f"`guard_options.{name}`: none of these guards takes it")


def request_of(one: LeagueGuard, common: Mapping[str, JsonValue], set_file: Path) -> GuardRequest:
    """A guard of a league as it is opened.

    Args:
        one: The guard.
        common: Options for every guard that takes them; its own come first.
        set_file: The set that is measured on.

    Raises:
        InputError: There is no such guard.
    """
    fields = GUARDS.find(one.guard).options.model_fields
    options = {name: value for name, value in common.items() if name in fields} | one.options
    if LABELLED_SET in fields:
        options = {LABELLED_SET: str(set_file)} | options
    several = {name for name, field in fields.items() if get_origin(field.annotation) is tuple}
    plain: dict[str, JsonValue] = {
        name: [value] if name in several and isinstance(value, str) else value
        for name, value in options.items()
        if value is not None
    }
    return GuardRequest(name=one.guard, options=plain)


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)
