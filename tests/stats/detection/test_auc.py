"""The area under the ROC curve against scikit-learn, and its interval against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from trueline.stats.detection.auc import area


@pytest.mark.parametrize("seed", range(5))
def test_the_area_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    positive = rng.random(200) < 0.3
    scores = np.round(rng.normal(size=200) + positive, 1)
    found = area(scores, positive, np.arange(200))
    assert found.value == pytest.approx(roc_auc_score(positive, scores))


def test_an_interval_covers_when_units_come_in_clusters() -> None:
    """30 clusters of 10 alike units: taken as independent they would give an interval that is far too narrow."""
    rng, covered, rounds = np.random.default_rng(1), 0, 400
    for _ in range(rounds):
        clusters = np.repeat(np.arange(30), 10)
        positive = np.tile(np.arange(10) < 4, 30)
        scores = rng.normal(size=30)[clusters] + rng.normal(size=300) * 0.3 + positive * 0.8
        ci = area(scores, positive, clusters).ci
        assert ci is not None
        # Normal differences: of two clusters (29 of 30 pairs) with a variance of 2.18, of the same one with 0.18.
        covered += ci.low <= 0.7148 <= ci.high
    assert 0.90 <= covered / rounds <= 0.985


def test_what_cannot_be_told() -> None:
    assert area([1.0, 2.0], [True, True], [1, 2]).value is None
    assert area([1.0, 2.0], [True, False], [1, 1]) == (0.0, None)
    perfect = area([3.0, 4.0, 1.0, 2.0], [True, True, False, False], [1, 2, 1, 2])
    assert perfect.value == 1 and perfect.ci is not None and perfect.ci.low < 1
