"""How far a judge agrees with people: OS-Harm's Table 3, with intervals by host task.

The positive classes are OS-Harm's: unsafe, and completed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.records.layout import Unit
from trueline.stats.intervals import Interval, mean_interval
from trueline.stats.judgments.rows import CATEGORIES, Rating, resample_rows
from trueline.stats.resample import Resample

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pair:
    """One episode, rated by a judge and by people."""

    name: str
    """Folder of the episode."""
    unit: Unit
    category: str
    human: Rating
    judge: Rating


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its interval; `None` when it is not defined."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class AgreementScores:
    """One yes/no question: how often the judge and people agree."""

    tp: int
    fp: int
    fn: int
    tn: int
    agreement: Figure
    precision: Figure
    recall: Figure
    f1: Figure
    kappa: Figure

    @property
    def n(self) -> int:
        """Episodes on which both decided."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def figures(self) -> dict[str, Figure]:
        """All figures by name."""
        return {
            "agreement": self.agreement,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "kappa": self.kappa,
        }


@dataclass(frozen=True, slots=True)
class StepDistance:
    """How far apart the first violations are, where both call an episode unsafe and name a step."""

    n: int
    same: int
    within_one: int
    mean: float | None
    """The judge's step minus people's: above zero the judge is late."""
    mean_absolute: float | None


@dataclass(frozen=True, slots=True)
class AgreementGroup:
    """All figures of one category, or of all."""

    unsafe: AgreementScores
    completed: AgreementScores
    steps: StepDistance


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far one judge agrees with people."""

    judge: str
    overall: AgreementGroup
    categories: dict[str, AgreementGroup]
    disagreements: tuple[Pair, ...]
    method: str


def agree(judge: str, pairs: Sequence[Pair], seed: int = 0) -> Agreement:
    """Compare a judge with people."""
    categories = [name for name in CATEGORIES if any(pair.category == name for pair in pairs)]
    groups = {name: _group([pair for pair in pairs if pair.category == name], seed) for name in categories}
    apart = tuple(pair for pair in pairs if _differ(pair))
    method = (
        "95%; agreement, precision, recall: Wilson score interval with the design effect of a bootstrap over host "
        "tasks (Rao-Wu); F1: that of its Jaccard index, transformed; kappa: percentiles of the same bootstrap"
    )
    return Agreement(judge, _group(pairs, seed), groups, apart, method)


def _differ(pair: Pair) -> bool:
    return any(
        a is not None and b is not None and a is not b
        for a, b in ((pair.human.safety, pair.judge.safety), (pair.human.success, pair.judge.success))
    )


def _group(pairs: Sequence[Pair], seed: int) -> AgreementGroup:
    units = [pair.unit for pair in pairs]
    unsafe = [(pair.human.unsafe, pair.judge.unsafe) for pair in pairs]
    completed = [(pair.human.success, pair.judge.success) for pair in pairs]
    return AgreementGroup(score_agreement(units, unsafe, seed), score_agreement(units, completed, seed), _steps(pairs))


def score_agreement(
    units: Sequence[Unit], states: Sequence[tuple[bool | None, bool | None]], seed: int = 0
) -> AgreementScores:
    """Compare the answers to one yes/no question.

    Args:
        units: What each answer is about; those of one host task stay together in the bootstrap.
        states: People's answer and the judge's; where one is `None`, neither counts.
        seed: Of the bootstrap.
    """
    decided = [
        (unit, human, judge)
        for unit, (human, judge) in zip(units, states, strict=True)
        if human is not None and judge is not None
    ]
    human = np.array([item[1] for item in decided], np.bool_)
    judge = np.array([item[2] for item in decided], np.bool_)
    draws = resample_rows([item[0] for item in decided], seed) if decided else None
    either = human | judge
    jaccard = _mean(human & judge, either, draws)
    return AgreementScores(
        tp=int(np.count_nonzero(human & judge)),
        fp=int(np.count_nonzero(~human & judge)),
        fn=int(np.count_nonzero(human & ~judge)),
        tn=int(np.count_nonzero(~human & ~judge)),
        agreement=_mean(human == judge, np.ones_like(human), draws),
        precision=_mean(human & judge, judge, draws),
        recall=_mean(human & judge, human, draws),
        f1=_f1(jaccard),
        kappa=_kappa(human, judge, draws),
    )


def _mean(values: BoolArray, where: BoolArray, draws: Resample | None) -> Figure:
    if draws is None or not where.any():
        return Figure(None)
    interval = mean_interval(values.astype(np.float64), draws, where=where)
    return Figure(float(values[where].mean()), interval)


def _f1(jaccard: Figure) -> Figure:
    """F1 is a growing function of the share of episodes that both call positive among those that either does."""
    if jaccard.value is None or jaccard.interval is None:
        return Figure(None)
    low, high = (2 * end / (1 + end) for end in (jaccard.interval.low, jaccard.interval.high))
    interval = Interval(low, high, jaccard.interval.level, f"{jaccard.interval.method}, of the Jaccard index")
    return Figure(2 * jaccard.value / (1 + jaccard.value), interval)


def _kappa(human: BoolArray, judge: BoolArray, draws: Resample | None) -> Figure:
    if draws is None:
        return Figure(None)
    cells = np.stack([human & judge, ~human & judge, human & ~judge, ~human & ~judge], axis=1).astype(np.float64)
    value = _kappas(cells.sum(axis=0)[None, :])[0]
    if np.isnan(value):
        return Figure(None)
    weights = draws.by_cluster(cells) * draws.scale[:, None]
    drawn = _kappas(draws.counts.astype(np.float64) @ weights)
    drawn = drawn[~np.isnan(drawn)]
    if drawn.size == 0 or drawn.min() == drawn.max():
        # Nothing varies between the draws: that is not certainty, there is just nothing to estimate from.
        return Figure(float(value))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Figure(float(value), Interval(float(low), float(high), 0.95, f"percentiles of a {draws.text_of_draws}"))


def _kappas(cells: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cohen's kappa of rows (tp, fp, fn, tn); NaN where chance alone would agree always."""
    total = cells.sum(axis=1)
    tp, fp, fn, tn = (cells / np.where(total > 0, total, np.nan)[:, None]).T
    chance = (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance < 1 - 1e-12, (tp + tn - chance) / (1 - chance), np.nan)


def _steps(pairs: Sequence[Pair]) -> StepDistance:
    distances = [
        pair.judge.violation_step - pair.human.violation_step
        for pair in pairs
        if pair.human.safety is False
        and pair.judge.safety is False
        and pair.human.violation_step is not None
        and pair.judge.violation_step is not None
    ]
    n = len(distances)
    return StepDistance(
        n=n,
        same=distances.count(0),
        within_one=sum(abs(distance) <= 1 for distance in distances),
        mean=sum(distances) / n if n else None,
        mean_absolute=sum(map(abs, distances)) / n if n else None,
    )
