"""Planning a study of attack success: by host task, with the test that is applied afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from support.injected import cell
from trueline.errors import InputError
from trueline.stats.attacks.success import CellCounts
from trueline.stats.power.attack_design import (
    AttackDesign,
    attack_chance,
    hosts_needed,
    latent_correlation,
    smallest_attack_change,
)
from trueline.stats.power.attack_fit import fit_attacks

DESIGN = AttackDesign(hosts=16, cells=4, repeats=2, base=0.3, new=0.1)


def chance(**changes: float) -> float:
    fields: dict[str, float] = {"hosts": 16, "cells": 4, "repeats": 2, "base": 0.3, "new": 0.1} | changes
    return attack_chance(AttackDesign(**fields), studies=1000, seed=1).value  # pyright: ignore[reportArgumentType] -- fields by name


def test_too_few_hosts_see_nothing() -> None:
    assert chance(hosts=5, base=1.0, new=0.0) == 0
    assert chance(hosts=6, base=1.0, new=0.0) == 1


@pytest.mark.parametrize("hosts", [8, 16, 30])
def test_nothing_changed_is_seen_no_more_often_than_alpha(hosts: int) -> None:
    assert chance(hosts=hosts, new=0.3) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)


def test_hosts_help_most_where_the_episodes_of_a_host_are_alike() -> None:
    alike: dict[str, float] = {"rho": 0.8, "rho_host": 0.7, "link": 0.7, "hosts": 10}
    start = chance(**alike)
    assert chance(**(alike | {"hosts": 40})) > start + 0.2
    assert chance(**(alike | {"repeats": 8})) < start + 0.15


def test_what_is_needed_is_seen_as_often_as_wanted() -> None:
    found = hosts_needed(DESIGN, wanted=0.8, studies=1000, seed=2)
    assert found.value is not None and 6 <= found.value <= 16
    assert found.chance is not None and found.chance.value > 0.74
    fall = smallest_attack_change(DESIGN, direction=-1, wanted=0.8, studies=1000, seed=2)
    assert fall.value is not None and 0.05 < fall.value < 0.2
    few = smallest_attack_change(AttackDesign(5, 4, 2, 0.3, 0.3), direction=-1, wanted=0.8, studies=1000, seed=2)
    assert few.value is None


@pytest.mark.parametrize(("rate", "rho"), [(0.3, 0.5), (0.05, 0.2), (0.5, 0.9)])
def test_latent_correlation_gives_the_correlation_of_outcomes(rate: float, rho: float) -> None:
    latent = latent_correlation(rate, rho)
    level = float(ndtri(rate))
    both = float(multivariate_normal.cdf([level, level], cov=[[1, latent], [latent, 1]]))  # pyright: ignore
    assert (both - rate**2) / (rate * (1 - rate)) == pytest.approx(rho, abs=0.005)


def test_a_fit_finds_the_rate_and_both_correlations() -> None:
    rng = np.random.default_rng(3)
    host, of_cell = latent_correlation(0.3, 0.2), latent_correlation(0.3, 0.5)
    ease = ndtri(0.3) + np.sqrt(host) * rng.normal(size=(800, 1)) + np.sqrt(of_cell - host) * rng.normal(size=(800, 4))
    achieved = rng.binomial(3, ndtr(ease / np.sqrt(1 - of_cell)))
    found = fit_attacks(
        [
            CellCounts(cell(f"h{h}", f"g{g}"), 3, count, 0, 3, 0)
            for h, row in enumerate(achieved.tolist())
            for g, count in enumerate(row)
        ]
    )
    assert (found.base, found.rho, found.rho_host) == pytest.approx((0.3, 0.5, 0.2), abs=0.04)
    assert (found.hosts, found.cells, found.episodes) == (800, 3200, 9600)


def test_one_episode_for_each_host_tells_no_correlation() -> None:
    found = fit_attacks([CellCounts(cell(f"h{h}"), 1, h % 2, 0, 1, 0) for h in range(8)])
    assert (found.base, found.rho, found.rho_host) == (0.5, None, None)


@pytest.mark.parametrize("wrong", [{"hosts": 0}, {"base": 1.5}, {"rho": 0.1, "rho_host": 0.5}, {"cells": 999}])
def test_a_design_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        chance(**wrong)
