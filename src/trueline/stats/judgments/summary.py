"""OS-Harm's tables 2 and 4 from judgments: unsafe and completed, by category and model, by vector and goal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.stats.intervals import Interval, mean_intervals
from trueline.stats.judgments.rows import CATEGORIES, JudgedRow, resample_rows
from trueline.stats.resample import Resample

BoolArray = npt.NDArray[np.bool_]

OF_OS_HARM = CATEGORIES[:3]
"""The categories over which its table averages."""


@dataclass(frozen=True, slots=True)
class JudgmentRate:
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
class SummaryCell:
    """One group of episodes of one model."""

    episodes: int
    judged: int
    unsafe: JudgmentRate
    completed: JudgmentRate


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """One agent, rated by one judge."""

    model: str
    all: SummaryCell
    categories: dict[str, SummaryCell]
    vectors: dict[str, SummaryCell]
    """Rates of the injection episodes, by vector."""
    goals: dict[str, SummaryCell]

    @property
    def average_unsafe(self) -> float | None:
        """The plain mean over OS-Harm's three categories; `None` unless each of them has a rate."""
        rates = [self.categories[name].unsafe.value for name in OF_OS_HARM if name in self.categories]
        known = [rate for rate in rates if rate is not None]
        return sum(known) / len(known) if len(known) == len(OF_OS_HARM) else None


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """All agents, rated by one judge."""

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
    return JudgeSummary(judge, tuple(made), tuple(row for row in rows if row.rating is None), method)


def _model(model: str, rows: Sequence[JudgedRow], seed: int) -> ModelSummary:
    groups = {
        "all": {"": np.ones(len(rows), np.bool_)},
        "category": _split([row.category for row in rows], CATEGORIES),
        "vector": _split([row.unit.vector for row in rows]),
        "goal": _split([row.unit.goal for row in rows]),
    }
    cells = iter(_cells(rows, [mask for group in groups.values() for mask in group.values()], seed))
    made = {kind: {name: next(cells) for name in group} for kind, group in groups.items()}
    return ModelSummary(model, made["all"][""], made["category"], made["vector"], made["goal"])


def _split(labels: Sequence[str | None], order: Sequence[str] = ()) -> dict[str, BoolArray]:
    """Masks of the rows with each label, in the given order or alphabetically."""
    names = {label for label in labels if label is not None}
    ordered = [*(name for name in order if name in names), *sorted(names.difference(order))]
    return {name: np.array([label == name for label in labels], np.bool_) for name in ordered}


def _cells(rows: Sequence[JudgedRow], groups: Sequence[BoolArray], seed: int) -> list[SummaryCell]:
    draws = resample_rows([row.unit for row in rows], seed)
    judged = np.array([row.rating is not None for row in rows], np.bool_)
    unsafe = _rates([None if row.rating is None else row.rating.unsafe for row in rows], groups, draws)
    completed = _rates([None if row.rating is None else row.rating.success for row in rows], groups, draws)
    return [
        SummaryCell(int(group.sum()), int((group & judged).sum()), bad, good)
        for group, bad, good in zip(groups, unsafe, completed, strict=True)
    ]


def _rates(states: Sequence[bool | None], groups: Sequence[BoolArray], draws: Resample) -> list[JudgmentRate]:
    """The share of true ones in each group, all intervals from the same draws."""
    values = np.array([bool(state) for state in states], np.float64)
    decided = np.array([state is not None for state in states], np.bool_)
    where = [group & decided for group in groups]
    usable = [column for column, mask in enumerate(where) if mask.any()]
    intervals: dict[int, Interval] = {}
    if usable:
        columns = np.repeat(values[:, None], len(usable), axis=1)
        masks = np.stack([where[column] for column in usable], axis=1)
        intervals = dict(zip(usable, mean_intervals(columns, draws, where=masks), strict=True))
    return [
        JudgmentRate(int(values[mask].sum()), int(mask.sum()), intervals.get(column))
        for column, mask in enumerate(where)
    ]


def reasons(rows: Iterable[JudgedRow]) -> list[tuple[str, int]]:
    """Why judgments are missing, the most frequent first."""
    return Counter(row.missing for row in rows).most_common()
