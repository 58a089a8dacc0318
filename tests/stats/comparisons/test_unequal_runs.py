from __future__ import annotations

import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from trueline.stats.comparisons.noninferiority import noninferiority
from trueline.stats.comparisons.unequal_runs import (
    mean_of_runs,
    paired_change,
    pass_at_of_runs,
    pass_hat_of_runs,
    redeal_tests,
)
from trueline.stats.intervals import difference_interval
from trueline.stats.pass_rates.pass_k import pass_at, pass_hat
from trueline.stats.power.calibration import unequal_runs_calibration
from trueline.stats.power.difficulty import Difficulty
from trueline.stats.power.simulate import StudyPlan, simulate_studies
from trueline.stats.resample import resample_weights

Successes = np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def runs_of(counts: list[int], n: int) -> Successes:
    return np.arange(n)[None, :] < np.array(counts)[:, None]


def beta_plan(tasks: int, runs: tuple[int, int], a: float, b: float, clusters: int = 1) -> StudyPlan:
    difficulty = Difficulty(a / (a + b), 1 / (a + b + 1))
    share = 0.6 if clusters > 1 else 0.0
    return StudyPlan(
        difficulty, difficulty, tasks, runs[0], new_repeats=runs[1], domain_sizes=(1,), domain_share=0,
        cluster_size=clusters, cluster_share=share,
    )  # fmt: skip


def exact_p(base: Successes, new: Successes, k: int, clusters: list[int]) -> float:
    """Share of all deals of all runs whose statistic is at least as large, by enumeration."""
    n1, n2 = base.shape[1], new.shape[1]
    per_task: list[list[float]] = []
    for x, y in zip(base, new, strict=True):
        pool = [*x.tolist(), *y.tolist()]
        per_task.append([])
        for chosen in combinations(range(n1 + n2), n1):
            c1 = sum(pool[i] for i in chosen)
            per_task[-1].append(float(pass_hat([sum(pool) - c1], n2, k)[0] - pass_hat([c1], n1, k)[0]))
    labels = np.array(clusters)

    def statistic(d: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        groups = [np.sum(d[labels == g] - d.mean()) for g in np.unique(labels)]
        error = np.sqrt(np.sum(np.square(groups)) * len(groups) / (len(groups) - 1)) / len(d)
        return abs(d.mean()) / max(float(error), 1e-12 / len(d)) if abs(d.sum()) > 1e-9 else 0.0

    seen = pass_hat(new.sum(axis=1), n2, k) - pass_hat(base.sum(axis=1), n1, k)
    everything = [statistic(np.array(deal)) for deal in product(*per_task)]
    return float(np.mean(np.array(everything) >= statistic(seen) * (1 - 1e-9)))


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 2, 3, 4, 5]])
def test_the_p_value_is_the_share_of_all_deals(clusters: list[int] | None) -> None:
    base, new = runs_of([1, 1, 1, 0, 0, 1, 1], 1), runs_of([0, 2, 1, 1, 0, 1, 2], 2)
    labels = None if clusters is None else np.array(clusters)
    for k, test in redeal_tests(base, new, (1,), labels, seed=3).items():
        assert test.t is not None
        expected = exact_p(base, new, k, clusters or list(range(7)))
        assert test.p == pytest.approx(expected, abs=4 * np.sqrt(expected / 9999))


def test_few_expected_passes_are_compared_by_sign_flips_on_the_first_runs() -> None:
    base, new = runs_of([0] * 20, 3), runs_of([0] * 20, 5)
    new[:6, :3] = True
    new[6:9, 3:] = True  # beyond the first three runs: not looked at
    (test,) = redeal_tests(base, new, (3,)).values()
    assert test.t is None
    assert test.p == pytest.approx(2 / 2**6)
    assert "on the first 3 runs of each setting" in test.method


def test_tasks_that_all_change_alike_are_the_strongest_evidence_not_none() -> None:
    (test,) = redeal_tests(runs_of([0] * 12, 2), runs_of([3] * 12, 3), (2,)).values()
    assert test.p < 0.001
    hosts = np.repeat(np.arange(4), 3)
    (few,) = redeal_tests(runs_of([0] * 12, 2), runs_of([3] * 12, 3), (2,), hosts).values()
    assert few.p == pytest.approx(2 / 2**4)
    (none,) = redeal_tests(runs_of([2] * 12, 2), runs_of([3] * 12, 3), (2,)).values()
    assert none.p == 1


def test_equal_numbers_of_runs_flip_the_signs_of_all_runs() -> None:
    base, new = runs_of([1] * 8, 5), runs_of([4] * 8, 5)
    (test,) = redeal_tests(base, new, (3,)).values()
    assert test.p == pytest.approx(2 / 2**8)
    assert "first" not in test.method
    many = redeal_tests(runs_of([30] * 8, 64), runs_of([60] * 8, 64), (32,))[32]
    assert many.p == pytest.approx(2 / 2**8)


def test_the_same_seed_gives_the_same_answer() -> None:
    rng = np.random.default_rng(1)
    base, new = rng.random((40, 3)) < 0.5, rng.random((40, 5)) < 0.55
    assert redeal_tests(base, new, (1, 3), seed=2) == redeal_tests(base, new, (1, 3), seed=2)
    units = resample_weights(np.zeros(40))
    first, again, other = (paired_change(base, new, pass_hat_of_runs(3), seed=s).interval(units) for s in (1, 1, 2))
    assert (first.low, first.high) == (again.low, again.high) != (other.low, other.high)


