"""What `trueline judge` reports at its end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from trueline.cli.model.flags import money, safe_lines
from trueline.judge.batch_file import Batch, count
from trueline.judge.one import Outcome
from trueline.judge.panel import dissent
from trueline.judge.types import Judge, ObservationType, panel_of
from trueline.records.judgment import Judgment
from trueline.records.usage import Usage, total_usage
from trueline.stats.judgments.agreement_report import alpha_text
from trueline.stats.judgments.alpha import Alpha, krippendorff
from trueline.text import printable

_SHOWN = 10


@dataclass
class Run:
    """What was asked for, and what came of it so far."""

    roots: Mapping[Path, Mapping[Path, str]]
    """The folders given, the episodes in them, and what the user would call these."""
    judges: tuple[Judge, ...]
    observation_type: ObservationType | None
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    began: float = field(default_factory=time.perf_counter)

    @cached_property
    def episodes(self) -> list[Path]:
        """All episodes, each once."""
        return list(dict.fromkeys(folder for found in self.roots.values() for folder in found))

    @cached_property
    def names(self) -> dict[Path, str]:
        """What the user would call them."""
        return {folder: name for found in self.roots.values() for folder, name in found.items()}

    @property
    def asked(self) -> list[Judge]:
        """The judges, and the panel that several of them form."""
        return [*self.judges, *([panel_of(self.judges)] if len(self.judges) > 1 else [])]

    @property
    def errors(self) -> list[Outcome]:
        """What could not be judged."""
        return [outcome for outcome in self.outcomes if outcome.error is not None]

    def of(self, judge: Judge) -> dict[Path, Outcome]:
        """What came of each episode before one judge, in the order of the episodes."""
        found = {outcome.episode: outcome for outcome in self.outcomes if outcome.judge == judge}
        return {folder: found[folder] for folder in self.episodes if folder in found}


def batches(run: Run) -> Iterator[Batch]:
    """The summaries to be written, one for each judge in each folder of results; an episode's own folder gets none."""
    seconds = time.perf_counter() - run.began
    for judge in run.asked:
        outcomes = run.of(judge)
        for root, found in run.roots.items():
            if Path(os.path.realpath(root)) not in found:
                named = {name: outcomes[folder] for folder, name in found.items() if folder in outcomes}
                yield Batch(root, judge, run.observation_type, named, seconds)


def error_lines(run: Run) -> list[str]:
    """The first errors, each with its episode and its judge."""
    errors = run.errors
    lines = [f"{run.names[item.episode]}: {item.judge}: {_without_place(item)}" for item in errors[:_SHOWN]]
    more = len(errors) - len(lines)
    return [*lines, *([f"and {more} more (the batch files in the folders of results list all)"] if more > 0 else [])]


def _without_place(item: Outcome) -> str:
    return (item.error or "").removeprefix(f"{item.episode}: ")


def run_text(run: Run) -> str:
    """The report for people."""
    lines: list[str] = []
    for judge in run.asked:
        outcomes = list(run.of(judge).values())
        lines += _judge_lines(judge, outcomes)
        if len(run.episodes) == 1:
            lines += [_whole(outcome.judgment) for outcome in outcomes if outcome.judgment]
    if len(run.judges) > 1:
        lines += [f"panel, {alpha_text(name, alpha)}" for name, alpha in _alphas(run).items()]
        lines += _split(run)
    warnings = [f"{run.names[outcome.episode]}: {warning}" for outcome in run.outcomes for warning in outcome.warnings]
    if warnings:
        lines.append(f"{len(warnings)} warnings (the meta files beside the judgments hold them):")
        lines += [f"  {printable(warning)}" for warning in warnings[:_SHOWN]]
        lines += [f"  and {len(warnings) - _SHOWN} more"] if len(warnings) > _SHOWN else []
    return "\n".join(lines)


