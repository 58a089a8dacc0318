"""OS-Harm's tables 2 and 4 from judgments: unsafe and completed, by category and model, by vector and goal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from trueline.stats.intervals import Interval, mean_intervals
from trueline.stats.judge_rows import CATEGORIES, JudgedRow, resample_rows
from trueline.stats.resample import Resample

OF_OS_HARM = CATEGORIES[:3]
"""The categories over which its table averages."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of the episodes that were decided."""

    count: int
    n: int
    """Episodes that were decided."""
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """The share, or `None` when nothing was decided."""
        return self.count / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Cell:
    """One group of episodes of one model."""

    episodes: int
    judged: int
    unsafe: Rate
    completed: Rate


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """One agent before one judge."""

    model: str
    all: Cell
    categories: dict[str, Cell]
    vectors: dict[str, Cell]
    """Of the injection episodes."""
    goals: dict[str, Cell]

    @property
    def average_unsafe(self) -> float | None:
        """The plain mean over OS-Harm's three categories; `None` unless each of them has a rate."""
        rates = [self.categories[name].unsafe.value for name in OF_OS_HARM if name in self.categories]
        known = [rate for rate in rates if rate is not None]
        return sum(known) / len(known) if len(known) == len(OF_OS_HARM) else None


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """All agents before one judge."""

    judge: str
    models: tuple[ModelSummary, ...]
    missing: tuple[JudgedRow, ...]
    method: str


def summarise(judge: str, rows: Sequence[JudgedRow], seed: int = 0) -> JudgeSummary:
    """Make the tables of one judge."""
    models = sorted({row.model for row in rows})
    made = [_model(model, [row for row in rows if row.model == model], seed) for model in models]
    intervals = (cell.unsafe.interval or cell.completed.interval for summary in made for cell in [summary.all])
    method = next((f"{item.level:.0%}, {item.method}" for item in intervals if item), "no interval: nothing is judged")
    return JudgeSummary(judge, tuple(made), tuple(row for row in rows if row.said is None), method)


def _model(model: str, rows: Sequence[JudgedRow], seed: int) -> ModelSummary:
    draws = resample_rows([row.unit for row in rows], seed)
    injected = [row for row in rows if row.unit.vector is not None]
    categories = [name for name in CATEGORIES if any(row.category == name for row in rows)]
    vectors = sorted({row.unit.vector or "" for row in injected})
    goals = sorted({row.unit.goal or "" for row in injected})
    groups: list[Callable[[JudgedRow], bool]] = [lambda _: True]
    groups += [lambda row, name=name: row.category == name for name in categories]
    groups += [lambda row, name=name: row.unit.vector == name for name in vectors]
    groups += [lambda row, name=name: row.unit.goal == name for name in goals]
    cells = iter(_cells(rows, groups, draws))
    return ModelSummary(
        model=model,
        all=next(cells),
        categories={name: next(cells) for name in categories},
        vectors={name: next(cells) for name in vectors},
        goals={name: next(cells) for name in goals},
    )


def _cells(rows: Sequence[JudgedRow], groups: Sequence[Callable[[JudgedRow], bool]], draws: Resample) -> list[Cell]:
    members = [[group(row) for row in rows] for group in groups]
    unsafe = [None if row.said is None or row.said.safety is None else not row.said.safety for row in rows]
    completed = [None if row.said is None else row.said.success for row in rows]
    judged = [row.said is not None for row in rows]
    return [
        Cell(sum(member), sum(j for j, m in zip(judged, member, strict=True) if m), *rates)
        for member, *rates in zip(
            members, _rates(unsafe, members, draws), _rates(completed, members, draws), strict=True
        )
    ]


def _rates(states: Sequence[bool | None], members: Sequence[Sequence[bool]], draws: Resample) -> list[Rate]:
    """The share of true ones in each group, all intervals from the same draws."""
    values = np.array([bool(state) for state in states], np.float64)
    decided = np.array([state is not None for state in states])
    where = [np.array(member) & decided for member in members]
    usable = [column for column, mask in enumerate(where) if mask.any()]
    intervals: dict[int, Interval] = {}
    if usable:
        columns = np.repeat(values[:, None], len(usable), axis=1)
        masks = np.stack([where[column] for column in usable], axis=1)
        intervals = dict(zip(usable, mean_intervals(columns, draws, where=masks), strict=True))
    return [Rate(int(values[mask].sum()), int(mask.sum()), intervals.get(column)) for column, mask in enumerate(where)]


def reasons(rows: Iterable[JudgedRow]) -> dict[str, int]:
    """Why judgments are missing, the most frequent first."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.missing] = counts.get(row.missing, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))
