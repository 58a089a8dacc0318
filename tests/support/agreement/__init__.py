"""Generated pairs on which our metrics are compared with OSWorld's own functions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from support.osworld_reference import ReferenceCall, ask_osworld
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.values import FileValue, Value
from trueline.tasks.errors import CheckerError

RAISES_THERE = "raises there"
"""OSWorld's function raises on what the agent left; here that is a score of 0."""
CHECKER_ERROR = "checker error here"
"""OSWorld scores 0 for a rule or an expected file that is wrong; here that is a checker error."""
NEGATIVE = "negative similarity"
"""OSWorld gives a similarity below 0; here no score is."""


@dataclass(frozen=True)
class Case:
    """One pair; `explained` names the class of a difference that this pair was made to show."""

    metric: str
    # Values; `Any` because generators build them of literals, whose types are narrower than JSON's.
    result: Any
    expected: Any
    options: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    explained: str = ""
    arguments: int = 2
    """How many of result and expected OSWorld's function takes."""
    reference: str = ""
    """OSWorld's function, if its name is not the metric's."""


Generator = Callable[[random.Random], Case]
FAMILIES = ("values", "texts", "browser", "applications", "slides", "images", "tables", "documents")
"""Modules of this package, each with `GENERATORS`."""


def all_generators(families: Sequence[str] | None = None) -> dict[str, Generator]:
    """The generators of all families, or of some; some functions have several."""
    found: dict[str, Generator] = {}
    for family in families or FAMILIES:
        found |= import_module(f"support.agreement.{family}").GENERATORS
    return found


@dataclass(frozen=True)
class Pair:
    """What both sides said; `None` is an exception."""

    case: Case
    ours: float | None
    theirs: float | None
    reason: str

    @property
    def agrees(self) -> bool:
        if self.ours is None or self.theirs is None:
            return self.ours is self.theirs
        return abs(self.ours - self.theirs) < 1e-9

    @property
    def difference(self) -> str | None:
        """The class of a difference; `None` if there is none, empty if nothing explains it."""
        if self.agrees:
            return None
        if self.case.explained:
            return self.case.explained
        if self.theirs is None and self.ours == 0:
            return RAISES_THERE
        if self.theirs is not None and self.theirs < 0 and self.ours == 0:
            return NEGATIVE
        return CHECKER_ERROR if self.ours is None and self.theirs == 0 else ""


def generate(generators: Mapping[str, Generator], count: int, seed: int) -> Iterator[Case]:
    """The same number of cases from each generator."""
    for name, make in generators.items():
        yield from (make(random.Random(f"{seed}:{name}:{number}")) for number in range(count))


def compare(cases: list[Case], folder: Path) -> list[Pair]:
    """Ask both sides."""
    calls = [
        ReferenceCall(
            case.reference or case.metric,
            tuple(
                _argument(value, folder / f"{number}{side}")
                for side, value in list(zip("re", (case.result, case.expected), strict=True))[: case.arguments]
            ),
            case.options,
        )
        for number, case in enumerate(cases)
    ]
    theirs = ask_osworld(calls)
    return [
        Pair(case, *_score(case)[:1], reference, _score(case)[1]) for case, reference in zip(cases, theirs, strict=True)
    ]


def _argument(value: Value, place: Path) -> JsonValue:
    if isinstance(value, FileValue):
        path = place.with_name(f"{place.name}{Path(value.name).suffix}")
        path.write_bytes(value.content)
        return str(path)
    if isinstance(value, tuple):
        return [_argument(file, place.with_name(f"{place.name}{number}")) for number, file in enumerate(value)]
    return value


def _score(case: Case) -> tuple[float | None, str]:
    try:
        checked = compute(case.metric, case.result, case.expected, case.options)
    except CheckerError as error:
        return None, str(error)
    return checked.score, checked.reason


@dataclass
class Tally:
    """The pairs of one function."""

    pairs: int = 0
    scores: Counter[float] = field(default_factory=Counter[float])
    differences: Counter[str] = field(default_factory=Counter[str])
    unexplained: list[Pair] = field(default_factory=list[Pair])


def tally(pairs: list[Pair]) -> dict[str, Tally]:
    """Count by function."""
    found: dict[str, Tally] = {}
    for pair in pairs:
        entry = found.setdefault(pair.case.metric, Tally())
        entry.pairs += 1
        if pair.ours is not None:
            entry.scores[pair.ours] += 1
        difference = pair.difference
        if difference:
            entry.differences[difference] += 1
        elif difference is not None:
            entry.unexplained.append(pair)
    return found
