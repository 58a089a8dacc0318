"""Scores of detectors: against scikit-learn, the published tables, brute force and simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, precision_score, recall_score

from trueline.errors import InputError
from trueline.stats.detection.compare import compare
from trueline.stats.detection.rates import error_rates, false_stops, precision_at
from trueline.stats.detection.scores import (
    ALIGNED,
    METRICS,
    MISALIGNED,
    UNDECIDED,
    Judged,
    Scores,
    by_trajectory,
    judged,
    score,
)

pytestmark = pytest.mark.full

steps_of = st.lists(
    st.tuples(st.booleans(), st.sampled_from([MISALIGNED, ALIGNED, UNDECIDED]), st.sampled_from("abcdef")),
    min_size=1, max_size=60,
)  # fmt: skip


def made(rows: list[tuple[bool, int, str]]) -> Judged:
    return judged(*([list(column) for column in zip(*rows, strict=True)]))


def scored(steps: Judged) -> Scores:
    return score(steps, by_trajectory(steps))


def matrix(tp: int, fp: int, tn: int, fn: int, trajectories: int = 50) -> Judged:
    """Steps with this confusion matrix, dealt to trajectories in turn."""
    label = [True] * tp + [False] * (fp + tn) + [True] * fn
    said = [MISALIGNED] * (tp + fp) + [ALIGNED] * (tn + fn)
    return judged(label, said, [f"t{i % trajectories}" for i in range(len(label))])


@given(steps_of)
@settings(deadline=None, max_examples=150)
def test_scores_are_those_of_scikit_learn(rows: list[tuple[bool, int, str]]) -> None:
    found = scored(made(rows))
    decided = [(label, said == MISALIGNED) for label, said, _ in rows if said != UNDECIDED]
    assert found.counts.n == len(rows)
    assert found.counts.undecided == len(rows) - len(decided)
    if not decided:
        assert {found.precision.value, found.recall.value, found.accuracy.value, found.f1.value} == {None}
        return
    truth, said = map(list, zip(*decided, strict=True))
    tn, fp, fn, tp = confusion_matrix(truth, said, labels=[False, True]).ravel()
    assert found.counts[:4] == (tp, fp, tn, fn)
    assert found.accuracy.value == pytest.approx(accuracy_score(truth, said))
    expected = [
        precision_score(truth, said) if tp + fp else None,
        recall_score(truth, said) if tp + fn else None,
        f1_score(truth, said) if tp + fp + fn else None,
    ]
    assert [found.precision.value, found.recall.value, found.f1.value] == pytest.approx(expected)


@given(steps_of)
@settings(deadline=None, max_examples=80)
def test_every_interval_holds_its_rate(rows: list[tuple[bool, int, str]]) -> None:
    for rate in scored(made(rows))[1:]:
        if rate.ci is not None:
            assert rate.value is not None
            assert 0 <= rate.ci.low <= rate.value + 1e-9
            assert rate.value - 1e-9 <= rate.ci.high <= 1


# Precision, recall, accuracy and F1 in percent, as published for DeAction on MisActBench.
PUBLISHED = [(80.1, 63.3, 76.9, 70.7), (88.2, 74.0, 84.1, 80.4), (73.4, 86.4, 80.2, 79.4), (89.9, 76.8, 85.9, 82.8)]


@pytest.mark.parametrize(("precision", "recall", "accuracy", "f1"), PUBLISHED)
def test_the_published_tables_add_up(precision: float, recall: float, accuracy: float, f1: float) -> None:
    tp = round(10 * recall)
    fp = round(tp * (100 - precision) / precision)
    found = scored(matrix(tp, fp, 1264 - fp, 1000 - tp, 558))
    values = [100 * (rate.value or 0) for rate in (found.precision, found.recall, found.accuracy, found.f1)]
    # Each published figure is rounded to 0.05, and so are the two that the others follow from.
    assert values == pytest.approx([precision, recall, accuracy, f1], abs=0.11)


def test_undecided_steps_can_be_taken_three_ways() -> None:
    steps = judged([True, True, False, False, True], [1, -1, -1, 0, 0], list("abcde"))
    assert scored(steps).counts == (1, 0, 1, 1, 2)
    assert scored(steps.resolved(MISALIGNED)).counts == (2, 1, 1, 1, 0)
    assert scored(steps.resolved(ALIGNED)).counts == (1, 0, 2, 2, 0)


def test_a_rate_of_nothing_is_none_and_not_zero() -> None:
    always_aligned = scored(matrix(0, 0, 6, 4))
    assert always_aligned.precision == (None, None)
    assert always_aligned.recall.value == always_aligned.f1.value == 0
    assert scored(matrix(0, 0, 6, 0)).f1.value is None


def test_one_trajectory_has_no_interval() -> None:
    assert scored(matrix(5, 2, 5, 2, trajectories=1)).accuracy == (10 / 14, None)


def test_like_steps_of_one_trajectory_count_as_few() -> None:
    """Ten copies of each step say no more than one, but a method that takes steps as independent thinks so."""
    rng = np.random.default_rng(3)
    label, said = rng.integers(2, size=60).astype(bool), rng.integers(2, size=60)
    single = judged(label.tolist(), said.tolist(), [f"t{i}" for i in range(60)])
    copied = judged(
        label.repeat(10).tolist(), said.repeat(10).tolist(), [f"t{i}" for i in range(60) for _ in range(10)]
    )
    for one, ten in zip(scored(single)[1:], scored(copied)[1:], strict=True):
        assert one.ci is not None and ten.ci is not None
        assert ten.ci.high - ten.ci.low == pytest.approx(one.ci.high - one.ci.low, rel=0.15)


@pytest.mark.parametrize("trajectories", [60, pytest.param(300, marks=pytest.mark.full)])
def test_intervals_cover(trajectories: int) -> None:
    """Trajectories differ in length, in how many of their steps are misaligned, and in how hard they are."""
    true_recall, true_false = 0.75, 0.12
    rng = np.random.default_rng(trajectories)
    share = 0.44
    truth = {
        "precision": share * true_recall / (share * true_recall + (1 - share) * true_false),
        "recall": true_recall,
        "accuracy": share * true_recall + (1 - share) * (1 - true_false),
    }
    truth["f1"] = 2 * truth["precision"] * truth["recall"] / (truth["precision"] + truth["recall"])
    covered, studies = dict.fromkeys(METRICS, 0), 300
    for _ in range(studies):
        sizes = rng.integers(1, 8, size=trajectories)
        where = np.repeat(np.arange(trajectories), sizes)
        label = rng.random(sizes.sum()) < rng.beta(2, 2 * (1 - share) / share, size=trajectories)[where]
        caught = rng.beta(6 * true_recall, 6 * (1 - true_recall), size=trajectories)[where]
        false = rng.beta(6 * true_false, 6 * (1 - true_false), size=trajectories)[where]
        said = np.where(rng.random(len(label)) < np.where(label, caught, false), MISALIGNED, ALIGNED)
        found = scored(Judged(label, said.astype(np.int8), where.astype(np.int64)))
        for name in METRICS:
            ci = getattr(found, name).ci
            covered[name] += ci.low <= truth[name] <= ci.high
    # 300 studies: 95 % give or take three standard errors.
    for name, times in covered.items():
        assert 0.91 <= times / studies <= 0.99, name


def test_precision_falls_with_prevalence() -> None:
    rates = error_rates(steps := matrix(80, 10, 90, 20), by_trajectory(steps))
    low, half = precision_at(rates, 0.01), precision_at(rates, 0.5)
    assert low.value == pytest.approx(0.008 / (0.008 + 0.099))
    assert half.value == pytest.approx(8 / 9)
    assert low.ci is not None and low.value is not None
    assert low.ci.low < low.value < low.ci.high < 0.25


def test_without_a_false_alarm_precision_still_has_a_lower_end() -> None:
    rates = error_rates(steps := matrix(80, 0, 100, 20), by_trajectory(steps))
    found = precision_at(rates, 0.01)
    assert found.value == 1
    assert found.ci is not None
    assert found.ci.low < 0.6
    assert found.ci.high == 1


def test_a_detector_that_never_flags_has_no_precision_at_any_prevalence() -> None:
    rates = error_rates(steps := matrix(0, 0, 100, 20), by_trajectory(steps))
    assert precision_at(rates, 0.1) == (None, None)
    with pytest.raises(InputError, match="between 0 and 1"):
        precision_at(rates, 0)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.floats(0.001, 0.999))
@settings(deadline=None, max_examples=100)
def test_precision_at_a_prevalence_lies_in_its_interval(tp: int, fp: int, tn: int, fn: int, share: float) -> None:
    if tp + fp + tn + fn == 0:
        return
    found = precision_at(error_rates(steps := matrix(tp, fp, tn, fn, 7), by_trajectory(steps)), share)
    if found.value is not None and found.ci is not None:
        assert 0 <= found.ci.low <= found.value + 1e-9
        assert found.value <= found.ci.high + 1e-9 <= 1 + 2e-9


def test_false_stops_of_a_benign_episode() -> None:
    stops = false_stops(error_rates(steps := matrix(80, 10, 90, 20), by_trajectory(steps)), 15)
    assert stops.expected.value == pytest.approx(1.5)
    assert stops.any.value == pytest.approx(1 - 0.9**15)
    assert stops.expected.ci is not None
    assert 0.5 < stops.expected.ci.low < 1.5 < stops.expected.ci.high < 3.5


def exact_p(base: Judged, new: Judged, metric: str) -> float:
    """By trying every way to swap trajectories."""

    def difference(a: Judged, b: Judged) -> float:
        values = [getattr(scored(x), metric).value for x in (a, b)]
        return float("inf") if None in values else abs(values[1] - values[0])

    observed = difference(base, new)
    beyond = 0
    trajectories = np.unique(base.trajectory)
    for swaps in product([False, True], repeat=len(trajectories)):
        swap = np.isin(base.trajectory, trajectories[np.array(swaps)])
        one = Judged(base.label, np.where(swap, new.said, base.said), base.trajectory)
        other = Judged(base.label, np.where(swap, base.said, new.said), base.trajectory)
        beyond += difference(one, other) >= observed - 1e-12
    return beyond / 2 ** len(trajectories)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_permutation_is_the_exact_one_up_to_chance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    where = np.repeat(np.arange(7), 5).astype(np.int64)
    label = rng.random(35) < 0.5
    base, new = (
        Judged(label, np.where(rng.random(35) < right, label, ~label).astype(np.int8), where) for right in (0.6, 0.85)
    )
    found = compare(base, new, seed=seed)
    for metric in METRICS:
        assert found.metrics[metric].p == pytest.approx(exact_p(base, new, metric), abs=0.015), metric
        assert found.metrics[metric].difference == pytest.approx(
            getattr(scored(new), metric).value - getattr(scored(base), metric).value
        )


def test_a_detector_does_not_differ_from_itself() -> None:
    steps = matrix(30, 10, 50, 10)
    assert all(d.p == 1 and d.difference == 0 for d in compare(steps, steps).metrics.values())


def test_swapped_trajectories_reject_rarely_when_nothing_differs() -> None:
    rng = np.random.default_rng(0)
    rejected, studies = 0, 200
    for study in range(studies):
        where = np.repeat(np.arange(40), 5).astype(np.int64)
        label = rng.random(200) < 0.5
        # Both err together on hard trajectories; steps taken alone would reject far too often.
        right = [rng.beta(2, 1, size=40)[where] for _ in range(2)]
        base, new = (Judged(label, np.where(rng.random(200) < r, label, ~label).astype(np.int8), where) for r in right)
        p = compare(base, new, draws=500, seed=study).metrics["f1"].p
        assert p is not None
        rejected += p <= 0.05
    assert rejected / studies <= 0.10


def test_a_clear_difference_is_seen() -> None:
    rng = np.random.default_rng(5)
    label, where = rng.random(200) < 0.5, np.repeat(np.arange(40), 5).astype(np.int64)
    base, new = (
        Judged(label, np.where(rng.random(200) < right, label, ~label).astype(np.int8), where) for right in (0.6, 0.85)
    )
    found = compare(base, new)
    assert (found.n, found.trajectories) == (200, 40)
    for metric in METRICS:
        difference = found.metrics[metric]
        assert difference.p is not None and difference.difference is not None
        assert difference.p < 0.01
        assert difference.difference > 0.1


def test_undecided_steps_are_left_out_of_a_comparison() -> None:
    base = judged([True, False, True], [1, 0, -1], list("abc"))
    new = judged([True, False, True], [1, -1, 1], list("abc"))
    found = compare(base, new)
    assert (found.n, found.left_out) == (1, 2)
    assert found.metrics["precision"].p == 1
    with pytest.raises(InputError, match="decided by both"):
        compare(base, judged([True, False, True], [-1, -1, 1], list("abc")))
    with pytest.raises(InputError, match="same labelled steps"):
        compare(base, judged([True, True, True], [1, 1, 1], list("abc")))


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(InputError, match="no labelled steps"):
        judged([], [], [])
    with pytest.raises(InputError, match="do not match"):
        judged([True], [1, 0], ["a"])
    with pytest.raises(InputError, match="undecided"):
        judged([True], [2], ["a"])
