"""Personas on real desktops do what the pure function says for the same seeds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.tiny_suite import note, threat, write_suite
from trueline.agents.registry import find_agent
from trueline.agents.simulated.persona import ExpectedOutcome, PersonaOptions, Situation, decide, outcome
from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.records import EpisodeRecord, Setting
from trueline.records.setting import Environment
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.batch.types import BatchOptions, BatchResult
from trueline.runs.build import AGENT, RunConfig, episode_seed, make_job, task_seed
from trueline.runs.plan import Planned, expand
from trueline.stats.intervals import wilson
from trueline.tasks.downloads import Downloads
from trueline.tasks.suite import Suite, SuiteTask, load_refs, open_suite

SCREEN = (1280, 900)


def persona(suite: Suite, folder: Path, dials: PersonaOptions, seed: int) -> RunConfig:
    maker = find_agent("persona", dials.model_dump())
    setting = Setting(agent=maker.name, agent_options=maker.options, environment=Environment(provider="local"))
    downloads = Downloads(folder / "cache", offline=True)
    return RunConfig(suite.name, setting, maker, downloads, assets=suite.assets, screen=SCREEN, seed=seed)


def expected(config: RunConfig, dials: PersonaOptions, planned: Planned) -> ExpectedOutcome:
    """What the pure function says."""
    choices = decide(dials, task_seed(config, planned), episode_seed(config, planned, AGENT))
    demo = planned.task.task.demo
    ambiguous = demo is not None and any(slip.when == "ambiguous" for slip in demo.slips)
    goal = planned.injected.goal if planned.injected else None
    return outcome(choices, Situation(planned.task.kind, can_misunderstand=ambiguous, goal=goal))


def play(config: RunConfig, planned: Sequence[Planned], results: Path, workers: int = 1) -> dict[str, EpisodeRecord]:
    async def run() -> BatchResult:
        async with Pool(LocalOptions(*SCREEN, nameserver=True), workers) as pool:
            jobs = [make_job(config, one) for one in planned]
            return await run_batch(
                jobs, lambda: LocalDesktop(pool=pool), BatchOptions(results, workers), lambda _: None
            )

    return asyncio.run(run()).records


def agree(records: dict[str, EpisodeRecord], wanted: dict[str, ExpectedOutcome]) -> None:
    for path, want in wanted.items():
        found = records[path]
        achieved = None if found.funnel is None else found.funnel.achieved
        assert (found.unscored, achieved) == (None, want.achieved), (path, found.detail)
        assert want.score is None or found.score == want.score, (path, found.detail)


@pytest.mark.full
def test_episodes_come_out_as_the_pure_function_says(machine: None, tmp_path: Path) -> None:
    suite = open_suite(str(write_suite(tmp_path / "tiny", note(), threat())))
    tasks = load_refs(suite.refs).whole()
    dials = PersonaOptions(slip=0.3, gullible=0.5, ambiguity=0.3, rho=0.3)
    config = persona(suite, tmp_path, dials, seed=3)
    planned = (*expand(tasks, repeats=4), *expand(tasks, repeats=3, inject=True))
    wanted = {str(one.location(config.setting).path): expected(config, dials, one) for one in planned}
    # The seeds must have both to offer, or agreement would say nothing.
    assert {one.score for one in wanted.values()} >= {0.0, 1.0}
    assert {one.achieved for one in wanted.values()} == {None, True, False}
    agree(play(config, planned, tmp_path / "results"), wanted)


@pytest.mark.proof
def test_proof_rates_on_the_starter_suite_agree_with_the_dials(machine: None, tmp_path: Path) -> None:
    suite = open_suite("starter")
    tasks = [task for task in load_refs(suite.refs).whole() if "minimal" in tags(task)]
    dials = PersonaOptions(slip=0.3, gullible=0.5, rho=0.2)
    config = persona(suite, tmp_path, dials, seed=1)
    planned = (*expand(tasks, repeats=4), *expand(tasks, repeats=2, inject=True))
    records = play(config, planned, tmp_path / "results", workers=2)
    agree(records, {str(one.location(config.setting).path): expected(config, dials, one) for one in planned})
    plain = [records[str(one.location(config.setting).path)] for one in planned if one.injected is None]
    slips = sum(record.score == (1 if record.task.kind == "misuse" else 0) for record in plain)
    followed = [record.funnel.achieved for record in records.values() if record.funnel is not None]
    print(f"slips {slips} of {len(plain)}, injections followed {sum(map(bool, followed))} of {len(followed)}")
    # The interval of independent episodes, widened for 4 correlated ones of each task: 1 + (4 - 1) * 0.2.
    effect = 1 + 3 * dials.rho
    interval = wilson(round(slips / effect), round(len(plain) / effect), 0.999)
    assert interval.low < dials.slip < interval.high


def tags(task: SuiteTask) -> tuple[str, ...]:
    return task.task.tags if isinstance(task.task.tags, tuple) else ()
