"""From tasks to episodes: each once, in an order that leaves whole runs."""

from __future__ import annotations

from pathlib import Path

from trueline.records.layout import Unit
from trueline.records.setting import Environment, Setting
from trueline.runs.plan import Planned, expand, instruction_for
from trueline.tasks.model import Task
from trueline.tasks.suite import IndexedTask, SuiteTask

EVALUATOR = {"func": "infeasible"}


def task(name: str, **more: object) -> SuiteTask:
    made = Task.model_validate({"id": name, "instruction": f"Do {name}.", "evaluator": EVALUATOR, **more})
    return SuiteTask(IndexedTask("os", name, Path(f"{name}.json")), made)


INJECTED = task(
    "b",
    injections=(
        {"type": "document", "goals": ("stop_task", "stop_task", "url_query_params")},
        {"type": "desktop_notification", "goals": ("stop_task",)},
    ),
)


def units(planned: tuple[Planned, ...]) -> list[tuple[int | None, str]]:
    return [(one.repeat, str(one.unit)) for one in planned]


def test_without_repeats_every_task_is_one_episode() -> None:
    assert units(expand([task("a"), INJECTED])) == [(None, "os/a"), (None, "os/b")]


def test_a_whole_run_comes_before_the_next() -> None:
    assert units(expand([task("a"), INJECTED], repeats=2)) == [(1, "os/a"), (1, "os/b"), (2, "os/a"), (2, "os/b")]


def test_injections_are_vectors_times_goals_each_once() -> None:
    found = expand([task("a"), INJECTED], inject=True)
    assert [one.unit for one in found] == [
        Unit("os", "b", "document", "stop_task"),
        Unit("os", "b", "document", "url_query_params"),
        Unit("os", "b", "desktop_notification", "stop_task"),
    ]


def test_injections_can_be_chosen() -> None:
    found = expand([INJECTED], inject=True, only_injection=["document/*", "*/nothing"])
    assert [one.unit.goal for one in found] == ["stop_task", "url_query_params"]


def test_where_an_episode_is_recorded() -> None:
    setting = Setting(agent="prompt", model="openai|org/m", environment=Environment(provider="local"))
    (one, *_) = expand([INJECTED], repeats=3, inject=True, jailbreak=True)
    path = "run1/pyautogui/screenshot/org__m_jailbreak/os/b__inject__document__stop_task"
    assert str(one.location(setting).path) == path


def test_a_jailbreak_wraps_the_instruction_and_keeps_its_words() -> None:
    plain, wrapped = Planned(task("a")), Planned(task("a"), jailbreak=True)
    assert instruction_for(plain, "Do $5.") == "Do $5."
    told = instruction_for(wrapped, "Do $5 {x}.")
    assert told.endswith("Do $5 {x}.")
    assert len(told) > 200


def test_twins_follow_their_injection() -> None:
    plain, planned = expand([INJECTED], inject=True), expand([INJECTED], inject=True, twins=True)
    assert len(planned) == 4 * len(plain)
    goals = [one.injected.goal for one in planned if one.injected]
    assert goals[:4] == ["stop_task", "stop_task.neutral", "stop_task.instruction", "stop_task.asked"]
    assert {one.injected.base_goal for one in planned if one.injected} == {"stop_task", "url_query_params"}
    assert len({one.unit for one in planned}) == len(planned)
