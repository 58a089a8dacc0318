from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trueline.errors import InputError
from trueline.stats.comparisons.mcnemar import mcnemar, mcnemar_p

COUNTS = st.integers(0, 60)
METHODS: tuple[Literal["exact", "midp", "chi2"], ...] = ("exact", "midp", "chi2")


def flags(b: int, c: int, same: int = 5) -> tuple[list[bool], list[bool]]:
    return [False] * b + [True] * c + [True] * same, [True] * b + [False] * c + [True] * same


@given(COUNTS, COUNTS)
@settings(deadline=None)
def test_exact_is_the_two_sided_binomial_test(b: int, c: int) -> None:
    result = mcnemar(*flags(b, c))
    assert (result.b, result.c, result.b_minus_c) == (b, c, b - c)
    assert result.p == pytest.approx(stats.binomtest(b, b + c).pvalue if b + c else 1.0, rel=1e-9)


@given(COUNTS, COUNTS)
@settings(deadline=None)
def test_midp_counts_half_of_the_observed_outcome(b: int, c: int) -> None:
    expected = 2 * stats.binom.cdf(min(b, c), b + c, 0.5) - stats.binom.pmf(min(b, c), b + c, 0.5) if b + c else 1.0
    assert mcnemar(*flags(b, c), method="midp").p == pytest.approx(min(1.0, expected), rel=1e-9)


@given(COUNTS, COUNTS)
@settings(deadline=None)
def test_chi_square_is_continuity_corrected(b: int, c: int) -> None:
    result = mcnemar(*flags(b, c), method="chi2")
    expected = max(abs(b - c) - 1, 0) ** 2 / (b + c) if b + c else 0.0
    assert result.statistic == pytest.approx(expected)
    assert result.p == pytest.approx(stats.chi2.sf(expected, 1))
    assert "continuity correction" in result.method


@given(st.integers(0, 15), st.integers(0, 15))
@settings(deadline=None)
def test_singleton_clusters_are_the_plain_test(b: int, c: int) -> None:
    base, new = flags(b, c)
    for method in METHODS:
        clustered = mcnemar(base, new, method=method, clusters=[f"t{i}" for i in range(len(base))])
        assert clustered == mcnemar(base, new, method=method)


def test_pairs_of_alike_tasks_in_one_cluster_count_once() -> None:
    base, new = flags(9, 2, same=0)
    twice = [x for flag in base for x in (flag, flag)], [x for flag in new for x in (flag, flag)]
    hosts = np.repeat(np.arange(11), 2)
    for method in ("exact", "midp"):
        assert mcnemar(*twice, method=method, clusters=hosts).p == pytest.approx(mcnemar(base, new, method=method).p)
    result = mcnemar(*twice, clusters=hosts)
    assert (result.b, result.c, result.clusters) == (18, 4, 11)
    assert result.method == "sign flips by cluster (exact, all sign flips)"
    assert mcnemar(*twice).p < result.p


def test_clusters_whose_changes_cancel_say_nothing() -> None:
    base, new = flags(3, 3, same=0)
    result = mcnemar(base, new, clusters=[0, 1, 2, 0, 1, 2])
    assert (result.p, result.clusters) == (1.0, 0)


def test_many_tables_at_once() -> None:
    b, c = np.array([0, 5, 10, 3]), np.array([0, 5, 1, 9])
    for midp in (False, True):
        single = [
            mcnemar(*flags(int(x), int(y)), method="midp" if midp else "exact").p for x, y in zip(b, c, strict=True)
        ]
        assert mcnemar_p(b, c, midp=midp) == pytest.approx(single)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="per task"):
        mcnemar([True], [True, False])
    with pytest.raises(InputError, match="use one of exact, midp, chi2"):
        mcnemar([True], [True], method="wald")  # pyright: ignore[reportArgumentType]  # what a command line may pass
