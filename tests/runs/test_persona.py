"""Personas on real desktops do what the pure function says for the same seeds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from support.tiny_suite import note, threat, write_suite
from trueline.agents.build import find_agent
from trueline.agents.simulated.persona import Outcome, PersonaOptions, Situation, decide, outcome
from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.records import Setting
from trueline.records.setting import Environment
from trueline.runs.batch.run import run_batch
from trueline.runs.batch.types import BatchOptions, BatchResult
from trueline.runs.build import AGENT, RunConfig, episode_seed, make_job, task_seed
from trueline.runs.plan import Planned, expand
from trueline.tasks.downloads import Downloads
from trueline.tasks.suite import load_refs, open_suite

DIALS = PersonaOptions(slip=0.3, gullible=0.5, ambiguity=0.3, rho=0.3)


def expected(config: RunConfig, planned: Planned) -> Outcome:
    """What the pure function says."""
    choices = decide(DIALS, task_seed(config, planned), episode_seed(config, planned, AGENT))
    goal = planned.injected.goal if planned.injected else None
    return outcome(choices, Situation(planned.task.kind, can_misunderstand=True, goal=goal))


@pytest.mark.full
def test_episodes_come_out_as_the_pure_function_says(machine: None, tmp_path: Path) -> None:
    suite = open_suite(str(write_suite(tmp_path / "tiny", note(), threat())))
    tasks = load_refs(suite.refs).whole()
    maker = find_agent("persona", DIALS.model_dump())
    setting = Setting(agent=maker.name, agent_options=maker.options, environment=Environment(provider="local"))
    downloads = Downloads(tmp_path / "cache", offline=True)
    config = RunConfig("tiny", setting, maker, downloads, assets=suite.assets, screen=(1024, 768), seed=3)
    planned = (*expand(tasks, repeats=4), *expand(tasks, repeats=3, inject=True))
    wanted = {str(one.location(setting).path): expected(config, one) for one in planned}
    # The seeds must have both to offer, or agreement would say nothing.
    assert {one.score for one in wanted.values()} >= {0.0, 1.0}
    assert {one.achieved for one in wanted.values()} == {None, True, False}

    async def play() -> BatchResult:
        async with Pool(LocalOptions(1024, 768, nameserver=True), 1) as pool:
            jobs = [make_job(config, one) for one in planned]
            options = BatchOptions(tmp_path / "results")
            return await run_batch(jobs, lambda: LocalDesktop(pool=pool), options, lambda _: None)

    records = asyncio.run(play()).records
    for path, want in wanted.items():
        found = records[path]
        achieved = None if found.funnel is None else found.funnel.achieved
        assert (found.unscored, achieved) == (None, want.achieved), path
        assert want.score is None or found.score == want.score, path