def test_the_interval_is_centred_on_all_runs_and_as_wide_as_with_equal_runs() -> None:
    rng = np.random.default_rng(2)
    base, new = rng.random((200, 3)) < 0.5, rng.random((200, 10)) < 0.5
    units = resample_weights(np.zeros(200))
    change = paired_change(base, new, pass_hat_of_runs(3))
    assert change.values == pytest.approx(pass_hat(new.sum(axis=1), 10, 3) - pass_hat(base.sum(axis=1), 3, 3))
    interval = change.interval(units)
    some = paired_change(base, new[:, 2:5], pass_hat_of_runs(3)).interval(units)
    assert interval.low < change.values.mean() < interval.high
    assert interval.high - interval.low == pytest.approx(some.high - some.low, rel=0.3)
    assert "200 draws of equal numbers of runs" in interval.method
    assert noninferiority(change, units, margin=0.05, level=0.975).bound == pytest.approx(interval.low)


def test_equal_numbers_of_runs_have_the_interval_they_had() -> None:
    rng = np.random.default_rng(3)
    base, new = rng.random((50, 3)) < 0.4, rng.random((50, 3)) < 0.6
    units = resample_weights(np.arange(50) % 4)
    plain = difference_interval(pass_hat(new.sum(axis=1), 3, 2) - pass_hat(base.sum(axis=1), 3, 2), units)
    assert paired_change(base, new, pass_hat_of_runs(2)).interval(units) == plain


def test_other_figures_of_runs() -> None:
    base, new = runs_of([0, 1, 2], 2), runs_of([1, 2, 3], 3)
    at = paired_change(base, new, pass_at_of_runs(2)).values
    assert at == pytest.approx(pass_at([1, 2, 3], 3, 2) - pass_at([0, 1, 2], 2, 2))
    scores = paired_change([[0.5, 0.1], [0.2, 0.2]], [[0.3, 0.3, 0.9], [0.2, 0.2, 0.2]], mean_of_runs)
    assert scores.values == pytest.approx([0.2, 0.0])
    assert scores.equal_runs is not None
    assert set(np.round(scores.equal_runs[0], 9)) == {0.0, 0.3}


def test_many_runs_are_sampled_without_listing_all_subsets() -> None:
    rng = np.random.default_rng(4)
    change = paired_change(rng.random((30, 20)) < 0.5, rng.random((30, 40)) < 0.5, pass_hat_of_runs(2))
    assert change.equal_runs is not None
    assert change.equal_runs.mean() == pytest.approx(change.values.mean(), abs=0.03)


def limit(studies: int, alpha: float = 0.05) -> float:
    return alpha + 3 * np.sqrt(alpha * (1 - alpha) / studies)


def test_nothing_changed_is_rejected_and_passed_as_rarely_as_promised() -> None:
    # Signs flipped over all runs rejected 15 %, covered 90 % and let 20 % pass here.
    (found,) = unequal_runs_calibration(beta_plan(361, (3, 5), 1, 6), (3,), studies=100, seed=1, deals=199).values()
    assert found.size < limit(100)
    assert found.difference.held > 0.93 - 3 * np.sqrt(0.05 * 0.95 / 100)
    assert found.gate_passes < limit(100)


def test_a_real_change_is_seen() -> None:
    plan = beta_plan(100, (3, 5), 2, 2)
    studies = simulate_studies(plan, 20, 2)
    raised = studies.new | (np.random.default_rng(5).random(studies.new.shape) < 0.4)
    seen = [redeal_tests(b, n, (3,), deals=499)[3].p < 0.05 for b, n in zip(studies.base, raised, strict=True)]
    assert np.mean(seen) > 0.8


@pytest.mark.proof
@pytest.mark.parametrize("runs", [(3, 5), (3, 10), (5, 4)])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 6), (1, 6)])
@pytest.mark.parametrize(("tasks", "clusters"), [(36, 1), (100, 1), (361, 1), (120, 6)])
def test_proof_size_coverage_and_gate(runs: tuple[int, int], a: float, b: float, tasks: int, clusters: int) -> None:
    plan = beta_plan(tasks, runs, a, b, clusters)
    for found in unequal_runs_calibration(plan, (1, min(runs)), studies=2000, seed=5, deals=999).values():
        assert found.size < 0.065 + 0.005
        assert found.difference.held > 0.935 - 0.005
        assert max(found.gate_passes, found.gate_fails) < 0.065 + 0.005


def test_the_docs_show_every_cell_and_each_within_its_limits() -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "coverage.md").read_text("utf-8")
    part = text.partition("## Unequal numbers of runs")[2].partition("\n## ")[0]
    studies = re.search(r"([\d,]+) simulated studies per cell", part)
    assert studies is not None and int(studies[1].replace(",", "")) >= 2000
    rows = [[word.strip() for word in line.strip("|").split("|")] for line in part.splitlines()]
    shown = {tuple(row[:4]): row[4:6] for row in rows if len(row) == 7 and row[3].startswith("Pass^")}
    tasks = ("36 tasks", "100 tasks", "361 tasks", "120 tasks in clusters of 6", "360 tasks in clusters of 6")
    rates = ("Beta(1, 1)", "Beta(2, 6)", "Beta(1, 6)")
    runs = [(name, figure) for name, k in (("3 v 5", 3), ("3 v 10", 3), ("5 v 4", 4)) for figure in (1, k)]
    assert set(shown) == {(n, r, beta, f"Pass^{k}") for n, (r, k), beta in product(tasks, runs, rates)}
    for cell, (rejected, covered) in shown.items():
        assert float(rejected.rstrip("%")) <= 6.5 and float(covered.rstrip("%")) >= 93.5, cell
