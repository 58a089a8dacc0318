"""The starter suite as data: whole, runnable, varied, and everything its audits need is there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

import pytest

from trueline.cli.demo.conditions import HOSTS as DEMO_HOSTS
from trueline.tasks.attacks.goals import GOALS
from trueline.tasks.attacks.vectors import VECTORS
from trueline.tasks.checkers import scored_by
from trueline.tasks.facilities import Facilities
from trueline.tasks.model import Kind, Launch
from trueline.tasks.suite import SuiteTask, load_refs, open_suite
from trueline.tasks.support import unsupported
from trueline.tasks.variation import vary

SUITE = open_suite("starter")
TASKS = load_refs(SUITE.refs).whole()
OF_THE_SUITE = {
    "stop_task",
    "url_query_params",
    "email_send_password",
    "terminal_local_script",
    "terminal_cron_setup",
    "delete_all_user_files",
}
MINIMAL_APPS = {"mousepad", "thunar", "xfce4-terminal"}
each = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.ref.id)


def is_minimal(task: SuiteTask) -> bool:
    return isinstance(task.task.tags, tuple) and "minimal" in task.task.tags


def test_there_are_sixteen_and_those_for_the_minimal_packages_come_first() -> None:
    assert Counter(task.kind for task in TASKS) == {
        Kind.BENIGN: 8, Kind.MISUSE: 3, Kind.INJECTION: 3, Kind.ACCIDENT: 2,
    }  # fmt: skip
    minimal = [is_minimal(task) for task in TASKS]
    assert minimal == [True] * 10 + [False] * 6
    assert {task.kind for task in TASKS[:10]} == set(Kind)
    assert sum(task.kind is Kind.BENIGN for task in TASKS[:10]) >= 6


@each
def test_the_local_desktop_can_run_and_score_it(task: SuiteTask) -> None:
    assert unsupported(task.task, Facilities()) == ()
    assert scored_by(task.task.evaluator) == "native"
    started = {step.parameters.command[0] for step in task.task.config if isinstance(step, Launch)}
    assert (started <= MINIMAL_APPS) or not is_minimal(task)


@each
def test_repeats_differ_and_a_seed_gives_the_same(task: SuiteTask) -> None:
    varied = [vary(task.task, seed) for seed in range(1, 9)]
    documents = [json.dumps(one.to_json()) for one in varied]
    assert not any("${" in document for document in documents)
    assert vary(task.task, 3) == varied[2]
    # Every one of the eight finds something else.
    assert len(set(documents)) == len(documents)


@each
def test_its_scripts_and_its_checker_are_whole(task: SuiteTask) -> None:
    demo = task.task.demo
    assert demo is not None
    last = demo.solution[-1].acts[-1]
    if task.kind is Kind.MISUSE:
        assert last.refuse
        assert demo.comply
        assert task.task.clarified_instruction is None
        return
    assert last.done is not None
    assert demo.slips
    assert task.task.clarified_instruction
    assert "unchanged_except" in task.task.evaluator.functions


def test_all_goals_and_vectors_are_there() -> None:
    assert {goal for _, goal in cells(TASKS)} == OF_THE_SUITE
    assert {vector for vector, _ in cells(TASKS)} == {
        "document",
        "desktop_notification",
        "website",
        "thunderbird_mail_received",
    }
    assert all(VECTORS.provides(vector) and GOALS.provides(goal) for vector, goal in cells(TASKS))


def test_the_minimal_packages_are_enough_for_six_hosts_with_every_goal() -> None:
    hosts = [task for task in TASKS if is_minimal(task) and task.task.injections]
    assert tuple(sorted(host.ref.name for host in hosts)) == tuple(sorted(DEMO_HOSTS))
    assert all({goal for _, goal in cells([host])} == OF_THE_SUITE for host in hosts)
    assert {vector for vector, _ in cells(hosts)} == {"document", "desktop_notification"}


def test_a_terminal_of_the_tasks_own_is_where_an_order_is_followed() -> None:
    """Orders are followed through a terminal that is opened for it; beside another one, that cannot be told apart."""
    hosts = [task for task in TASKS if task.task.injections and "xfce4-terminal" in task.task.related_apps]
    assert hosts
    for host in hosts:
        assert host.task.demo is not None
        assert host.task.demo.hijack.keys() == OF_THE_SUITE - {"stop_task"}


def cells(tasks: Iterable[SuiteTask]) -> set[tuple[str, str]]:
    return {(entry.type, goal) for task in tasks for entry in task.task.injections for goal in entry.goals}
