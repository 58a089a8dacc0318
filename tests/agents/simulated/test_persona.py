"""What personas do agrees with their dials, and what is measured on them with what they do."""

from __future__ import annotations

from functools import cache
from math import prod

import numpy as np
import numpy.typing as npt
import pytest

from trueline.agents.simulated.persona import Choices, Dial, PersonaOptions, Situation, chance, decide, outcome
from trueline.stats.intervals import mean_intervals, wilson
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.resample import resample_weights
from trueline.tasks.model import Kind

BENIGN = Situation(Kind.BENIGN)
DIALS: tuple[Dial, ...] = ("slip", "gullible", "stubborn", "ambiguity")


@cache
def counts(
    slip: float, ambiguity: float, rho: float, *, studies: int, tasks: int, repeats: int
) -> npt.NDArray[np.int64]:
    """Successes of each task (column) in each study (row), every study with tasks and seeds of its own."""
    dials, situation = PersonaOptions(slip=slip, ambiguity=ambiguity, rho=rho), Situation(Kind.BENIGN, True)
    found = np.zeros((studies, tasks), np.int64)
    for study in range(studies):
        for task in range(tasks):
            task_seed = study * 1_000_003 + task
            for repeat in range(repeats):
                choices = decide(dials, task_seed, task_seed * 31 + repeat)
                found[study, task] += outcome(choices, situation).score == 1
    return found


def true_pass_hat(slip: float, rho: float, k: int) -> float:
    """Mean of p^k where 1 - p has a Beta distribution of this mean and correlation."""
    if rho == 0:
        return (1 - slip) ** k
    size = (1 - rho) / rho
    return prod(((1 - slip) * size + i) / (size + i) for i in range(k))


def coverage(slip: float, rho: float, k: int, *, studies: int, tasks: int) -> float:
    """How often the interval of Pass^k holds the truth."""
    found = counts(slip, 0.0, rho, studies=studies, tasks=tasks, repeats=3)
    values = pass_hat(found.ravel(), 3, k).reshape(found.shape).T
    units = resample_weights(np.zeros(tasks, np.int64))
    truth = true_pass_hat(slip, rho, k)
    return float(np.mean([i.low - 1e-9 <= truth <= i.high + 1e-9 for i in mean_intervals(values, units)]))


def test_a_dial_is_the_mean_over_tasks_whatever_the_correlation() -> None:
    for rho in (0.0, 0.2, 0.6):
        dials = PersonaOptions(slip=0.3, gullible=0.7, stubborn=0.1, ambiguity=0.5, rho=rho)
        for dial in DIALS:
            chances = [chance(dials, seed, dial) for seed in range(4000)]
            assert np.mean(chances) == pytest.approx(getattr(dials, dial), abs=0.03)


def test_rho_is_the_correlation_of_the_episodes_of_a_task() -> None:
    for rho in (0.0, 0.3, 0.7):
        dials = PersonaOptions(slip=0.4, rho=rho)
        pairs = np.array([[decide(dials, task, 2 * task + i).slips for i in range(2)] for task in range(6000)])
        found = np.corrcoef(pairs[:, 0], pairs[:, 1])[0, 1]
        assert found == pytest.approx(rho, abs=0.05)


def test_dials_at_their_ends_leave_nothing_to_chance() -> None:
    for seed in range(200):
        all_on = decide(PersonaOptions(slip=1, gullible=1, stubborn=1, ambiguity=1, rho=0.5), seed, seed)
        assert all_on == Choices(True, True, True, True)
        assert decide(PersonaOptions(rho=0.5), seed, seed) == Choices(False, False, False, False)


def test_mistakes_of_different_kinds_are_independent() -> None:
    dials = PersonaOptions(slip=0.5, gullible=0.5, rho=0.3)
    pairs = np.array([[c.slips, c.gullible] for c in (decide(dials, seed, seed) for seed in range(4000))])
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.05


def test_what_choices_come_to() -> None:
    def come(slips: bool = False, gullible: bool = False, misunderstands: bool = False) -> Choices:
        return Choices(slips, gullible, False, misunderstands)

    assert outcome(come(), BENIGN).score == 1
    assert outcome(come(slips=True), BENIGN).score == 0
    assert outcome(come(misunderstands=True), BENIGN).score == 1
    assert outcome(come(misunderstands=True), Situation(Kind.BENIGN, can_misunderstand=True)).score == 0
    assert outcome(come(slips=True), Situation(Kind.MISUSE)).score == 1
    stop = Situation(Kind.INJECTION, goal="stop_task")
    assert (outcome(come(gullible=True), stop).score, outcome(come(gullible=True), stop).achieved) == (0, True)
    assert (outcome(come(), stop).score, outcome(come(), stop).achieved) == (1, False)


def test_measured_rates_agree_with_the_dials() -> None:
    # 99.99 % intervals of 2000 independent episodes.
    for slip, ambiguity in ((0.1, 0.0), (0.3, 0.2), (0.0, 0.6)):
        found = counts(slip, ambiguity, 0.0, studies=1, tasks=2000, repeats=1)
        interval = wilson(int(found.sum()), 2000, 0.9999)
        assert interval.low < (1 - slip) * (1 - ambiguity) < interval.high


@pytest.mark.parametrize(("rho", "k"), [(0.3, 1), (0.3, 3)])
def test_intervals_of_pass_k_cover_under_correlation(rho: float, k: int) -> None:
    held = coverage(0.4, rho, k, studies=250, tasks=60)
    # 92 to 97 % as the statistics promise, with three standard errors of 250 studies.
    assert 0.92 - 0.045 < held <= 1.0


@pytest.mark.proof
@pytest.mark.parametrize("tasks", [16, 36, 100])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize(("slip", "rho"), [(0.4, 0.0), (0.4, 0.3), (0.4, 0.6), (0.15, 0.3), (0.8, 0.3)])
def test_proof_thousands_of_simulated_studies(tasks: int, k: int, slip: float, rho: float) -> None:
    studies = 2000
    held = coverage(slip, rho, k, studies=studies, tasks=tasks)
    print(f"slip {slip} rho {rho} tasks {tasks} Pass^{k}: covered {held:.3f} of {studies}")
    assert held > 0.92 - 3 * (0.08 * 0.92 / studies) ** 0.5


@pytest.mark.proof
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
def test_proof_rates_of_a_thousand_studies_agree_with_the_dials(rho: float) -> None:
    found = counts(0.25, 0.2, rho, studies=1000, tasks=50, repeats=3)
    rates = found.mean(axis=1) / 3
    error = rates.std() / np.sqrt(len(rates))
    assert abs(rates.mean() - 0.75 * 0.8) < 4 * error
