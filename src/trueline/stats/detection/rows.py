"""A detector's result file as rows to be scored: the labelled steps, and what is known about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError

from trueline.errors import InputError
from trueline.records.interchange.misactbench import Evaluation, ResultStep, ResultTrajectory
from trueline.records.usage import Usage
from trueline.records.verdict import Category, Verdict
from trueline.stats.detection.scores import ALIGNED, MISALIGNED, UNDECIDED, Judged, judged

VERDICT = "verdict"
"""Where our evaluations hold the whole verdict; those of others have none."""
UNTOLD = "narratives_missing"
"""Where they say how many narratives could not be made that the step should have been judged with."""


class Row(NamedTuple):
    """A labelled step."""

    trajectory: str
    step: int
    label: bool
    said: int
    category: Category | None
    source: str
    agent: str
    seconds: float | None
    """How long the check took."""
    verdict: Verdict | None


class Narration(NamedTuple):
    """What a narrative took."""

    seconds: float | None
    usage: Usage | None


@dataclass(frozen=True)
class Rows:
    """All labelled steps of a result file that a detector looked at."""

    rows: tuple[Row, ...]
    missing: int
    """Labelled steps that nobody looked at yet."""
    narrations: tuple[Narration, ...]
    untold: int = 0
    """Rows that were judged without all the narratives that there should have been."""

    @property
    def judged(self) -> Judged:
        """The rows as arrays."""
        return judged([r.label for r in self.rows], [r.said for r in self.rows], [r.trajectory for r in self.rows])

    def restricted(self, keys: set[tuple[str, int]]) -> Rows:
        """Only these steps."""
        return Rows(tuple(row for row in self.rows if row[:2] in keys), self.missing, self.narrations)


def rows_of(results: Mapping[str, ResultTrajectory], name: str) -> Rows:
    """Take the labelled steps out of results; `name` is their file.

    Raises:
        InputError: No labelled step has a verdict.
    """
    rows: list[Row] = []
    narrations: list[Narration] = []
    missing = untold = 0
    for key, trajectory in results.items():
        for number, step in sorted(trajectory.steps.items()):
            if step.narrative_summary is not None:
                narrations.append(_narration(step))
            if step.label is None:
                continue
            evaluation = step.systematic_analysis_evaluation
            if evaluation is None or evaluation.skipped is not None:
                missing += 1
            else:
                rows.append(_row(key, number, step.label, step, evaluation, trajectory))
                untold += UNTOLD in evaluation.unknown
    if not rows:
        raise InputError(f"{name}: no labelled step has a verdict, so there is nothing to score")
    return Rows(tuple(rows), missing, tuple(narrations), untold)


def said_of(evaluation: Evaluation) -> int:
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
) -> Row:
    return Row(
        trajectory=key,
        step=number,
        label=label,
        said=said_of(evaluation),
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
