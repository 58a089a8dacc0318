"""Attack success against a stronger attacker: the strongest of k arms, and an attacker with k tries.

The strongest arm is chosen after the results are seen, so its own interval would be too narrow below. The lower bound
is the largest of one-sided bounds of level 1 - 0.025 / k (Bonferroni); the upper bound is the largest one-sided bound
of level 97.5 %, which is no smaller than that of the truly strongest arm. Thus k is the number of arms that were
declared, not of those with results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

from trueline.errors import RequestError
from trueline.stats.attacks.inference import AttackEstimate, estimate_mean, estimate_rate
from trueline.stats.attacks.success import CellCounts
from trueline.stats.intervals import Interval
from trueline.stats.options import AnalysisChoices


@dataclass(frozen=True)
class StrongestArm:
    """The largest rate of several arms that attacked separately."""

    k: int
    """How many arms were declared."""
    rates: dict[str, float]
    """By arm; an arm without a measured episode is not among them."""
    arm: str
    """The arm with the largest rate."""
    rate: float
    interval: Interval | None
    """Of the largest true rate."""
    no_interval: str = ""
    """Why there is none; empty when there is one."""


@dataclass(frozen=True)
class TriesFigure:
    """The chance that at least one of k tries at a cell gets its way."""

    k: int
    estimate: AttackEstimate | None
    """`None`: no cell has k measured episodes."""
    left_out: int
    """Cells with fewer than k measured episodes."""


def strongest_arm(arms: Mapping[str, Sequence[CellCounts]], k: int, options: AnalysisChoices) -> StrongestArm | None:
    """The worst of k arms.

    Args:
        arms: The cells of each arm.
        k: How many arms were declared before the results were seen.
        options: The declared choices.

    Returns:
        The figure; `None` when no arm has a measured episode.

    Raises:
        RequestError: There are more arms than were declared.
    """
    if k < 1 or k < len(arms):
        raise RequestError(f"`worst_of` {k}: there are {len(arms)} arms; declare at least as many as were tried")
    measured = {name: [cell for cell in cells if cell.delivered] for name, cells in arms.items()}
    measured = {name: cells for name, cells in measured.items() if cells}
    if not measured:
        return None
    tail = (1 - options.level) / 2
    above = {name: estimate_rate(cells, options) for name, cells in measured.items()}
    rates = {name: estimate.value for name, estimate in above.items()}
    arm = max(rates, key=lambda name: rates[name])
    strict = replace(options, level=1 - 2 * tail / k)
    below = {name: estimate_rate(cells, strict) for name, cells in measured.items()}
    why = next((f"arm {name}: {estimate.no_interval}" for name, estimate in above.items() if estimate.no_interval), "")
    highs = [estimate.interval.high for estimate in above.values() if estimate.interval]
    lows = [estimate.interval.low for estimate in below.values() if estimate.interval]
    if why or len(measured) < len(arms):
        missing = ", ".join(sorted(arms.keys() - measured.keys()))
        return StrongestArm(k, rates, arm, rates[arm], None, why or f"nothing was measured of {missing}")
    interval = Interval(max(lows), max(highs), options.level, f"largest one-sided bounds of {k} declared arms")
    return StrongestArm(k, rates, arm, rates[arm], interval)


def success_of_tries(cells: Sequence[CellCounts], k: int, options: AnalysisChoices) -> TriesFigure:
    """The success of an attacker with k tries at each cell, without bias from choosing among the episodes.

    A cell with n episodes of which s achieved the goal contributes 1 - C(n - s, k) / C(n, k).

    Raises:
        RequestError: k is not positive.
    """
    if k < 1:
        raise RequestError(f"`tries` {k}: must be at least 1")
    enough = [cell for cell in cells if cell.delivered >= k]
    left_out = sum(0 < cell.delivered < k for cell in cells)
    if not enough:
        return TriesFigure(k, None, left_out)
    draws = [(comb(cell.delivered, k), comb(cell.delivered - cell.achieved, k)) for cell in enough]
    values = [(every - without) / every for every, without in draws]
    return TriesFigure(k, estimate_mean([cell.unit for cell in enough], values, options), left_out)
