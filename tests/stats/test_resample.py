from __future__ import annotations

import numpy as np
import pytest

from trueline.errors import InputError
from trueline.stats.resample import resample_weights

STRATA = np.repeat([0, 1, 2], [2, 5, 9])


def deviations(values: np.ndarray) -> np.ndarray:
    return ((values - values.mean()) / len(values)).reshape(-1, 1)


def stratified_variance(values: np.ndarray, strata: np.ndarray) -> float:
    """Unbiased variance of the mean of independent values within strata."""
    groups = [values[strata == h] for h in np.unique(strata)]
    return sum(len(g) * g.var(ddof=1) for g in groups) / len(values) ** 2


def test_variance_is_the_unbiased_one_of_a_stratified_sample() -> None:
    values = np.random.default_rng(1).random(len(STRATA))
    draws = resample_weights(STRATA)
    plain_bootstrap = (
        sum(np.count_nonzero(h == STRATA) * values[h == STRATA].var() for h in range(3)) / len(values) ** 2
    )
    measured = draws.variance(deviations(values))[0]
    assert measured == pytest.approx(stratified_variance(values, STRATA))
    assert measured > 1.1 * plain_bootstrap


def test_the_closed_form_is_the_variance_of_the_draws() -> None:
    values = np.random.default_rng(9).random((len(STRATA), 2))
    parts = (values - values.mean(axis=0)) / len(values)
    cluster = np.array([0, 0, 1, 1, 2, 3, 4, *range(5, 14)])
    units = resample_weights(STRATA, cluster, draws=40_000, seed=2)
    drawn = units.counts @ (units.by_cluster(parts) * units.scale[:, None])
    assert units.variance(parts) == pytest.approx(np.mean(drawn**2, axis=0), rel=0.03)


def test_clusters_are_resampled_whole() -> None:
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(12), rng.integers(1, 6, size=12))
    values = rng.random(12)[cluster] + 0.1 * rng.random(len(cluster))
    draws = resample_weights(np.zeros(len(cluster)), cluster)
    residual = np.bincount(cluster, values - values.mean())
    expected = 12 / 11 * np.sum((residual - residual.mean()) ** 2) / len(cluster) ** 2
    assert draws.clusters == 12
    assert draws.variance(deviations(values))[0] == pytest.approx(expected)


def test_every_draw_takes_one_less_than_each_stratum_has_and_weighs_it_up() -> None:
    draws = resample_weights(STRATA, draws=50, seed=5)
    weights = draws.counts * draws.scale
    for h, size in enumerate([2, 5, 9]):
        assert np.all(draws.counts[:, h == STRATA].sum(axis=1) == size - 1)
        assert weights[:, h == STRATA].sum(axis=1) == pytest.approx(size)


def test_strata_of_one_are_pooled_so_that_they_vary() -> None:
    alone = resample_weights(["a", "b", "c", "d", "d", "d"], draws=100)
    assert alone.strata == 2
    assert np.all(alone.scale[:3] == 3 / 2)
    joined = resample_weights(["a", "b", "b", "c", "c", "c"], draws=100)
    assert joined.strata == 2
    assert np.all(joined.scale == 3 / 2)


def test_the_same_seed_gives_the_same_draws_and_another_does_not() -> None:
    first, again, other = (resample_weights(STRATA, seed=seed).counts for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_labels_may_be_anything() -> None:
    named = resample_weights(["os", "os", "os", "web", "web"], ["x", "x", "w", "z", "y"], draws=10)
    numbered = resample_weights([1, 1, 1, 7, 7], [5, 5, 4, 9, 8], draws=10)
    assert (named.units, named.clusters, named.strata) == (5, 4, 2)
    assert np.array_equal(named.cluster, numbered.cluster)
    assert np.array_equal(named.counts, numbered.counts)


def test_columns_do_not_depend_on_how_many_are_asked_for_at_once() -> None:
    draws = resample_weights(STRATA)
    values = np.random.default_rng(6).random((len(STRATA), 7))
    parts = (values - values.mean(axis=0)) / len(values)
    one_by_one = [draws.variance(parts[:, [i]])[0] for i in range(7)]
    assert draws.variance(parts) == pytest.approx(one_by_one)


def test_strata_need_not_lie_together() -> None:
    strata = np.arange(3000) % 7
    values = np.random.default_rng(7).random(3000)
    draws = resample_weights(strata)
    assert draws.variance(deviations(values))[0] == pytest.approx(stratified_variance(values, strata))


@pytest.mark.parametrize(
    ("strata", "clusters", "said"),
    [
        ([], None, "no tasks"),
        (["a", "b"], ["x", "x"], "task [01]: its cluster lies in two strata"),
        (["a", "b"], ["x"], "one entry per task, got 1 and 2"),
        ([["a"], ["b"]], None, "one per task"),
    ],
)
def test_input_that_cannot_be_resampled_is_refused(strata: list[str], clusters: list[str] | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        resample_weights(strata, clusters)


def test_at_least_one_draw_is_needed() -> None:
    with pytest.raises(InputError, match="draws = 0"):
        resample_weights([0, 0], draws=0)


def test_the_method_is_said_in_words() -> None:
    assert resample_weights(STRATA).text == (
        "bootstrap over tasks, stratified (3 strata), runs kept whole (Rao-Wu, closed form)"
    )
    assert resample_weights([0, 0, 0], [0, 0, 1], draws=10, seed=4).text_of_draws == (
        "bootstrap over 2 clusters of tasks, runs kept whole (Rao-Wu, 10 draws, seed 4)"
    )
