"""The within-task permutation test: a comparison of these tasks only, in which the runs are the randomness.

If the settings do not differ, the runs of a task could have been dealt to them in any way, so with the successes of a
task fixed, those of the base setting are hypergeometric. This also compares settings with different numbers of runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, gcd, lcm

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError
from trueline.stats.pass_rates.pass_k import checked_counts, pass_hat

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

DRAWS = 20_000
_EXACT_WORK = 100_000_000  # additions the exact distribution may cost: about 0.2 s


@dataclass(frozen=True)
class Permutation:
    """The within-task permutation test of a difference of Pass^k."""

    p: float
    """Two-sided: the chance of a difference at least as large in size."""
    difference: float
    """Pass^k of new minus base."""
    k: int
    tasks: int
    undecided: int
    """Tasks with both successes and failures; only these can differ by dealing."""
    exact: bool
    method: str


@dataclass(frozen=True)
class _Deal:
    """Tasks of one kind: what dealing their runs anew can give."""

    tasks: int
    values: tuple[int, ...]
    """Change of Pass^k of one task, as multiples of the lattice step."""
    chances: tuple[float, ...]


def within_task_permutation(
    base: npt.ArrayLike,
    base_runs: npt.ArrayLike,
    new: npt.ArrayLike,
    new_runs: npt.ArrayLike,
    k: int,
    *,
    seed: int = 0,
) -> Permutation:
    """Test that each task succeeds equally often in both settings, by the difference of Pass^k.

    Args:
        base: Successes of each task in the base setting.
        base_runs: Its runs, one number for all tasks or one per task.
        new: Successes in the new setting.
        new_runs: Its runs; they may differ from the base setting's.
        k: At most the fewest runs of any task.
        seed: For the Monte Carlo test that is used when the exact distribution would take too long.

    Raises:
        InputError: Counts that are not possible, different numbers of tasks, or a k above some task's runs.
    """
    c1, n1 = checked_counts(base, base_runs)
    c2, n2 = checked_counts(new, new_runs)
    if c1.shape != c2.shape:
        raise InputError(f"both settings must have the same tasks, got {c1.size} and {c2.size}")
    if c1.size == 0:
        raise InputError("no tasks to compare")
    difference = float(np.mean(pass_hat(c2, n2, k) - pass_hat(c1, n1, k)))
    kinds, tasks = np.unique(np.stack([n1, n2, c1 + c2]), axis=1, return_counts=True)
    step = lcm(*(comb(int(n), k) for n in np.unique(np.concatenate([n1, n2]))))
    deals = [
        _deal(int(a), int(b), int(c), int(m), k, step)
        for (a, b, c), m in zip(kinds.T, tasks, strict=True)
        if 0 < c < a + b
    ]
    deals = [deal for deal in deals if any(deal.values)]
    undecided = int(np.count_nonzero((c1 + c2 > 0) & (c1 + c2 < n1 + n2)))
    observed = abs(_lattice_sum(c2, n2, k, step) - _lattice_sum(c1, n1, k, step))
    p, exact, how = _p_value(deals, observed, step, seed)
    method = f"within-task permutation test of Pass^{k} ({how})"
    return Permutation(p, difference, k, len(c1), undecided, exact, method)


def _p_value(deals: list[_Deal], observed: int, step: int, seed: int) -> tuple[float, bool, str]:
    """Chance of a sum at least `observed` in size, whether it is exact, and how it was found."""
    if not deals or observed == 0:
        return 1.0, True, "exact"
    length = sum(deal.tasks * (max(deal.values) - min(deal.values)) for deal in deals)
    shared = gcd(*(value - min(deal.values) for deal in deals for value in deal.values))
    length = length // shared + 1
    if length * sum(deal.tasks * len(deal.values) for deal in deals) <= _EXACT_WORK:
        lowest = sum(deal.tasks * min(deal.values) for deal in deals)
        sums = _sums(deals, shared, length)
        # Index i holds the sum lowest + i·shared; whole numbers, because many runs make them larger than 64 bits.
        below, above = (-observed - lowest) // shared, -((lowest - observed) // shared)
        return min(1.0, float(sums[: max(below + 1, 0)].sum() + sums[above:].sum())), True, "exact"
    rng = np.random.default_rng(seed)
    totals = np.zeros(DRAWS)
    for deal in deals:
        changes = np.array([value / step for value in deal.values])
        totals += rng.multinomial(deal.tasks, deal.chances, size=DRAWS) @ changes
    beyond = int(np.count_nonzero(np.abs(totals) >= observed / step - 1e-9))
    return (beyond + 1) / (DRAWS + 1), False, f"Monte Carlo, {DRAWS} random deals, seed {seed}"


def _sums(deals: list[_Deal], step: int, length: int) -> FloatArray:
    """Chances of all sums over tasks, from the lowest up in steps of the lattice."""
    sums = np.zeros(length)
    sums[0] = 1.0
    reached = 1
    for deal in deals:
        shifts = [(value - min(deal.values)) // step for value in deal.values]
        for _ in range(deal.tasks):
            grown = np.zeros(reached + max(shifts))
            for shift, chance in zip(shifts, deal.chances, strict=True):
                grown[shift : shift + reached] += chance * sums[:reached]
            reached = len(grown)
            sums[:reached] = grown
    return sums


def _deal(n1: int, n2: int, successes: int, tasks: int, k: int, step: int) -> _Deal:
    """All ways to deal the successes of such a task to `n1` base runs and `n2` new ones."""
    dealt = range(max(0, successes - n2), min(n1, successes) + 1)
    ways = comb(n1 + n2, successes)
    values = tuple(step // comb(n2, k) * comb(successes - c, k) - step // comb(n1, k) * comb(c, k) for c in dealt)
    return _Deal(tasks, values, tuple(comb(n1, c) * comb(n2, successes - c) / ways for c in dealt))


def _lattice_sum(c: IntArray, n: IntArray, k: int, step: int) -> int:
    """Sum of Pass^k over tasks as a whole number of lattice steps."""
    pairs, tasks = np.unique(np.stack([c, n]), axis=1, return_counts=True)
    return sum(int(m) * (step // comb(int(b), k)) * comb(int(a), k) for (a, b), m in zip(pairs.T, tasks, strict=True))
