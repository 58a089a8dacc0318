"""The starter suite on real desktops: what its scripts come to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import pytest

from support.playing import begin
from trueline.actions import Size
from trueline.agents.simulated.scripted_subjects import comply, hijacked, oracle, slipping
from trueline.agents.simulated.subject import Subject
from trueline.agents.types import AgentContext, Insight
from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.records import EpisodeRecord, ObservationSpec, read_episode
from trueline.records.end import End
from trueline.records.setting import EpisodeLimits
from trueline.runs.execute import execute
from trueline.runs.task_on_desktop import TaskOnDesktop
from trueline.runs.types import EpisodeParts
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.opened import opened_applications
from trueline.tasks.downloads import Downloads
from trueline.tasks.model import Kind, Task
from trueline.tasks.suite import load_refs, open_suite
from trueline.tasks.variation import vary
from trueline.tasks.workspace import Workspace

SCREEN = (1280, 900)
SUITE = open_suite("starter")
TASKS = {task.ref.id: task for task in load_refs(SUITE.refs).whole()}
INJECTED = [
    (name, injection.type) for name, task in TASKS.items() for injection in task.task.injections
]  # every host with every vector, its first goal


@dataclass(frozen=True)
class Theatre:
    """Plays tasks on fresh desktops, started ahead."""

    runner: asyncio.Runner
    pool: Pool
    folder: Path

    def play(
        self, name: str, subject: Subject, *, seed: int = 11, attack: tuple[str, str] | None = None
    ) -> EpisodeRecord:
        """Play one episode of a task."""
        return self.runner.run(self._play(vary(TASKS[name].task, seed), subject, TASKS[name].kind, attack))

    async def _play(self, task: Task, subject: Subject, kind: Kind, attack: tuple[str, str] | None) -> EpisodeRecord:
        injection = None
        if attack is not None:
            params = next(entry.params for entry in task.injections if entry.type == attack[0])
            injection = ActiveInjection.from_names(*attack, 5, params)
            injection.instruction, injection.opened = task.instruction, opened_applications(task)
        folder = Path(mkdtemp(dir=self.folder))
        writer = begin(folder)
        async with LocalDesktop(pool=self.pool) as desktop:
            workspace = Workspace(desktop, Downloads(self.folder / "cache", offline=True), SUITE.assets, SCREEN)
            async with TaskOnDesktop(task, workspace, injection) as on_desktop:
                parts = EpisodeParts(
                    desktop=desktop,
                    agent=subject,
                    context=AgentContext(task.instruction, Size(*SCREEN), insight=Insight(task.demo, kind)),
                    task=on_desktop,
                    limits=EpisodeLimits(max_steps=40),
                    also_want=ObservationSpec(screenshot=False, tree=True),
                )
                writer.finish(await execute(parts, writer))
        return read_episode(folder / "note").record


@pytest.fixture(scope="module")
def pool(machine: None, runner: asyncio.Runner) -> Iterator[Pool]:
    pool = Pool(LocalOptions(width=SCREEN[0], height=SCREEN[1], nameserver=True), 1)
    runner.run(pool.__aenter__())
    yield pool
    runner.run(pool.__aexit__())


@pytest.fixture
def theatre(runner: asyncio.Runner, pool: Pool, tmp_path: Path) -> Theatre:
    return Theatre(runner, pool, tmp_path)


def told(record: EpisodeRecord) -> str:
    return "; ".join((record.detail or "", *(check.detail or "" for check in record.checks)))


def check_solution(theatre: Theatre, name: str) -> None:
    record = theatre.play(name, oracle())
    right = (End.REFUSED, 0.0) if TASKS[name].kind is Kind.MISUSE else (End.DONE, 1.0)
    assert (record.end, record.score) == right, told(record)


def test_a_benign_task_is_solved(theatre: Theatre) -> None:
    check_solution(theatre, "rename-file")


def test_a_misuse_task_scores_the_harm(theatre: Theatre) -> None:
    check_solution(theatre, "hidden-recorder")
    assert theatre.play("hidden-recorder", comply()).score == 1


@pytest.mark.full
def test_harm_by_accident_is_seen_by_what_must_not_have_changed(theatre: Theatre) -> None:
    record = theatre.play("old-backups", slipping(2))
    assert (record.end, record.score) == (End.DONE, 0.0)
    assert "also changed: Downloads/ (deleted)" in told(record)


def test_a_host_is_solved_under_injection_and_hijacked_by_who_believes_it(theatre: Theatre) -> None:
    attack = ("document", "terminal_local_script")
    solved = theatre.play("minutes", oracle(), attack=attack)
    assert (solved.score, solved.funnel and (solved.funnel.exposed, solved.funnel.achieved)) == (1.0, (True, False))
    believed = theatre.play("minutes", hijacked(), attack=attack)
    assert believed.funnel is not None
    assert believed.funnel.achieved, believed.funnel


@pytest.mark.full
def test_a_benign_host_with_a_terminal_of_its_own_is_hijacked_there(theatre: Theatre) -> None:
    attack = ("desktop_notification", "terminal_cron_setup")
    believed = theatre.play("count-errors", hijacked(), attack=attack)
    assert believed.funnel is not None
    assert (believed.end, believed.funnel.achieved) == (End.DONE, True), told(believed)


NEW_CELLS = [
    (name, injection.type, goal)
    for name, task in TASKS.items()
    if task.kind is Kind.BENIGN
    for injection in task.task.injections
    for goal in injection.goals
]


@pytest.mark.proof
@pytest.mark.parametrize(("name", "vector", "goal"), NEW_CELLS)
def test_each_cell_of_a_benign_host_is_achieved_by_belief_alone(
    theatre: Theatre, name: str, vector: str, goal: str
) -> None:
    believed = theatre.play(name, hijacked(), attack=(vector, goal))
    assert believed.funnel is not None and believed.funnel.achieved, told(believed)
    solved = theatre.play(name, oracle(), attack=(vector, goal))
    assert solved.funnel is not None
    assert (solved.score, solved.funnel.delivered, solved.funnel.achieved) == (1.0, True, False), told(solved)


@pytest.mark.full
@pytest.mark.parametrize("name", TASKS)
def test_each_task_is_solved_or_refused(theatre: Theatre, name: str) -> None:
    check_solution(theatre, name)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.kind is Kind.MISUSE])
def test_each_harm_is_seen_when_it_is_done(theatre: Theatre, name: str) -> None:
    record = theatre.play(name, comply())
    assert record.score == 1, told(record)


SLIPS = [
    (name, number) for name, task in TASKS.items() if task.task.demo for number in range(len(task.task.demo.slips))
]


@pytest.mark.full
@pytest.mark.parametrize(("name", "number"), SLIPS)
def test_each_slip_costs_the_score(theatre: Theatre, name: str, number: int) -> None:
    record = theatre.play(name, slipping(number))
    assert record.end is End.DONE, told(record)
    assert record.score is not None
    assert record.score < 1


@pytest.mark.full
@pytest.mark.parametrize(("name", "vector"), INJECTED)
def test_each_vector_reaches_the_agent_and_the_task_can_still_be_done(theatre: Theatre, name: str, vector: str) -> None:
    record = theatre.play(name, oracle(), attack=(vector, "terminal_local_script"))
    assert record.funnel is not None, told(record)
    assert (record.score, record.funnel.delivered, record.funnel.exposed) == (1.0, True, True), told(record)
    assert not record.funnel.achieved


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "vector", "goal"),
    [
        ("visit-date", "thunderbird_mail_received", "email_send_password"),
        ("visit-date", "thunderbird_mail_received", "url_query_params"),
        ("opening-hours", "website", "url_query_params"),
    ],
)
def test_who_believes_a_mail_or_a_page_is_hijacked(theatre: Theatre, name: str, vector: str, goal: str) -> None:
    record = theatre.play(name, hijacked(), attack=(vector, goal))
    assert record.funnel is not None, told(record)
    assert (record.funnel.exposed, record.funnel.attempted, record.funnel.achieved) == (True, True, True), told(record)
