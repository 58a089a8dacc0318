"""Agreement with people: OS-Harm's Table 3 as arithmetic, and the figures against scikit-learn."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from trueline.records.layout import Unit
from trueline.stats.judgments.agreement import AgreementScores, Pair, agree
from trueline.stats.judgments.agreement_report import Labelled, agreement_csv, agreement_json, agreement_text
from trueline.stats.judgments.rows import Rating

# tp, fp, fn, tn. For each row of the table the percents leave exactly one way to split the 50 episodes of a category,
# and these add up to the one way that the overall row leaves for all 150.
TABLE_3 = {
    "misuse": {"unsafe": (26, 0, 15, 9), "completed": (6, 6, 3, 35)},
    "injection": {"unsafe": (8, 2, 4, 36), "completed": (21, 6, 2, 21)},
    "accident": {"unsafe": (5, 0, 3, 42), "completed": (15, 4, 2, 29)},
}
PUBLISHED = {
    "misuse": {"unsafe": (70, 100, 63, 78), "completed": (82, 50, 67, 57)},
    "injection": {"unsafe": (88, 80, 67, 73), "completed": (84, 78, 91, 84)},
    "accident": {"unsafe": (94, 100, 62, 77), "completed": (88, 79, 88, 83)},
    "overall": {"unsafe": (84, 95, 64, 76), "completed": (85, 72, 86, 79)},
}
NOBODY = Labelled(("ann",), 0, (), (), (), None, None)


def states(cells: tuple[int, int, int, int]) -> Iterator[tuple[bool, bool]]:
    """What people and the judge say, episode by episode."""
    for count, state in zip(cells, ((True, True), (False, True), (True, False), (False, False)), strict=True):
        yield from [state] * count


def pairs() -> list[Pair]:
    made: list[Pair] = []
    for category, cells in TABLE_3.items():
        both = zip(states(cells["unsafe"]), states(cells["completed"]), strict=True)
        for number, (unsafe, completed) in enumerate(both):
            # A task and its rephrasing.
            unit = Unit(f"d{number % 5}", f"{category}{number // 2}" + "_aug" * (number % 2))
            human, judge = (Rating(completed[k], not unsafe[k], 3 if unsafe[k] else None) for k in (0, 1))
            made.append(Pair(f"{category}/{number}", unit, category, human, judge))
    return made


def rounded(scores: AgreementScores) -> tuple[int, ...]:
    figures = (scores.agreement, scores.precision, scores.recall, scores.f1)
    # To the even number at half a percent, as the paper does: 5 of 8 is printed as 62.
    return tuple(round(100 * (figure.value or 0)) for figure in figures)


@pytest.mark.parametrize("category", PUBLISHED)
@pytest.mark.parametrize("positive", ["unsafe", "completed"])
def test_table_3(category: str, positive: str) -> None:
    report = agree("gpt-4.1/aer/v3", pairs())
    group = report.overall if category == "overall" else report.categories[category]
    scores = group.unsafe if positive == "unsafe" else group.completed
    assert rounded(scores) == PUBLISHED[category][positive]
    if category != "overall":
        assert (scores.tp, scores.fp, scores.fn, scores.tn) == TABLE_3[category][positive]
    assert scores.n == (150 if category == "overall" else 50)


def test_every_disagreement_is_listed_once() -> None:
    report = agree("j", pairs())
    apart = {pair.name for pair in report.disagreements}
    expected = {
        pair.name
        for pair in pairs()
        if pair.human.safety != pair.judge.safety or pair.human.success != pair.judge.success
    }
    assert apart == expected
    assert len(report.disagreements) == len(expected)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 6)), min_size=1, max_size=40))
@settings(deadline=None, max_examples=60)
def test_figures_are_those_of_scikit_learn(rows: list[tuple[bool, bool, int]]) -> None:
    made = [
        Pair(str(k), Unit("d", f"t{task}"), "misuse", Rating(None, not human), Rating(None, not judge))
        for k, (human, judge, task) in enumerate(rows)
    ]
    scores = agree("j", made).overall.unsafe
    human, judge = (np.array([row[k] for row in rows]) for k in (0, 1))
    assert scores.agreement.value == pytest.approx(metrics.accuracy_score(human, judge))
    for figure, function, defined in (
        (scores.precision, metrics.precision_score, judge.any()),
        (scores.recall, metrics.recall_score, human.any()),
        (scores.f1, metrics.f1_score, (human | judge).any()),
    ):
        assert (figure.value is not None) == defined
        if figure.value is not None:
            assert figure.value == pytest.approx(float(function(human, judge)))
            assert figure.interval is not None
            assert 0 <= figure.interval.low <= figure.value <= figure.interval.high <= 1
    if scores.kappa.value is not None:
        assert scores.kappa.value == pytest.approx(metrics.cohen_kappa_score(human, judge))
    else:
        assert len({*human, *judge}) == 1


def test_intervals_are_by_host_task() -> None:
    """The same figures from few tasks seen often are less certain than from many seen once."""

    def width(hosts: int) -> float:
        made = [
            Pair(str(k), Unit("d", f"t{k % hosts}"), "benign", Rating(True, True), Rating(True, k % hosts % 4 != 0))
            for k in range(48)
        ]
        interval = agree("j", made).overall.unsafe.agreement.interval
        assert interval is not None
        return interval.high - interval.low

    assert width(8) > 1.5 * width(48)


def test_unknown_is_left_out_and_a_question_of_its_own() -> None:
    made = [
        Pair("a", Unit("d", "a"), "misuse", Rating(True, None), Rating(True, False)),
        Pair("b", Unit("d", "b"), "misuse", Rating(False, False, 2), Rating(None, False, 4)),
    ]
    overall = agree("j", made).overall
    assert (overall.unsafe.n, overall.completed.n) == (1, 1)
    assert overall.unsafe.agreement.value == 1
    assert overall.completed.agreement.value == 1


def test_distance_of_the_first_violation() -> None:
    steps = [(2, 2), (2, 3), (5, 1), (None, 1), (1, None)]
    made = [
        Pair(str(k), Unit("d", str(k)), "misuse", Rating(True, False, human), Rating(True, False, judge))
        for k, (human, judge) in enumerate(steps)
    ]
    made.append(Pair("safe", Unit("d", "safe"), "misuse", Rating(True, True), Rating(True, False, 9)))
    found = agree("j", made).overall.steps
    assert (found.n, found.same, found.within_one) == (3, 1, 2)
    assert found.mean == pytest.approx(-1.0)
    assert found.mean_absolute == pytest.approx(5 / 3)


def test_nothing_to_compare_gives_no_figure() -> None:
    report = agree("j", [])
    assert report.overall.unsafe.agreement.value is None
    assert "overall   | –" in agreement_text([(report, NOBODY)])


def test_the_report_in_three_forms() -> None:
    report = agree("gpt-4.1/aer/v3", pairs())
    text = agreement_text([(report, NOBODY)])
    assert "Judge gpt-4.1/aer/v3 against ann" in text
    assert f"Disagreements: {len(report.disagreements)}" in text
    document = json.loads(json.dumps(agreement_json([(report, NOBODY)])))["judges"][0]
    assert document["overall"]["unsafe"]["recall"] == pytest.approx(39 / 61)
    assert len(document["disagreements"]) == len(report.disagreements)
    rows = agreement_csv([(report, NOBODY)]).splitlines()
    assert len(rows) == 1 + 4 * 2 * 5
