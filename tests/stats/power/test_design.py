from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trueline.errors import InputError
from trueline.stats.comparisons.mcnemar import mcnemar
from trueline.stats.comparisons.unequal_runs import redeal_tests
from trueline.stats.comparisons.wilcoxon import wilcoxon
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.power.design import (
    Design,
    chance_to_see,
    repeats_needed,
    sensitivity,
    smallest_change,
    tasks_needed,
)
from trueline.stats.power.difficulty import with_pass_hat
from trueline.stats.power.simulate import StudyPlan, simulate_studies

DESIGN = Design(tasks=100, repeats=3, k=3, base=0.36, new=0.48, rho=0.6)


@pytest.mark.parametrize("link", [1.0, 0.8])
@pytest.mark.parametrize(("tasks", "k", "new"), [(40, 1, 0.46), (100, 1, 0.42), (100, 3, 0.5), (361, 3, 0.42)])
def test_the_chance_is_the_share_of_whole_simulated_studies_that_see_the_change(
    tasks: int, k: int, new: float, link: float
) -> None:
    design = Design(tasks=tasks, repeats=3, k=k, base=0.36, new=new, rho=0.6, link=link)
    plan = StudyPlan(
        with_pass_hat(0.36, k, 0.6),
        with_pass_hat(new, k, 0.6),
        tasks,
        3,
        link=link,
        domain_sizes=(1,),
        domain_share=0,
    )
    studies = simulate_studies(plan, 600, 1)
    seen = 0
    for base, after in zip(studies.base_counts, studies.new_counts, strict=True):
        test = mcnemar(base == 3, after == 3) if k == 3 else wilcoxon(after - base)
        gain = np.sum(after == 3) > np.sum(base == 3) if k == 3 else True
        seen += test.p < 0.05 and gain
    chance = chance_to_see(design)
    assert 0.15 < chance.value < 0.95
    assert seen / 600 == pytest.approx(chance.value, abs=4 * np.sqrt(0.25 / 600))


@pytest.mark.parametrize(
    ("tasks", "repeats", "k", "base", "new"),
    [(40, 3, 2, 0.3, 0.45), (100, 5, 3, 0.2, 0.3), (100, 10, 5, 0.05, 0.12), (361, 10, 8, 0.02, 0.06)],
)
def test_the_chance_of_a_smaller_k_is_that_of_the_test_that_metrics_runs(
    tasks: int, repeats: int, k: int, base: float, new: float
) -> None:
    """Wilcoxon's ranks, once assumed here, see another share of studies than the change of Pass^k itself."""
    design = Design(tasks=tasks, repeats=repeats, k=k, base=base, new=new, rho=0.4, link=0.9)
    plan = StudyPlan(with_pass_hat(base, k, 0.4), with_pass_hat(new, k, 0.4), tasks, repeats, 0.9, (1,), domain_share=0)
    studies = simulate_studies(plan, 200, 1)
    seen = 0
    for before, after in zip(studies.base, studies.new, strict=True):
        gain = pass_hat(after.sum(axis=1), repeats, k).mean() > pass_hat(before.sum(axis=1), repeats, k).mean()
        seen += redeal_tests(before, after, (k,))[k].p < 0.05 and gain
    assert seen / 200 == pytest.approx(chance_to_see(design).value, abs=3.5 * np.sqrt(0.25 / 200))


def test_no_change_is_seen_at_most_as_often_as_alpha() -> None:
    for k in (1, 3):
        null = replace(DESIGN, k=k, new=0.36, tasks=361)
        assert 0.02 < chance_to_see(null, studies=8000).value < 0.06


def test_the_error_shrinks_with_the_number_of_studies_and_the_seed_decides_the_rest() -> None:
    few, many = chance_to_see(DESIGN, studies=400), chance_to_see(DESIGN, studies=40_000)
    assert many.error == pytest.approx(few.error / 10, rel=0.2)
    assert abs(few.value - many.value) < 4 * few.error
    assert chance_to_see(DESIGN, seed=3) == chance_to_see(DESIGN, seed=3)


def test_the_smallest_change_is_seen_as_often_as_wanted_in_both_directions() -> None:
    for direction in (1, -1):
        found = smallest_change(DESIGN, direction=direction)
        assert found.value is not None and found.chance is not None
        assert found.chance.value == pytest.approx(0.8, abs=0.04)
        half = replace(DESIGN, new=DESIGN.base + direction * found.value / 2)
        assert chance_to_see(half).value < 0.5


def test_the_number_of_tasks_needed_is_enough_and_one_half_of_it_is_not() -> None:
    found = tasks_needed(DESIGN)
    assert found.value is not None and found.chance is not None
    assert found.chance.value == pytest.approx(0.8, abs=0.04)
    assert chance_to_see(replace(DESIGN, tasks=int(found.value) // 2)).value < 0.7


@pytest.mark.full
def test_more_repeats_see_more_until_enough() -> None:
    small = replace(DESIGN, k=1, new=0.41, tasks=60)
    found = repeats_needed(small)
    assert found.value is not None and found.value > 3
    assert chance_to_see(replace(small, repeats=int(found.value) - 1)).value < 0.82
    assert chance_to_see(replace(small, repeats=int(found.value))).value > 0.78


@pytest.mark.full
def test_what_no_study_can_see_has_a_reason() -> None:
    assert "50000 tasks" in tasks_needed(replace(DESIGN, new=DESIGN.base)).reason
    assert "64 repeats" in repeats_needed(replace(DESIGN, tasks=3)).reason
    assert "not even a rise to 1" in smallest_change(replace(DESIGN, tasks=4)).reason
    assert "not even a fall to 0" in smallest_change(replace(DESIGN, base=0.0), direction=-1).reason


@pytest.mark.full
def test_the_table_shows_that_two_rates_do_not_settle_the_chance() -> None:
    rows = sensitivity(replace(DESIGN, new=0.42), studies=1000)
    assert [(row.rho, row.link) for row in rows] == [(r, link) for r in (0.2, 0.4, 0.6, 0.8) for link in (1.0, 0.9)]
    chances = {(row.rho, row.link): row.chance.value for row in rows}
    assert chances[0.8, 1.0] > chances[0.2, 1.0] + 0.1
    assert chances[0.8, 0.9] < chances[0.8, 1.0]
    assert all(row.smallest.value is not None for row in rows)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tasks": 0}, "tasks = 0"),
        ({"k": 4}, "needs at least 4 repeats, got 3"),
        ({"base": 1.5}, "base = 1.5"),
        ({"rho": -0.1}, "rho = -0.1"),
        ({"link": 2.0}, "link = 2.0"),
        ({"alpha": 0.0}, "alpha = 0.0"),
    ],
)
def test_designs_that_cannot_be_are_refused(change: dict[str, float], said: str) -> None:
    fields = {"tasks": 100, "repeats": 3, "k": 3, "base": 0.4, "new": 0.5, "rho": 0.5} | change
    with pytest.raises(InputError, match=said):
        Design(**fields)  # pyright: ignore[reportArgumentType]  # ints among floats, as the cases state them


def test_the_test_is_named() -> None:
    assert DESIGN.test == "McNemar, exact"
    assert replace(DESIGN, k=1).test == "Wilcoxon signed-rank on the change of successes"
    assert replace(DESIGN, k=2).test == "permutation test of Pass^2, signs flipped per task"
