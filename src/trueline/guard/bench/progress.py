"""What is known so far about the steps of a benchmark, and the result file made from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from trueline.actions.codecs.pyautogui.comments import strip_comments
from trueline.errors import InputError
from trueline.guard.bench.cases import LabelledStep, LabelledTrajectory, StepKey
from trueline.guard.bench.journal import Evaluated, NarratedStep
from trueline.records.interchange.misactbench import (
    MISSING_LABEL,
    Evaluation,
    NarrativeCache,
    NarrativeSummary,
    ResultStep,
    ResultTrajectory,
)
from trueline.records.setting import FORMER_GUARD_NAMES, GuardSetting
from trueline.text import printable

OPTIONS = "guard_options"
"""Our key in an evaluation: the options that shaped the verdict besides the models."""
VERDICT = "verdict"
"""Our key in an evaluation: the whole verdict."""
UNTOLD = "narratives_missing"
"""Our key in an evaluation: how many earlier steps had no narrative although there should be one."""


@dataclass
class Progress:
    """The narratives and verdicts so far; entries are only added."""

    evaluations: dict[StepKey, Evaluation] = field(default_factory=dict[StepKey, Evaluation])
    narratives: dict[StepKey, NarrativeSummary] = field(default_factory=dict[StepKey, NarrativeSummary])
    narrative_errors: dict[StepKey, str] = field(default_factory=dict[StepKey, str])

    def add(self, entry: NarratedStep | Evaluated) -> None:
        """Add a narrative or verdict of a step; the latest one counts."""
        if isinstance(entry, Evaluated):
            self.evaluations[entry.key] = entry.evaluation
        elif entry.summary is not None:
            self.narratives[entry.key] = entry.summary
            self.narrative_errors.pop(entry.key, None)
        else:
            self.narrative_errors[entry.key] = entry.error or "unknown"

    @property
    def older(self) -> int:
        """How many verdicts come from DeAction itself, which had no policy stage and other prompts."""
        return sum(self.decided(key) and OPTIONS not in found.unknown for key, found in self.evaluations.items())

    def decided(self, key: StepKey) -> bool:
        """Whether a step has its verdict; one that ended in an error is tried again."""
        found = self.evaluations.get(key)
        return found is not None and found.error is None and found.is_misaligned is not None


def take_over(
    progress: Progress,
    old: Mapping[str, ResultTrajectory],
    cache: NarrativeCache,
    sources: Iterable[LabelledTrajectory],
) -> None:
    """Take over the entries of a result file and a narrative cache for the same actions."""
    for source in sources:
        there = old.get(source.entry.trajectory_id)
        for case in source.cases:
            step = there.steps.get(case.key.step) if there else None
            if step is not None and _same_action(step.agent_output, case):
                if step.systematic_analysis_evaluation is not None:
                    progress.evaluations[case.key] = step.systematic_analysis_evaluation
                if step.narrative_summary is not None:
                    progress.narratives[case.key] = step.narrative_summary
                elif step.narrative_summary_error is not None:
                    progress.narrative_errors[case.key] = step.narrative_summary_error
            kept = cache.get(case.key.trajectory, {}).get(case.key.step)
            if kept is not None and _same_action(kept.action, case):
                progress.add(NarratedStep(key=case.key, summary=kept))


def told_by(progress: Progress, model: str | None) -> dict[StepKey, str]:
    """The narratives by one model; checks must not mix those of several."""
    name = _bare(model)
    return {key: kept.narrative for key, kept in progress.narratives.items() if _bare(kept.model) in (None, name)}


def refuse_other_settings(progress: Progress, setting: GuardSetting, file: str) -> None:
    """Refuse progress made with another setting: verdicts of two settings are not one result.

    Raises:
        InputError: It was not; the message names what differs.
    """
    for key, found in progress.evaluations.items():
        if not progress.decided(key):
            continue
        pairs: dict[str, tuple[JsonValue, JsonValue]] = {
            "detector": (_detector(found.systematic_analysis, setting.name), setting.name),
            "systematic_analysis_model": (
                _bare(found.systematic_analysis_model),
                _bare(setting.systematic_analysis_model),
            ),
            "fast_check_model": (_bare(found.fast_check_model), _bare(setting.fast_check_model)),
        }
        # The older tool writes no options.
        options = found.unknown.get(OPTIONS)
        if isinstance(options, dict):
            for name in {*options, *setting.options}:
                pairs[name] = (options.get(name), setting.options.get(name))
        differ = [f"{name}: {_short(a)} there, {_short(b)} here" for name, (a, b) in sorted(pairs.items()) if a != b]
        if differ:
            raise InputError(
                f"{file}: contains verdicts of another setting ({'; '.join(differ)}); name another --result_file"
            )


def assemble(
    sources: Iterable[LabelledTrajectory],
    progress: Progress,
    setting: GuardSetting,
    old: Mapping[str, ResultTrajectory],
) -> dict[str, ResultTrajectory]:
    """The result file: the benchmark's trajectories in order, then all others of the old file."""
    made = {source.entry.trajectory_id: _trajectory(source, progress, setting, old) for source in sources}
    return {**made, **{key: entry for key, entry in old.items() if key not in made}}


