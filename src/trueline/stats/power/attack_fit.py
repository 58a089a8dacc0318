"""The base rate and the likeness of episodes, estimated from recorded attacks, to plan another study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from trueline.errors import InputError
from trueline.stats.attacks.success import CellCounts
from trueline.stats.attacks.table import attack_tables, one_table
from trueline.stats.results.read import Results
from trueline.stats.results.table import injected_units, named_units

DEFAULT_RHO = 0.5
"""Correlation within a cell where the runs do not tell it: high, as for measured agents."""
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


def fit_attack_runs(results: Results, index: Mapping[str, Sequence[str]] | None) -> AttackFit:
    """Estimate the rate and the likeness of episodes from recorded attacks.

    Raises:
        InputError: The folders hold several settings, or nothing was measured.
    """
    runs, first = results.runs, results.runs[0].label
    units, _ = named_units(runs, index)
    tables = attack_tables(first, runs, injected_units(runs, units), several=False)
    if len(tables) > 1:
        models = ", ".join("/".join(table.condition) for table in tables)
        raise InputError(f"{first}: holds several settings ({models}); name a deeper folder")
    table = one_table(first, tables, None)
    cells = [cell for cell in table.cells().values() if cell.delivered]
    if not cells:
        raise InputError(f"{first}: no injected episode was measured, e.g. {table.trials[0].problem}")
    return fit_attacks(cells)


def _correlation(products: Sequence[float], mean: float) -> float | None:
    if not products or mean in (0.0, 1.0):
        return None
    found = (sum(products) / len(products) - mean**2) / (mean * (1 - mean))
    return min(max(found, 0.0), _HIGHEST)
