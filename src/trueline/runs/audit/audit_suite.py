"""Runs the trials of an audit as one resumable batch, and sums up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from trueline.agents.registry import SIMULATED, AgentMaker, find_agent
from trueline.agents.simulated.scripted_subjects import slipping
from trueline.errors import InputError
from trueline.records import claim_setting
from trueline.records.episode import EpisodeRecord
from trueline.records.episode_state import is_success
from trueline.records.observation import sha256
from trueline.records.setting import Environment, EpisodeLimits, Setting
from trueline.runs.audit.trials import (
    NOOP,
    ORACLE,
    REPLAY,
    SLIP,
    AuditTrial,
    can_replay,
    repeat_for_replay,
    trials_of,
    verdict,
)
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.batch.types import BatchOptions, Job, OpenDesktop, Report
from trueline.runs.build import VARIATION, RunConfig, episode_seed, make_job, why_unsupported
from trueline.runs.plan import Planned
from trueline.tasks.downloads import Downloads
from trueline.tasks.facilities import Facilities
from trueline.tasks.suite import SuiteTask
from trueline.tasks.variation import drawn

_LIMITS = EpisodeLimits(max_steps=60, timeout=600)
_NOOP_LIMITS = EpisodeLimits(max_steps=3, timeout=600)
"""Limits of the subject that does nothing: more time would change nothing."""


@dataclass(frozen=True)
class AuditConfig:
    """The options of an audit."""

    suite: str
    environment: Environment
    downloads: Downloads
    assets: tuple[Path, ...] = ()
    seed: int = 0
    screen: tuple[int, int] = (1920, 1080)
    facilities: Facilities = field(default_factory=Facilities)


@dataclass(frozen=True)
class AuditFinding:
    """Something about one task."""

    task: str
    why: str
    subject: str | None = None
    vector: str | None = None
    goal: str | None = None


@dataclass(frozen=True)
class Audit:
    """The result of the audit of a suite."""

    tasks: int
    oracle_failed: tuple[AuditFinding, ...]
    """Tasks that the reference solution does not solve, or harmful ones that were not refused."""
    passed_by_others: tuple[AuditFinding, ...]
    """Tasks that pass without being done."""
    harm_missed: tuple[AuditFinding, ...]
    """Tasks where harm was done and not detected."""
    harm_false: tuple[AuditFinding, ...]
    """Tasks where harm was detected and not done."""
    unsupported: tuple[AuditFinding, ...]
    """Trials that could not be run."""

    @property
    def sound(self) -> bool:
        """Whether no trial that could be run found anything wrong."""
        return not (self.oracle_failed or self.passed_by_others or self.harm_missed or self.harm_false)


async def audit(
    tasks: Sequence[SuiteTask], config: AuditConfig, open_desktop: OpenDesktop, options: BatchOptions, report: Report
) -> Audit:
    """Run all trials of each task. Call it again with the same result folder to resume.

    Raises:
        InputError: The result folder holds trials of other versions of the tasks.
    """
    unsupported = [AuditFinding(task.ref.name, "has no demo") for task in tasks if task.task.demo is None]
    trials: list[AuditTrial] = []
    for trial in (trial for task in tasks for trial in trials_of(task)):
        why = why_unsupported(trial.planned, config.facilities)
        if why:
            unsupported.append(_finding(trial, why, name=False))
        else:
            trials.append(trial)
    batch = _Batch(config, open_desktop, options, report)
    first = await batch.play([(trial, _maker(trial)) for trial in trials])
    second = await batch.play([_replay_of(trial, batch) for trial, record in first if _is_solved(trial, record)])
    found: dict[str, list[AuditFinding]] = {}
    for trial, record in (*first, *second):
        wrong = verdict(trial, record)
        if wrong is not None:
            found.setdefault(wrong[0], []).append(_finding(trial, wrong[1]))
    return Audit(
        tasks=len(tasks),
        oracle_failed=tuple(found.get("oracle_failed", ())),
        passed_by_others=tuple(found.get("passed_by_others", ())),
        harm_missed=tuple(found.get("harm_missed", ())),
        harm_false=tuple(found.get("harm_false", ())),
        unsupported=tuple(dict.fromkeys(unsupported)),
    )


@dataclass(frozen=True)
class _Batch:
    """What all trials share."""

    config: AuditConfig
    open_desktop: OpenDesktop
    options: BatchOptions
    report: Report

    async def play(self, trials: Sequence[tuple[AuditTrial, AgentMaker]]) -> list[tuple[AuditTrial, EpisodeRecord]]:
        """Run the trials that are not done yet; return all trials with their records."""
        jobs = [_job(self.config, trial, maker, self.options.result_dir) for trial, maker in trials]
        result = await run_batch(jobs, self.open_desktop, self.options, self.report)
        played: list[tuple[AuditTrial, EpisodeRecord]] = []
        for (trial, _), job in zip(trials, jobs, strict=True):
            record, task = result.records.get(str(job.path)), trial.planned.task
            if record is None or record.task.digest != sha256(task.task.definition_json().encode()):
                folder = self.options.result_dir
                raise InputError(
                    f"--result_dir {folder}: holds trials of another version of {task.ref.name}; name another folder"
                )
            played.append((trial, record))
        return played


def _maker(trial: AuditTrial) -> AgentMaker:
    if trial.subject == SLIP:
        number = trial.slip
        return AgentMaker(f"{SIMULATED}{trial.name}", lambda: slipping(number), simulated=True)
    return find_agent(trial.subject)


def _run(config: AuditConfig, subject: str, maker: AgentMaker) -> RunConfig:
    setting = Setting(
        agent=maker.name,
        observation_type="a11y_tree",
        limits=_NOOP_LIMITS if subject == NOOP else _LIMITS,
        environment=config.environment,
    )
    return RunConfig(
        suite=config.suite,
        setting=setting,
        agent=maker,
        downloads=config.downloads,
        assets=config.assets,
        seed=config.seed,
        screen=config.screen,
        facilities=config.facilities,
    )


def _job(config: AuditConfig, trial: AuditTrial, maker: AgentMaker, result_dir: Path) -> Job:
    run = _run(config, trial.subject, maker)
    job = make_job(run, trial.planned)
    claim_setting(result_dir / job.location.model_folder, run.setting, result_dir=result_dir)
    return job


def _is_solved(trial: AuditTrial, record: EpisodeRecord) -> bool:
    plain = trial.subject == ORACLE and trial.planned.injected is None
    return plain and is_success(record.score) and can_replay(trial.planned.task)


def _replay_of(oracle: AuditTrial, batch: _Batch) -> tuple[AuditTrial, AgentMaker]:
    """A subject that repeats what the oracle did, in another repeat of the task."""
    task = oracle.planned.task
    run = _run(batch.config, ORACLE, _maker(oracle))
    folder = batch.options.result_dir / oracle.planned.location(run.setting).path
    maker = find_agent(f"{REPLAY}:{folder}")
    replaying = _run(batch.config, REPLAY, maker)
    before = drawn(task.task, episode_seed(run, oracle.planned, VARIATION))

    def now(repeat: int) -> dict[str, JsonValue]:
        return drawn(task.task, episode_seed(replaying, Planned(task, repeat=repeat), VARIATION))

    return AuditTrial(REPLAY, Planned(task, repeat=repeat_for_replay(task.task, before, now))), maker


def _finding(trial: AuditTrial, why: str, *, name: bool = True) -> AuditFinding:
    injected = trial.planned.injected
    return AuditFinding(
        task=trial.planned.task.ref.name,
        why=why,
        subject=trial.name if name else None,
        vector=injected.vector if injected else None,
        goal=injected.goal if injected else None,
    )
