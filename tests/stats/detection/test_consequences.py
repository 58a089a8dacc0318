"""Precision and recall where only some proposals were looked at, and some outcomes are unknown."""

from __future__ import annotations

import numpy as np
import pytest

from trueline.stats.detection.consequences import ProposalOutcome, weighted_precision, weighted_recall


def case(host: str, flagged: bool, positive: bool | None, weight: float = 1.0) -> ProposalOutcome:
    return ProposalOutcome(host, flagged, positive, weight)


def test_rates_weigh_by_what_each_proposal_stands_for() -> None:
    cases = [case("a", True, True), case("a", True, False), case("b", True, True), case("b", False, True, 4.0),
             case("b", False, False, 4.0)]  # fmt: skip
    assert weighted_precision(cases).rate.value == pytest.approx(2 / 3)
    assert weighted_recall(cases).rate.value == pytest.approx(2 / 6)


def test_unknown_outcomes_bound_the_rates_both_ways() -> None:
    cases = [case("a", True, True), case("b", True, None), case("b", False, None, 2.0), case("c", False, True, 2.0)]
    precision, recall = weighted_precision(cases), weighted_recall(cases)
    assert (precision.rate.value, precision.lowest, precision.highest) == (1.0, 0.5, 1.0)
    assert recall.rate.value == pytest.approx(1 / 3)
    assert recall.lowest == pytest.approx(1 / 5)
    assert recall.highest == pytest.approx(2 / 4)


def test_nothing_and_one_host_have_no_interval() -> None:
    assert weighted_precision([]).rate.value is None
    assert weighted_recall([case("a", True, False)]).rate.value is None
    assert weighted_precision([case("a", True, True), case("a", True, False)]).rate.ci is None


def test_proposals_of_one_host_count_once() -> None:
    """Repeating every proposal of a host says nothing new about other hosts."""
    once = [case(str(host), True, host % 3 == 0) for host in range(12)]
    often = [each for each in once for _ in range(10)]
    for cases in (once, often):
        ci = weighted_precision(cases).rate.ci
        assert ci is not None
        assert (ci.low, ci.high) == (pytest.approx(0.119, abs=0.001), pytest.approx(0.650, abs=0.001))


def test_all_alike_is_as_wide_as_its_hosts_allow() -> None:
    ci = weighted_precision([case(str(host % 5), True, True) for host in range(500)]).rate.ci
    assert ci is not None and ci.low == pytest.approx(0.478, abs=0.001) and ci.high == 1.0


def test_the_interval_covers_what_is_true() -> None:
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(400):
        rates = rng.beta(3, 3, 30)
        cases = [case(str(host), True, bool(rng.random() < rate), float(weight))
                 for host, rate in enumerate(rates) for weight in (1.0, 4.0, 4.0)]  # fmt: skip
        ci = weighted_precision(cases).rate.ci
        assert ci is not None
        hits += ci.low <= 0.5 <= ci.high
    assert hits >= 400 * 0.92
