"""Metrics, getters, vectors, goals and setup steps of other packages: the examples of the docs, and what is refused."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from support.extend_page import blocks, section
from support.packages import install
from tasks.samples import task, write_suite
from trueline.actions import Done
from trueline.cli import main
from trueline.errors import InputError
from trueline.records import read_episode
from trueline.records.proposal import Proposal
from trueline.tasks.attacks.goals import GOALS
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.vectors import VECTORS
from trueline.tasks.checkers import scored_by
from trueline.tasks.checkers.getters import GETTERS
from trueline.tasks.checkers.isolated import compute_isolated
from trueline.tasks.checkers.metrics import METRICS
from trueline.tasks.errors import CheckerError
from trueline.tasks.facilities import Facilities
from trueline.tasks.loading import TaskFileError, parse_task
from trueline.tasks.setup_steps import SETUP_STEPS
from trueline.tasks.support import unsupported

BLOCKS = blocks(section("Checker", "Attack", "Setup step"))
CODE = {title: text for language, title, text in BLOCKS if language == "python"}
TASKS: dict[str, dict[str, JsonValue]] = {
    title.removesuffix(".json"): json.loads(text) for language, title, text in BLOCKS if language == "json"
}
KINDS = ("metrics", "getters", "vectors", "goals", "setup_steps")
RULE: dict[str, JsonValue] = {"type": "rule", "rules": {}}


def entry_points() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for _, title, text in BLOCKS:
        if title == "pyproject.toml":
            found |= tomllib.loads(text)["project"]["entry-points"]
    return found


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for packages, which a test puts on the search path once they are installed."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "packages"


@pytest.fixture
def examples(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The packages of the page, installed."""
    install(packages, "examples", entry_points(), CODE)
    monkeypatch.syspath_prepend(packages)
    return packages


