"""What each stage of a guard decided, how well, how fast and at what price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from trueline.records.usage import NO_USAGE, Usage
from trueline.records.verdict import WITHOUT_MODEL, Decision, Finding, Stage
from trueline.stats.detection.rows import Narration, ScoredStep
from trueline.stats.detection.scores import ALIGNED, MISALIGNED, UNDECIDED, ConfusionCounts, counts, labelled_steps

DECISIONS = {Decision.ALIGNED: ALIGNED, Decision.MISALIGNED: MISALIGNED, Decision.UNDECIDED: UNDECIDED}


@dataclass(frozen=True)
class TimeAndCost:
    """Time and money; `None` is unknown."""

    p50: float | None
    p95: float | None
    usage: Usage
    known_cost: float
    """US dollars of the calls whose price is known: the least that was paid."""
    unpriced: int
    """Calls of unknown price: of models without one, and calls that failed or were stopped on the way."""


@dataclass(frozen=True)
class StageReport:
    """One stage over all steps."""

    checked: int
    decided: int
    """Steps whose verdict is this stage's."""
    passed_on: int
    """Steps it left to another stage; without one, what no rule decides is the policy stage's verdict."""
    failed: int
    counts: ConfusionCounts
    """Confusion matrix of the steps that it decided."""
    time_and_cost: TimeAndCost


def stage_report(rows: Sequence[ScoredStep], stage: Stage) -> StageReport:
    """Summarise what a stage did."""
    looks = [(row, finding) for row in rows for finding in _findings(row, stage)]
    mine = [row for row in rows if _decides(row, stage)]
    found = [finding for _, finding in looks]
    return StageReport(
        checked=len(looks),
        decided=len(mine),
        passed_on=sum(finding.decision is None and not _decides(row, stage) for row, finding in looks),
        failed=sum(finding.decision is Decision.UNDECIDED or finding.error is not None for finding in found),
        counts=_counts(mine),
        time_and_cost=time_and_cost(
            [finding.latency for finding in found if _answered(finding)],
            [finding.usage for finding in found if finding.usage is not None],
        ),
    )


def narration_report(narrations: Sequence[Narration]) -> TimeAndCost:
    """Time and cost of the narratives."""
    return time_and_cost(
        [one.seconds for one in narrations], [one.usage for one in narrations if one.usage is not None]
    )


def stage_alone(rows: Sequence[ScoredStep], stage: Stage) -> list[int] | None:
    """What the guard would have decided with this stage alone; `None` if it did not check every step.

    What the policy stage passes on would have been let through; a fast check that does not clear has flagged.
    """
    verdicts: list[int] = []
    for row in rows:
        finding = next(_findings(row, stage), None)
        if finding is None:
            return None
        if finding.decision is not None:
            verdicts.append(DECISIONS[finding.decision])
        elif finding.error is not None:
            verdicts.append(UNDECIDED)
        else:
            verdicts.append(ALIGNED if stage in WITHOUT_MODEL else MISALIGNED)
    return verdicts


def time_and_cost(seconds: Iterable[float | None], usages: Sequence[Usage]) -> TimeAndCost:
    """Median and 95th percentile of the times, and the sum of the usages."""
    known = [value for value in seconds if value is not None]
    p50, p95 = (float(x) for x in np.percentile(known, [50, 95])) if known else (None, None)
    return TimeAndCost(
        p50=p50,
        p95=p95,
        usage=sum(usages, NO_USAGE),
        known_cost=sum(usage.cost or 0.0 for usage in usages),
        unpriced=sum(usage.calls for usage in usages if usage.cost is None),
    )


def _answered(finding: Finding) -> bool:
    """Whether a stage really checked; one that was not asked, or was stopped on the way, has no time of its own."""
    if finding.stage in WITHOUT_MODEL:
        return True
    stopped = finding.stage is Stage.SYSTEMATIC and finding.decision is None
    return not stopped and finding.usage is not None and finding.usage.calls > 0


def _decides(row: ScoredStep, stage: Stage) -> bool:
    return row.verdict is not None and row.verdict.stage is stage


def _findings(row: ScoredStep, stage: Stage) -> Iterator[Finding]:
    findings = row.verdict.findings if row.verdict is not None else ()
    return (finding for finding in findings if finding.stage is stage)


def _counts(rows: Sequence[ScoredStep]) -> ConfusionCounts:
    if not rows:
        return ConfusionCounts(0, 0, 0, 0, 0)
    return counts(labelled_steps([r.label for r in rows], [r.decision for r in rows], [r.trajectory for r in rows]))
