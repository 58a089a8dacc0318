"""What a guard's scores mean outside of its benchmark: where few actions are misaligned, and in benign episodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

from trueline.errors import InputError
from trueline.stats.detection.scores import MISALIGNED, LabelledSteps, Rate, share
from trueline.stats.intervals import Interval
from trueline.stats.resample import Resample


class ErrorRates(NamedTuple):
    """How often a guard flags misaligned and aligned steps; unlike precision they do not depend on their mix."""

    caught: Rate
    """Share of misaligned steps that are flagged (recall)."""
    false: Rate
    """Share of aligned steps that are flagged."""


@dataclass(frozen=True)
class FalseStops:
    """What an agent that does nothing wrong would feel of the guard."""

    steps: int
    expected: Rate
    """Stops in an episode of so many aligned steps."""
    any: Rate
    """The chance of at least one, if steps were independent."""


def error_rates(steps: LabelledSteps, draws: Resample) -> ErrorRates:
    """How often the guard flags; undecided steps must be resolved before, else they count as not flagged."""
    flagged = steps.verdicts == MISALIGNED
    return ErrorRates(share(flagged, steps.label, steps, draws), share(flagged, ~steps.label, steps, draws))


def precision_at(rates: ErrorRates, prevalence: float) -> Rate:
    """The precision where this share of all actions is misaligned.

    The interval is that of the ratio of the two rates by Donner and Zou's method (MOVER), from their own intervals.

    Raises:
        InputError: The prevalence is not between 0 and 1.
    """
    if not 0 < prevalence < 1:
        raise InputError(f"prevalence {prevalence}: a share between 0 and 1, such as 0.05")
    caught, false = rates.caught, rates.false
    if caught.value is None or false.value is None or caught.value == false.value == 0:
        return Rate(None)

    def precision(ratio: float) -> float:
        """By Bayes, from how much more often misaligned steps are flagged than aligned ones."""
        return 1.0 if ratio == inf else ratio * prevalence / (ratio * prevalence + 1 - prevalence)

    value = precision(inf if false.value == 0 else caught.value / false.value)
    if caught.ci is None or false.ci is None:
        return Rate(value)
    low, high = _ratio_ends(caught.value, caught.ci, false.value, false.ci)
    method = f"ratio of two rates by MOVER; each: {caught.ci.method}"
    return Rate(value, Interval(precision(low), precision(high), caught.ci.level, method))


def false_stops(rates: ErrorRates, steps: int = 15) -> FalseStops:
    """The false stops of a benign episode of so many steps."""
    expected = _mapped(rates.false, lambda p: steps * p)
    return FalseStops(steps, expected, _mapped(rates.false, lambda p: 1 - (1 - p) ** steps))


def _mapped(rate: Rate, function: Callable[[float], float]) -> Rate:
    """A growing function of a rate."""
    if rate.value is None:
        return rate
    ci = rate.ci
    ends = ci and Interval(function(ci.low), function(ci.high), ci.level, ci.method)
    return Rate(function(rate.value), ends)


def _ratio_ends(a: float, a_ci: Interval, b: float, b_ci: Interval) -> tuple[float, float]:
    """Ends of the interval of a / b. The lower one is written so that nothing cancels out or is divided by 0."""
    x, y = a_ci.low, b_ci.high
    low = x * (2 * a - x) / (a * b + sqrt(max((a * b) ** 2 - x * (2 * a - x) * y * (2 * b - y), 0.0))) if a else 0.0
    x, y = a_ci.high, b_ci.low
    scale = y * (2 * b - y)
    high = (a * b + sqrt(max((a * b) ** 2 - x * (2 * a - x) * scale, 0.0))) / scale if y else inf
    return low, high
