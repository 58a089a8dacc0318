"""The base rate and the likeness of episodes, estimated from recorded attacks, to plan another study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from trueline.stats.attack_success import CellCounts

DEFAULT_RHO = 0.5
"""Within a cell, where the runs do not tell: strongly alike, as measured agents are."""
_HIGHEST = 0.99


@dataclass(frozen=True)
class AttackFit:
    """Moment estimates; `None` where the episodes do not tell."""

    base: float
    rho: float | None
    """Correlation of two episodes of one cell; needs cells with two episodes."""
    rho_host: float | None
    """Correlation of two episodes of one host in different cells; needs hosts with two cells."""
    cells: int
    hosts: int
    episodes: int


def fit_attacks(cells: Sequence[CellCounts]) -> AttackFit:
    """Estimate from cells with a measured episode; there must be at least one."""
    rates = [cell.achieved / cell.delivered for cell in cells]
    base = sum(rates) / len(rates)
    within = [
        cell.achieved * (cell.achieved - 1) / (cell.delivered * (cell.delivered - 1))
        for cell in cells
        if cell.delivered > 1
    ]
    by_host: dict[tuple[str, str], list[float]] = {}
    for cell, rate in zip(cells, rates, strict=True):
        by_host.setdefault(cell.unit.host, []).append(rate)
    between = [a * b for of_host in by_host.values() for a, b in combinations(of_host, 2)]
    rho, rho_host = _correlation(within, base), _correlation(between, base)
    if rho is not None and rho_host is not None:
        rho = max(rho, rho_host)
    return AttackFit(base, rho, rho_host, len(cells), len(by_host), sum(cell.delivered for cell in cells))


def _correlation(products: Sequence[float], mean: float) -> float | None:
    if not products or mean in (0.0, 1.0):
        return None
    found = (sum(products) / len(products) - mean**2) / (mean * (1 - mean))
    return min(max(found, 0.0), _HIGHEST)
