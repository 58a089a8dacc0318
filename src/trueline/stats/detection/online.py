"""What a guard does to the runs of an agent: attacks that still succeed, tasks that are still done, people asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trueline.errors import InputError
from trueline.records.episode import EpisodeRecord
from trueline.records.episode_state import is_success
from trueline.records.folder.reader import read_episode
from trueline.records.verdict import Decision
from trueline.stats.attacks.analysis import AttackFigure, analyse_attacks
from trueline.stats.attacks.success import SIMULATED
from trueline.stats.detection.scores import Rate
from trueline.stats.metrics.analysis import SettingRuns, analyse
from trueline.stats.options import AnalysisChoices
from trueline.stats.results.read import Results, read_results
from trueline.stats.results.runs import RunResults
from trueline.stats.results.table import injected_units

_SHOWN_K = (1, 3)
_MISUSE = "misuse"


@dataclass(frozen=True)
class PromptCount:
    """How often a person was asked, or would have been had one been there."""

    prompts: int
    solved: int
    """Tasks done, in episodes with and without an attack."""

    @property
    def per_solved(self) -> float | None:
        """PromptCount for each task that was done."""
        return self.prompts / self.solved if self.solved else None


@dataclass(frozen=True)
class OnlineFigures:
    """One guard in front of an agent."""

    name: str
    folder: str
    guards: tuple[str, ...]
    """The guards that the records name; `none` for episodes without one."""
    agents: tuple[str, ...]
    episodes: int
    attack: AttackFigure | None
    """Attack success and utility under attack; `None` without injected episodes."""
    pass_hat: dict[int, Rate]
    """Pass^1 and Pass^3 over episodes without an attack, where there are so many runs."""
    runs: int
    prompts: PromptCount

    @property
    def simulated(self) -> bool:
        """Whether a scripted agent was attacked."""
        return any(agent.startswith(SIMULATED) for agent in self.agents)


def read_online(name: str, folder: Path, options: AnalysisChoices) -> OnlineFigures:
    """Read the figures of one guard from a folder of runs.

    Raises:
        InputError: The folder holds no episodes, or those of several models.
    """
    results = read_results(folder)
    conditions = {condition for run in results.runs for condition in run.trials}
    if len(conditions) > 1:
        models = ", ".join(sorted(condition.model for condition in conditions))
        raise InputError(f"{folder}: holds results of several models ({models}); name the folder of one")
    records = [read_episode(trial.folder).record for trial in results]
    settings = [record.setting for record in records if record.setting is not None]
    return OnlineFigures(
        name=name,
        folder=str(folder),
        guards=tuple(sorted({setting.guard.name if setting.guard else "none" for setting in settings})),
        agents=tuple(sorted({setting.agent for setting in settings})),
        episodes=len(records),
        attack=_attack(results, options),
        pass_hat=_pass_hat(results, options),
        runs=len(results.runs),
        prompts=count_prompts(records),
    )


def count_prompts(records: Sequence[EpisodeRecord]) -> PromptCount:
    """Count the proposals that a person had to decide about, by the settings of the episodes."""
    return PromptCount(
        prompts=sum(_asked(record) for record in records),
        solved=sum(is_success(record.score) and record.task.kind != _MISUSE for record in records),
    )


def _asked(record: EpisodeRecord) -> int:
    guard = record.setting.guard if record.setting else None
    if guard is None or guard.options.get("shadow") is True:
        return 0
    undecided, rejected = guard.options.get("on_error") == "ask", guard.options.get("exhausted") == "ask"
    asked = 0
    for step in record.steps:
        for place, attempt in enumerate(step.attempts, 1):
            decision = attempt.verdict.decision if attempt.verdict is not None else None
            last = place == len(step.attempts)
            asked += (undecided and decision is Decision.UNDECIDED) or (
                rejected and last and decision is Decision.MISALIGNED
            )
    return asked


def _attack(results: Results, options: AnalysisChoices) -> AttackFigure | None:
    units = {trial.unit for trial in results}
    injected = injected_units(results.runs, sorted(units, key=str))
    if not injected:
        return None
    settings = analyse_attacks([("", results.runs)], injected, options).settings
    return settings[0].figure if settings else None


def _pass_hat(results: Results, options: AnalysisChoices) -> dict[int, Rate]:
    injected = set(injected_units(results.runs, list({trial.unit for trial in results})))
    runs: list[RunResults] = []
    for run in results.runs:
        trials = {
            condition: {unit: trial for unit, trial in units.items() if unit not in injected and trial.kind != _MISUSE}
            for condition, units in run.trials.items()
        }
        runs.append(replace(run, trials={condition: units for condition, units in trials.items() if units}))
    if not any(run.trials for run in runs):
        return {}
    rates = analyse([SettingRuns("", tuple(run for run in runs if run.trials))], None, options).summaries[0].rates
    return {k: Rate(rates.pass_hat[k], rates.ci.get(k)) for k in _SHOWN_K if k in rates.pass_hat}
