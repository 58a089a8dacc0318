from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.stats.comparisons.holm import holm


def closed_testing(p: list[float]) -> list[float]:
    """Holm is the closed test with Bonferroni: the worst Bonferroni p of all sets that contain a hypothesis."""
    indices = range(len(p))
    sets = [s for size in range(1, len(p) + 1) for s in combinations(indices, size)]
    return [max(min(1.0, len(s) * min(p[j] for j in s)) for s in sets if i in s) for i in indices]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
@settings(deadline=None)
def test_adjusted_p_values_are_those_of_the_closed_test(p: list[float]) -> None:
    assert holm(p).tolist() == pytest.approx(closed_testing(p))


def test_known_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_one_test_is_not_adjusted_and_none_is_none() -> None:
    assert holm([0.04]).tolist() == [0.04]
    assert holm([]).tolist() == []


@pytest.mark.parametrize("p", [[-0.1], [1.1], [float("nan")], [[0.1]]])
def test_what_is_not_a_p_value_is_refused(p: list[float]) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        holm(p)
