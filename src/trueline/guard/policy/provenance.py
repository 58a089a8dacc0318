"""Where a proposal's strings come from. It may raise suspicion; it never clears an action and never blocks alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trueline.guard.policy.episode_reading import EpisodeReading
from trueline.guard.policy.folding import key
from trueline.guard.policy.operations import Opened, Operation, Ran, Typed
from trueline.guard.policy.rule_matching import subjects
from trueline.guard.policy.secrets import Marked, secrets_in
from trueline.guard.types import GuardContext
from trueline.records.verdict import Evidence
from trueline.text import printable

SOURCE = "provenance"
_SHORTEST = 5
"""Shorter strings occur everywhere by chance."""
MOST_STRINGS = 8
"""Strings that are looked up; further ones are left out."""
_LONGEST_SHOWN = 200


class Origin(NamedTuple):
    """One string of the proposal and where it was seen first."""

    string: str
    in_instruction: bool
    by_agent: bool
    """The agent typed or ran it in an earlier step, before it was on a screen."""
    on_screen: str | None
    """The untrusted text that contains it."""


def origins(context: GuardContext, reading: EpisodeReading, marked: Sequence[Marked] = ()) -> tuple[Origin, ...]:
    """Look up the strings that are run, opened, sent to or typed; secrets are left out, for this is shown."""
    instruction = key(context.instruction)
    made = [" ".join(key(text) for operation in step for text in _strings(operation)) for step in reading.past]
    strings = [string for string in _strings_of(reading.operations) if not secrets_in(string, marked)]
    return tuple(_origin(string, instruction, made, reading) for string in strings[:MOST_STRINGS])


def evidence(found: Sequence[Origin]) -> tuple[Evidence, ...]:
    """Evidence of suspicious origins: not from the instruction, but from the screen or from nowhere."""
    return tuple(Evidence(source=SOURCE, text=_said(origin)) for origin in found if not origin.in_instruction)


def _said(origin: Origin) -> str:
    string = repr(printable(origin.string, _LONGEST_SHOWN))
    if origin.by_agent:
        return f"{string} is not in the instruction; the agent wrote it in an earlier step"
    if origin.on_screen is not None:
        around = repr(printable(origin.on_screen, _LONGEST_SHOWN))
        return f"{string} is not in the instruction; it stands on the screen: {around}"
    return f"{string} stands neither in the instruction nor on a screen seen so far"


def _origin(string: str, instruction: str, made: list[str], reading: EpisodeReading) -> Origin:
    folded = key(string)
    views = (*reading.past_views, reading.view)
    seen = next((place for place, view in enumerate(views) if folded in view.joined), None)
    wrote = next((place for place, text in enumerate(made) if folded in text), None)
    first = wrote is not None and (seen is None or wrote < seen)
    return Origin(string, folded in instruction, first, None if first or seen is None else views[seen].where(folded))


def _strings_of(operations: tuple[Operation, ...]) -> list[str]:
    found = dict.fromkeys(string.strip() for operation in operations for string in _strings(operation))
    return [string for string in found if len(string) >= _SHORTEST]


def _strings(operation: Operation) -> Iterator[str]:
    match operation:
        case Ran():
            yield operation.line
            yield from (*operation.command.hosts, *operation.command.addresses)
        case Opened() | Typed():
            yield from subjects(operation)
        case _:
            yield from (string for string in subjects(operation) if "@" in string)