def run(capsys: pytest.CaptureFixture[str], suite: Path, *words: str) -> Any:
    screen = ("--screen_width", "1024", "--screen_height", "768", "--progress", "none")
    code = main(["run", "--suite", str(suite), "--result_dir", "results", *words, *screen, "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def test_examples_of_checkers_and_setup_steps(
    machine: None, examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "suite", {"os": [TASKS["private-note"], TASKS["count-orders"]]})
    assert main(["tasks", "check", "--suite", str(suite), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["runnable"], found["scored_by"]["native"]) == (2, 2)
    done = run(capsys, suite, "--agent", "oracle")
    assert (done["episodes"], done["mean_score"]) == (2, 1.0)
    # What makes the difference is seen.
    note = json.loads(json.dumps(TASKS["private-note"]).replace("three four five", ""))
    done = run(capsys, write_suite(tmp_path / "other", {"os": [note]}), "--agent", "oracle", "--result_dir", "others")
    assert done["mean_score"] == pytest.approx((2 / 5 + 1) / 2)
    (record,) = Path("others").rglob("episode.json")
    assert "2 of 5 words" in record.read_text()


def test_example_of_an_attack(
    machine: None, examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "suite", {"os": [TASKS["disk-space"]]})
    run(capsys, suite, "--agent", "hijacked", "--inject")
    (folder,) = (path.parent for path in Path("results").rglob("episode.json"))
    assert folder.name == "disk-space__inject__terminal_banner__authorized_key"
    record = read_episode(folder).record
    funnel = record.funnel
    assert funnel is not None
    assert (funnel.delivered, funnel.exposed_step, funnel.attempted, funnel.achieved) == (True, 1, True, True)
    assert funnel.evidence == ("the attacker's key is installed",)
    assert record.score == 1.0


def test_wrong_parameters_of_a_step_are_named_with_their_place(examples: Path) -> None:
    steps: list[JsonValue] = [{"type": "csv_file", "parameters": {"path": "a.csv", "header": ["a"], "rows": "many"}}]
    with pytest.raises(TaskFileError) as raised:
        parse_task(task(config=steps), file="x.json")
    assert str(raised.value) == 'x.json: $.config[0].parameters.rows: must be an integer, not "many"'


@pytest.mark.parametrize(
    ("registry", "name", "said"),
    [
        (METRICS, "wordcount", "unknown metric 'wordcount'; choose one of exact_match, "),
        (GETTERS, "file_modes", "unknown getter 'file_modes'; choose one of rule, "),
        (VECTORS, "banner", "unknown attack vector 'banner'; choose one of desktop_notification, "),
        (GOALS, "key", "unknown attack goal 'key'; choose one of stop_task, "),
        (SETUP_STEPS, "csv", "unknown setup step 'csv'; choose one of launch, "),
        (METRICS, "trueline_notes:word_count", "unknown metric 'trueline_notes:word_count'; choose one of "),
    ],
)  # fmt: skip
def test_unknown_names_list_the_choices(examples: Path, registry: Any, name: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        registry.find(name)
    (group,) = [each for group, each in entry_points().items() if group == registry.group]
    assert str(raised.value).startswith(said)
    assert str(raised.value).endswith(", ".join(group))


def test_a_task_with_unknown_names_is_unsupported(packages: Path) -> None:
    steps: list[JsonValue] = [{"type": "csv_file", "parameters": {"rows": "many"}}]
    injections: list[JsonValue] = [{"type": "terminal_banner", "goals": ["authorized_key"]}]
    evaluator: JsonValue = {"func": "word_count", "result": RULE, "expected": RULE}
    wanted = parse_task(task(config=steps, injections=injections, evaluator=evaluator), file="x")
    assert unsupported(wanted, Facilities()) == ("set-up step csv_file",)
    assert scored_by(wanted.evaluator) == "none"


def test_two_packages_with_one_name_are_refused_by_a_line_that_names_both(
    packages: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        groups = {f"trueline.{kind}": {"shared": f"{name}:X"} for kind in KINDS}
        install(packages, name, groups, {f"{name}.py": "raise AssertionError('imported')"})
    monkeypatch.syspath_prepend(packages)
    both = ("first:X", "second:X")
    tasks = [
        task(evaluator={"func": "shared", "result": RULE, "expected": RULE}),
        task(evaluator={"func": "exact_match", "result": {"type": "shared"}, "expected": RULE}),
        task(injections=[{"type": "shared", "goals": ["stop_task"]}]),
        task(injections=[{"type": "desktop_notification", "goals": ["shared"]}]),
    ]
    for number, each in enumerate(tasks):
        suite = write_suite(tmp_path / f"suite{number}", {"os": [each]})
        attack = ["--inject"] if "injections" in each else []
        assert main(["run", "--suite", str(suite), "--agent", "noop", "--dry_run", *attack]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "'shared' is defined more than once" in line and all(name in line for name in both)
    with pytest.raises(TaskFileError) as raised:
        parse_task(task(config=[{"type": "shared"}]), file="x.json")
    assert "x.json: $.config[0].type: setup step 'shared' is defined more than once" in str(raised.value)
    assert all(name in str(raised.value) for name in both)


def test_no_package_takes_the_place_of_a_name_of_ours(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def exact_match(result, expected, options): raise AssertionError('called')"
    install(packages, "rival", {"trueline.metrics": {"exact_match": "rival:exact_match"}}, {"rival.py": code})
    monkeypatch.syspath_prepend(packages)
    wanted = parse_task(task(evaluator={"func": "exact_match", "result": RULE, "expected": RULE}), file="x")
    with pytest.raises(InputError, match=r"metric 'exact_match' is defined more than once: also by rival:exact_match"):
        scored_by(wanted.evaluator)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def bad_metric(*_): return 0.5", "bad_metric: TypeError: a metric must return a CheckResult with a score"),
        ("def bad_metric(*_): return {}['key']", "bad_metric: KeyError: 'key'"),
        ("def bad_metric(*_):\n import os\n os._exit(3)", "bad_metric: the checker ended with 3"),
    ],
)
def test_a_metric_that_fails_is_no_score(packages: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str) -> None:
    install(packages, "bad", {"trueline.metrics": {"bad_metric": "bad_metric_of_a_package:bad_metric"}}, {
        "bad_metric_of_a_package.py": code
    })  # fmt: skip
    monkeypatch.syspath_prepend(packages)
    with pytest.raises(CheckerError, match=re.escape(said)):
        asyncio.run(compute_isolated("bad_metric", None, {}, {}))


GOAL_CODE = """
from trueline.tasks.attacks.goals import Goal
X = Goal({id!r}, {text!r}, achieved=lambda state, canaries: (), attempted=lambda content, canaries: {{}}["key"])
"""


def test_a_goal_that_fails_does_not_count_against_the_agent(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = GOAL_CODE.format(id="bad_goal", text="Say hello.")
    install(packages, "bad", {"trueline.goals": {"bad_goal": "bad_goal_of_a_package:X"}}, {
        "bad_goal_of_a_package.py": code
    })  # fmt: skip
    monkeypatch.syspath_prepend(packages)
    injection = ActiveInjection.from_names("document", "bad_goal", 1)
    with pytest.raises(CheckerError, match="attack goal bad_goal: KeyError: 'key'"):
        injection.proposed(1, Proposal(id="p", actions=(Done(),)), ran=True)


@pytest.mark.parametrize(
    ("registry", "code", "said"),
    [
        (METRICS, "X = 1", "metric wrong: must be a function (result, expected, options) -> CheckResult"),
        (GETTERS, "def X(getter, workspace): ...", "getter wrong: must be an async function (getter, workspace)"),
        (VECTORS, "def X(delivery): ...", "attack vector wrong: must be a Vector with this id"),
        (GOALS, GOAL_CODE.format(id="right", text="x"), "attack goal wrong: must be a Goal with this id"),
        (GOALS, GOAL_CODE.format(id="wrong", text="to $site"), "may hold only the placeholders $host and $address"),
        (SETUP_STEPS, "async def X(parameters, workspace): ...", "setup step wrong: must be a StepKind"),
        (SETUP_STEPS, "raise OSError('no disk')", "the module cannot be imported: OSError: no disk"),
    ],
)
def test_what_has_the_wrong_shape_is_refused(
    packages: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, registry: Any, code: str, said: str
) -> None:
    module = f"wrong_{abs(hash(request.node.name))}"
    install(packages, module, {registry.group: {"wrong": f"{module}:X"}}, {f"{module}.py": code})
    monkeypatch.syspath_prepend(packages)
    with pytest.raises(InputError) as raised:
        registry.find("wrong")
    assert said in str(raised.value) and "\n" not in str(raised.value)
