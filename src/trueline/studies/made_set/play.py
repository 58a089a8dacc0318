"""Plays the episodes that a set is made of, as resumable batches of ordinary episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trueline.errors import InputError
from trueline.records import claim_setting
from trueline.records.setting import EpisodeLimits, Setting
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.batch.types import BatchOptions, Job, Report
from trueline.runs.build import RunConfig, make_job, why_unsupported
from trueline.runs.desktops import Chosen, choose_desktops
from trueline.runs.request import RunRequest
from trueline.runs.request_tasks import open_downloads, selection_of, suite_of
from trueline.studies.made_set.trials import SetCondition, SetTrial, set_trials
from trueline.tasks.selection import select
from trueline.tasks.suite import Suite

_LIMITS = EpisodeLimits(max_steps=60, timeout=600)


@dataclass(frozen=True)
class PlayedSet:
    """What came of playing."""

    episodes: int
    not_run: int = 0
    stopped: str = ""
    """Why it stopped early; empty if it finished."""


async def play_set(
    request: RunRequest, conditions: Sequence[SetCondition], repeats: int, folder: Path, report: Report
) -> PlayedSet:
    """Play what is missing, condition by condition. Call it again with the same arguments to resume.

    Args:
        request: Which tasks, desktops and seed; its agent and attack are not used.
        conditions: Wordings and looks.
        repeats: How often everything is played in each condition.
        folder: Takes a folder of runs for each condition.
        report: Told after each episode.

    Raises:
        InputError: No task can be played, or the folder holds runs of another seed or version.
    """
    suite = suite_of(request)
    tasks = select(suite, selection_of(request)).whole()
    episodes = 0
    for condition in conditions:
        chosen = await choose_desktops(request.model_copy(update={"perturbations": condition.perturbation}))
        possible = set_trials(tasks, condition, repeats)
        trials = [trial for trial in possible if not why_unsupported(trial.planned, chosen.facilities)]
        if not trials:
            continue
        result_dir = folder / condition.folder
        jobs = [_job(trial, condition, chosen, suite, request, result_dir) for trial in trials]
        options = BatchOptions(result_dir, request.num_envs, chosen.ahead)
        result = await run_batch(jobs, chosen.open, options, report)
        episodes += len(result.records)
        if result.stopped:
            return PlayedSet(episodes, len(result.not_run), result.stopped)
    if not episodes:
        raise InputError("none of the selected tasks has a script that a simulated subject can play; select others")
    return PlayedSet(episodes)


def _job(
    trial: SetTrial, condition: SetCondition, chosen: Chosen, suite: Suite, request: RunRequest, result_dir: Path
) -> Job:
    setting = Setting(
        agent=trial.maker.name,
        observation_type="a11y_tree",
        perturbation=None if chosen.perturbation is None else chosen.perturbation.label,
        instruction=condition.instruction,
        limits=_LIMITS,
        environment=chosen.environment,
    )
    run = RunConfig(
        suite=suite.name,
        setting=setting,
        agent=trial.maker,
        downloads=open_downloads(request),
        assets=suite.assets,
        seed=request.seed,
        screen=request.screen,
        about={} if chosen.perturbation is None else {"perturbation": chosen.perturbation.model_dump(mode="json")},
    )
    job = make_job(run, trial.planned)
    claim_setting(result_dir / job.location.model_folder, setting, result_dir=result_dir, drawn={"seed": request.seed})
    return job
