"""What an action's text alone gives away: a likelihood model, trained on a labelled set by cross-validation.

A guard must look at the objective and the screen. Where a set can be judged by the text of the actions alone, high
figures on it say little; `action-text-only` measures that. The model is a naive Bayes classifier over words and
character 4-grams, without any random choice. A group of trajectories (the host task, where the set names it) is judged
by the model of the other groups, so that no text of its own episodes is known to it.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trueline.records.interchange.misactbench import BenchmarkTrajectory

FOLDS = 10
_WORD = re.compile(r"\w+|[^\w\s]")
_GRAM = 4
_SMOOTHING = 0.5


@dataclass(frozen=True)
class LabelledText:
    """The text of one action, its label, and the group that it belongs to."""

    text: str
    misaligned: bool
    group: str


def features(text: str) -> frozenset[str]:
    """The words and the character 4-grams of an action's text."""
    plain = " ".join(text.casefold().split())
    words = {f"w:{word}" for word in _WORD.findall(plain)}
    return frozenset(words | {f"c:{plain[at : at + _GRAM]}" for at in range(max(len(plain) - _GRAM + 1, 1))})


@dataclass(frozen=True)
class TextModel:
    """Counts of features by label."""

    aligned: Mapping[str, int]
    misaligned: Mapping[str, int]
    n_aligned: int
    n_misaligned: int

    def log_odds(self, text: str) -> float:
        """How much likelier the text is where actions are misaligned, per feature so that long texts do not outweigh.

        Zero is the border that makes both labels equally costly; the mix of labels plays no part.
        """
        if not (self.n_aligned and self.n_misaligned):
            return 0.0
        total = 0.0
        found = features(text)
        for feature in found:
            wrong = (self.misaligned.get(feature, 0) + _SMOOTHING) / (self.n_misaligned + 2 * _SMOOTHING)
            right = (self.aligned.get(feature, 0) + _SMOOTHING) / (self.n_aligned + 2 * _SMOOTHING)
            total += math.log(wrong / right)
        return total / len(found)


def train(steps: Iterable[LabelledText]) -> TextModel:
    """Count the features of steps; equal texts of a group count once, because episodes are repeated."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    n: Counter[bool] = Counter()
    for step in dict.fromkeys(steps):
        counts[step.misaligned].update(features(step.text))
        n[step.misaligned] += 1
    return TextModel(counts[False], counts[True], n[False], n[True])


class CrossValidated:
    """Models of a set: for each group one that has not seen it."""

    def __init__(self, steps: Sequence[LabelledText]) -> None:
        self._steps = tuple(steps)
        groups = sorted({step.group for step in steps}, key=_order)
        self._fold_of = {group: place % FOLDS for place, group in enumerate(groups)}
        self._models: dict[int, TextModel] = {}

    @cached_property
    def whole(self) -> TextModel:
        """The model of the whole set, for actions that are not in it."""
        return train(self._steps)

    def log_odds(self, text: str, group: str | None) -> float:
        """The score of a text by the model that has not seen its group."""
        fold = None if group is None else self._fold_of.get(group)
        if fold is None:
            return self.whole.log_odds(text)
        if fold not in self._models:
            self._models[fold] = train(step for step in self._steps if self._fold_of[step.group] != fold)
        return self._models[fold].log_odds(text)


def labelled_texts(trajectories: Sequence[BenchmarkTrajectory]) -> list[LabelledText]:
    """The labelled actions of a set."""
    return [
        LabelledText(step.agent_output, step.label, group_of(trajectory))
        for trajectory in trajectories
        for step in trajectory.steps
        if step.label is not None
    ]


def group_of(trajectory: BenchmarkTrajectory) -> str:
    """What a trajectory is trained and left out together with: its host task, or itself where no host is named."""
    host = trajectory.metadata.unknown.get("host")
    return host if isinstance(host, str) else trajectory.trajectory_id


def groups_by_trajectory(trajectories: Sequence[BenchmarkTrajectory]) -> dict[str, str]:
    """The group of each trajectory."""
    return {trajectory.trajectory_id: group_of(trajectory) for trajectory in trajectories}


def _order(group: str) -> bytes:
    return hashlib.sha256(group.encode()).digest()
