"""A guard's result file as rows to be scored: the labelled steps, and what is known about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError

from trueline.errors import InputError
from trueline.records.interchange.misactbench import Evaluation, ResultStep, ResultTrajectory
from trueline.records.usage import Usage
from trueline.records.verdict import Category, Verdict
from trueline.stats.detection.scores import ALIGNED, MISALIGNED, UNDECIDED, LabelledSteps, labelled_steps

VERDICT = "verdict"
"""Where our evaluations hold the whole verdict; those of others have none."""
NARRATIVES_MISSING = "narratives_missing"
"""Where they count the narratives that were due for the step and could not be made."""


class ScoredStep(NamedTuple):
    """A labelled step."""

    trajectory: str
    step: int
    label: bool
    decision: int
    category: Category | None
    source: str
    agent: str
    seconds: float | None
    """How long the check took."""
    verdict: Verdict | None
    host: str = ""
    """The task that the trajectory is an episode of, where the set says so; else the trajectory."""
    benign: bool = False
    """Whether nothing in its trajectory is misaligned and nobody attacked it."""


class Narration(NamedTuple):
    """Time and cost of a narrative."""

    seconds: float | None
    usage: Usage | None


@dataclass(frozen=True)
class Rows:
    """All labelled steps of a result file that a guard checked."""

    rows: tuple[ScoredStep, ...]
    missing: int
    """Labelled steps that are not checked yet."""
    narrations: tuple[Narration, ...]
    without_narratives: int = 0
    """Steps that were checked without some of their narratives."""

    @property
    def steps(self) -> LabelledSteps:
        """The rows as arrays."""
        return labelled_steps(
            [r.label for r in self.rows], [r.decision for r in self.rows], [r.trajectory for r in self.rows]
        )

    def restricted(self, keys: set[tuple[str, int]]) -> Rows:
        """Return only these steps."""
        return Rows(tuple(row for row in self.rows if row[:2] in keys), self.missing, self.narrations)


def rows_of(results: Mapping[str, ResultTrajectory], name: str) -> Rows:
    """Take the labelled steps out of results; `name` is their file.

    Raises:
        InputError: No labelled step has a verdict.
    """
    rows: list[ScoredStep] = []
    narrations: list[Narration] = []
    missing = without_narratives = 0
    for key, trajectory in results.items():
        known = trajectory.metadata.unknown
        host = known.get("host")
        labels = [step.label for step in trajectory.steps.values()]
        benign = known.get("benign") is not False and True not in labels
        for number, step in sorted(trajectory.steps.items()):
            if step.narrative_summary is not None:
                narrations.append(_narration(step))
            if step.label is None:
                continue
            evaluation = step.systematic_analysis_evaluation
            if evaluation is None or evaluation.skipped is not None:
                missing += 1
            else:
                row = _row(key, number, step.label, step, evaluation, trajectory)
                rows.append(row._replace(host=host if isinstance(host, str) else key, benign=benign))
                without_narratives += NARRATIVES_MISSING in evaluation.unknown
    if not rows:
        raise InputError(f"{name}: no labelled step has a verdict, so there is nothing to score")
    return Rows(tuple(rows), missing, tuple(narrations), without_narratives)


def decision_of(evaluation: Evaluation) -> int:
    """What an evaluation says; one with an error decided nothing, whatever it says besides."""
    if evaluation.error is not None or evaluation.is_misaligned is None:
        return UNDECIDED
    return MISALIGNED if evaluation.is_misaligned else ALIGNED


def common(files: Sequence[Rows]) -> list[Rows]:
    """The same rows in the same order from each file: those that all of them have.

    Raises:
        InputError: They share no step, or disagree about a label.
    """
    first = {row[:2]: row.label for row in files[0].rows}
    shared = set(first).intersection(*({row[:2] for row in file.rows} for file in files[1:]))
    if not shared:
        raise InputError("the result files share no labelled step, so they cannot be compared")
    for file in files[1:]:
        for row in file.rows:
            if row[:2] in shared and row.label != first[row[:2]]:
                raise InputError(
                    f"the result files disagree about the label of step {row.step} of {row.trajectory}; "
                    "compare files of the same benchmark"
                )
    return [Rows(tuple(sorted(file.restricted(shared).rows, key=lambda r: r[:2])), 0, ()) for file in files]


def _row(
    key: str, number: int, label: bool, step: ResultStep, evaluation: Evaluation, trajectory: ResultTrajectory
) -> ScoredStep:
    return ScoredStep(
        trajectory=key,
        step=number,
        label=label,
        decision=decision_of(evaluation),
        category=step.category,
        source=trajectory.metadata.source or "unknown",
        agent=trajectory.metadata.agent or "unknown",
        seconds=float(evaluation.time) if isinstance(evaluation.time, float | int) else None,
        verdict=_verdict(evaluation),
    )


def _verdict(evaluation: Evaluation) -> Verdict | None:
    try:
        return Verdict.model_validate(evaluation.unknown[VERDICT])
    except (KeyError, ValidationError):
        return None


def _narration(step: ResultStep) -> Narration:
    assert step.narrative_summary is not None
    extra = step.narrative_summary.unknown
    seconds = extra.get("latency")
    try:
        usage = Usage.model_validate(extra["usage"])
    except (KeyError, ValidationError):
        usage = None
    return Narration(seconds if isinstance(seconds, float | int) else None, usage)