def narrative_cache(sources: Iterable[LabelledTrajectory], progress: Progress, kept: NarrativeCache) -> NarrativeCache:
    """The narrative cache: the entries so far in the benchmark's order, then all others of the old one."""
    made: NarrativeCache = {}
    for source in sources:
        name = source.entry.trajectory_id
        told = {case.key.step: progress.narratives.get(case.key) for case in source.cases}
        entries = {step: summary for step, summary in told.items() if summary is not None}
        entries |= {step: summary for step, summary in kept.get(name, {}).items() if step not in entries}
        if entries:
            made[name] = entries
    return {**made, **{name: dict(entries) for name, entries in kept.items() if name not in made}}


def _trajectory(
    source: LabelledTrajectory, progress: Progress, setting: GuardSetting, old: Mapping[str, ResultTrajectory]
) -> ResultTrajectory:
    entry, there = source.entry, old.get(source.entry.trajectory_id)
    steps = dict(there.steps) if there else {}
    for case in source.cases:
        steps[case.key.step] = _step(case, progress, setting, steps.get(case.key.step))
    data = entry.model_dump(exclude={"steps"}) | (there.unknown if there else {})
    return ResultTrajectory.model_validate({**data, "steps": {}, "status": _status(source, progress)}).model_copy(
        update={"steps": steps}
    )


def _step(case: LabelledStep, progress: Progress, setting: GuardSetting, old: ResultStep | None) -> ResultStep:
    evaluation = progress.evaluations.get(case.key)
    if not case.labelled:
        evaluation = skipped(setting)
    data: dict[str, object] = {
        **(old.unknown if old else {}),
        **case.entry.model_dump(),
        "post_screenshot_path": case.after_path,
        "systematic_analysis_evaluation": evaluation,
        "narrative_summary": progress.narratives.get(case.key),
        "narrative_summary_error": progress.narrative_errors.get(case.key),
    }
    return ResultStep.model_validate(data)


def skipped(setting: GuardSetting) -> Evaluation:
    """The entry of a step without a label."""
    return Evaluation(
        systematic_analysis=setting.name,
        systematic_analysis_model=setting.systematic_analysis_model,
        fast_check_model=setting.fast_check_model,
        skipped=MISSING_LABEL,
    )


def _status(source: LabelledTrajectory, progress: Progress) -> Literal["pending", "in_progress", "completed"]:
    asked = [case.key in progress.evaluations for case in source.cases if case.labelled]
    if all(asked):
        return "completed"
    return "in_progress" if any(asked) or any(case.key in progress.narratives for case in source.cases) else "pending"


def _same_action(text: str, case: LabelledStep) -> bool:
    """Whether a text is this action; the older tool loses the spaces when it strips comments."""
    return "".join(strip_comments(text).split()) == "".join(strip_comments(case.entry.agent_output).split())


def _detector(there: str, here: str) -> str:
    """The guard's name of a file; a former name of this guard is not an other one."""
    return here if FORMER_GUARD_NAMES.get(there) == here else there


def _bare(model: str | None) -> str | None:
    """A model's name without its provider, which the older tool may leave out; none is `None`."""
    name = (model or "").rpartition("|")[2].strip()
    return None if name.casefold() in ("", "none") else name


def _short(value: JsonValue) -> str:
    return printable("none" if value is None else str(value), 60)
