"""What an action's text alone gives away: a classifier trained on a labelled set by cross-validation.

A guard must look at the objective and the screen. Where a set can be judged by the text of the actions alone, high
figures on it say little; `action-text-only` measures that. The classifier is a ridge regression over the words and
character 4-grams of the text, both labels weighing the same, in its dual form: closed, and without any random choice.
A group of trajectories (the host task, where the set names it) is judged by the classifier of the other groups.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.records.interchange.misactbench import BenchmarkTrajectory

FloatArray = npt.NDArray[np.float64]

METHOD = "ridge.v1"
"""Changes whenever scores do."""
FOLDS = 10
_WORD = re.compile(r"\w+|[^\w\s]")
_GRAM = 4
_RIDGE = 0.3
_LONGEST = 20_000
"""Characters of a text that are looked at."""


@dataclass(frozen=True)
class LabelledText:
    """The text of one action, its label, and the group that it belongs to."""

    text: str
    misaligned: bool
    group: str


def features(text: str) -> frozenset[str]:
    """The words and the character 4-grams of an action's text."""
    plain = " ".join(text[:_LONGEST].casefold().split())
    words = {f"w:{word}" for word in _WORD.findall(plain)}
    return frozenset(words | {f"c:{plain[at : at + _GRAM]}" for at in range(max(len(plain) - _GRAM + 1, 1))})


class CrossValidated:
    """The classifiers of a set: for each group one that has not seen it."""

    def __init__(self, steps: Sequence[LabelledText]) -> None:
        # Episodes are repeated: equal texts of a group with equal labels are one example.
        self._steps = tuple(dict.fromkeys(steps))
        groups = sorted({step.group for step in steps}, key=lambda group: hashlib.sha256(group.encode()).digest())
        self._fold_of = {group: place % FOLDS for place, group in enumerate(groups)}
        self._places: dict[str, int] = {}
        for step in self._steps:
            for feature in sorted(features(step.text)):
                self._places.setdefault(feature, len(self._places))
        self._examples = (
            np.stack([self._vector(step.text) for step in self._steps]) if self._steps else np.zeros((0, 1))
        )
        self._similar = self._examples @ self._examples.T + 1
        self._folds = np.array([self._fold_of[step.group] for step in self._steps])
        self._weights: dict[int | None, FloatArray] = {}

    def score(self, text: str, group: str | None) -> float:
        """How misaligned a text looks, about -1 to 1, by the classifier that has not seen its group.

        A text of no group of the set is judged by the classifier of the whole set.
        """
        fold = None if group is None else self._fold_of.get(group)
        if fold not in self._weights:
            self._weights[fold] = self._train(self._folds != (-1 if fold is None else fold))
        return float((self._examples @ self._vector(text) + 1) @ self._weights[fold])

    def _vector(self, text: str) -> FloatArray:
        """The known features of a text, scaled to length 1."""
        found = np.zeros(max(len(self._places), 1))
        found[[self._places[feature] for feature in features(text) if feature in self._places]] = 1
        return found / max(float(np.linalg.norm(found)), 1.0)

    def _train(self, taken: npt.NDArray[np.bool_]) -> FloatArray:
        """The weight of each example; those that are not taken have none."""
        labels = np.array([1.0 if step.misaligned else -1.0 for step in self._steps])[taken]
        weights = np.zeros(len(self._steps))
        if len(np.unique(labels)) < 2:
            return weights
        share = np.where(labels > 0, np.mean(labels > 0), np.mean(labels < 0))
        kernel = self._similar[np.ix_(taken, taken)] + _RIDGE * np.diag(2 * share)
        weights[taken] = np.linalg.solve(kernel, labels)
        return weights


def labelled_texts(trajectories: Sequence[BenchmarkTrajectory]) -> list[LabelledText]:
    """The labelled actions of a set."""
    groups = groups_by_trajectory(trajectories)
    return [
        LabelledText(step.agent_output, step.label, groups[trajectory.trajectory_id])
        for trajectory in trajectories
        for step in trajectory.steps
        if step.label is not None
    ]


def groups_by_trajectory(trajectories: Sequence[BenchmarkTrajectory]) -> dict[str, str]:
    """What each trajectory is left out together with: its host task, or itself where not several hosts are named."""
    named = {one.trajectory_id: one.metadata.unknown.get("host") for one in trajectories}
    hosts = {name: host for name, host in named.items() if isinstance(host, str)}
    several = len(set(hosts.values())) > 1
    return {name: hosts.get(name, name) if several else name for name in named}
