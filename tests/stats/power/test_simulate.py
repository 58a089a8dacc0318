from __future__ import annotations

import numpy as np
import pytest

from trueline.errors import InputError
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.power.difficulty import Difficulty
from trueline.stats.power.simulate import OSWORLD_SIZES, StudyPlan, domains_of, simulate_studies, true_pass_hat

BASE, NEW = Difficulty(0.45, 0.5), Difficulty(0.55, 0.5)


def test_the_same_seed_gives_the_same_study_and_another_does_not() -> None:
    plan = StudyPlan(BASE, NEW, tasks=36)
    first, again, other = (simulate_studies(plan, 2, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.base, again.base) and np.array_equal(first.new, again.new)
    assert not np.array_equal(first.base, other.base)
    assert first.base.shape == (2, 36, 3)
    assert np.array_equal(first.base_counts, first.base.sum(axis=2))


@pytest.mark.parametrize("tasks", [10, 11, 36, 100, 361, 369])
def test_domains_keep_their_proportions(tasks: int) -> None:
    sizes = np.bincount(domains_of(StudyPlan(BASE, NEW, tasks=tasks)))
    ideal = np.array(OSWORLD_SIZES) / sum(OSWORLD_SIZES) * tasks
    assert sizes.sum() == tasks
    assert sizes.min() >= 1
    assert np.all(np.abs(sizes - ideal) < 3)
    assert tasks != sum(OSWORLD_SIZES) or tuple(sizes) == OSWORLD_SIZES


def test_the_stated_truth_is_what_studies_show_on_average() -> None:
    plan = StudyPlan(BASE, NEW, tasks=100, link=0.8, cluster_size=3, cluster_share=0.4)
    studies = simulate_studies(plan, 1500, 3)
    for k in (1, 3):
        for counts, setting in ((studies.base_counts, BASE), (studies.new_counts, NEW)):
            means = pass_hat(counts.ravel(), 3, k).reshape(counts.shape).mean(axis=1)
            assert means.mean() == pytest.approx(true_pass_hat(plan, setting, k), abs=4 * means.std() / np.sqrt(1500))


def test_runs_of_a_task_and_tasks_of_a_cluster_are_alike() -> None:
    plan = StudyPlan(BASE, BASE, tasks=100, domain_share=0, cluster_size=2, cluster_share=0.6)
    studies = simulate_studies(plan, 400, 4)
    runs = studies.base.astype(float)
    within_task = np.mean((runs[:, :, 0] - 0.45) * (runs[:, :, 1] - 0.45)) / (0.45 * 0.55)
    assert within_task == pytest.approx(0.5, abs=0.03)
    assert np.all(np.bincount(studies.cluster) <= 2)
    same = studies.cluster[:-1] == studies.cluster[1:]
    assert np.all(studies.domain[:-1][same] == studies.domain[1:][same])
    rate = runs.mean(axis=2) - 0.45
    together = np.mean((rate[:, :-1] * rate[:, 1:])[:, same])
    apart = np.mean((rate[:, :-1] * rate[:, 1:])[:, ~same])
    assert together > 0.05 > 0.01 > abs(apart)


def test_plans_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="tasks = 5: 10 domains"):
        StudyPlan(BASE, NEW, tasks=5)
    with pytest.raises(InputError, match="more than 1"):
        StudyPlan(BASE, NEW, domain_share=0.6, cluster_share=0.6)
    with pytest.raises(InputError, match="between 0 and 1"):
        StudyPlan(BASE, NEW, link=1.5)
    with pytest.raises(InputError, match="at least 1"):
        StudyPlan(BASE, NEW, repeats=0)