def _judge_lines(judge: Judge, outcomes: Sequence[Outcome]) -> list[str]:
    now = sum(not item.before and item.error is None for item in outcomes)
    before = sum(item.before for item in outcomes)
    errors = sum(item.error is not None for item in outcomes)
    counts = count(item.judgment for item in outcomes)
    usage = _usage(outcomes)
    return [
        f"{printable(str(judge), 200)}: {now} judged, {before} judged before, {errors} errors",
        f"  {counts['unsafe']} unsafe, {counts['safe']} safe, {counts['safety_unknown']} unknown; "
        f"{counts['completed']} completed, {counts['not_completed']} not, {counts['success_unknown']} unknown",
        *(
            [f"  {usage.calls} calls, {usage.input_tokens} tokens in, {usage.output_tokens} out, {money(usage.cost)}"]
            if usage.calls
            else []
        ),
    ]


def _whole(judgment: Judgment) -> str:
    fields = judgment.model_dump(mode="json", exclude={"reasoning"})
    words = ", ".join(f"{key} {'unknown' if value is None else value}" for key, value in fields.items())
    return f"  {words.lower()}\n{safe_lines(judgment.reasoning)}"


def _usage(outcomes: Sequence[Outcome]) -> Usage:
    return total_usage(outcome.usage for outcome in outcomes)


def _given(run: Run) -> dict[Path, dict[Judge, Judgment | None]]:
    """What each member says about each episode."""
    by_judge = {judge: run.of(judge) for judge in run.judges}
    return {
        folder: {judge: found[folder].judgment for judge, found in by_judge.items() if folder in found}
        for folder in run.episodes
    }


def _alphas(run: Run) -> dict[str, Alpha]:
    """How far the members agree, over all episodes."""
    rows = [list(given.values()) for given in _given(run).values()]
    return {
        "safety": krippendorff([[judgment and judgment.safety for judgment in row] for row in rows]),
        "success": krippendorff([[judgment and judgment.success for judgment in row] for row in rows]),
    }


def _split(run: Run) -> list[str]:
    """Episodes on which the members do not all say the same, and who says what."""
    lines: list[str] = []
    for folder, found in _given(run).items():
        given = {judge: judgment for judge, judgment in found.items() if judgment is not None}
        if len({(judgment.safety, judgment.success) for judgment in given.values()}) > 1:
            lines += [printable(run.names[folder]), *(f"  {printable(line)}" for line in dissent(given))]
    return lines


def run_document(run: Run) -> dict[str, object]:
    """The report as plain data."""
    return {
        "judges": [_judge_document(judge, list(run.of(judge).values())) for judge in run.asked],
        "episodes": [_outcome_document(run, outcome) for outcome in run.outcomes],
        "alpha": {name: alpha.value for name, alpha in _alphas(run).items()} if len(run.judges) > 1 else None,
        "seconds": time.perf_counter() - run.began,
    }


def _judge_document(judge: Judge, outcomes: Sequence[Outcome]) -> dict[str, object]:
    usage = _usage(outcomes)
    return {
        "judge": str(judge),
        "judge_model": judge.model,
        "judge_type": judge.judge_type,
        "sys_prompt_version": judge.version,
        "vote": judge.vote,
        "judged": sum(not item.before and item.error is None for item in outcomes),
        "judged_before": sum(item.before for item in outcomes),
        "errors": sum(item.error is not None for item in outcomes),
        **count(item.judgment for item in outcomes),
        "usage": usage.model_dump(mode="json", exclude={"cost"}),
        "cost": usage.cost,
    }


def _outcome_document(run: Run, outcome: Outcome) -> dict[str, object]:
    return {
        "path": run.names[outcome.episode],
        "judge": str(outcome.judge),
        "judgment": outcome.judgment and outcome.judgment.model_dump(mode="json"),
        "error": outcome.error,
        "judged_before": outcome.before,
        "warnings": list(outcome.warnings),
        "cost": outcome.usage.cost,
        "seconds": outcome.seconds,
    }
