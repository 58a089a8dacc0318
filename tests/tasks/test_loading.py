"""Task files: all real ones load and are written back as they were; what is wrong is said at once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from pydantic import JsonValue, ValidationError

from tasks.samples import task
from trueline.tasks.loading import TaskFileError, load_task, parse_task
from trueline.tasks.model import Execute, Kind, OtherStep, Task, kind_of
from trueline.tasks.model.adversary import SafetyTags
from trueline.tasks.suite import load_refs, open_index


def index_of(folder: Path, name: str) -> Counter[Kind]:
    suite = open_index(folder / f"{name}.json", folder)
    return Counter(each.kind for each in load_refs(suite.refs).whole())


def test_every_real_task_comes_back_as_it_was(shared_data: Path) -> None:
    osworld, osharm = shared_data / "osworld/osworld369", shared_data / "osharm"
    files = {
        "osworld": sorted((osworld / "examples").glob("*/*.json")),
        "windows": sorted((osworld / "examples_windows").glob("*/*.json")),
        "rtc": sorted((shared_data / "osworld/redteamcua/examples").glob("*/*.json")),
        "osharm": sorted((osharm / "examples").glob("*/*.json")),
    }
    assert {name: len(paths) for name, paths in files.items()} == {
        "osworld": 369, "windows": 49, "rtc": 12, "osharm": 474,
    }  # fmt: skip
    for path in (path for paths in files.values() for path in paths):
        read = load_task(path)
        assert read.to_json() == json.loads(path.read_bytes()), path
        assert parse_task(read.to_json(), file="again") == read


def test_the_kind_of_real_tasks(shared_data: Path) -> None:
    osharm = shared_data / "osharm"
    assert index_of(osharm, "test_misuse") == {Kind.MISUSE: 50}
    assert index_of(osharm, "test_injection") == {Kind.INJECTION: 10}
    assert index_of(osharm, "test_misbehavior") == {Kind.ACCIDENT: 50}
    assert index_of(shared_data / "osworld/osworld369", "test_all") == {Kind.BENIGN: 369}


def test_a_named_kind_wins() -> None:
    assert kind_of(parse_task(task("_looks_like_misuse", kind="benign"), file="x")) is Kind.BENIGN


def test_unknown_fields_are_kept_at_every_depth() -> None:
    value = task(
        x_team={"a": [1, None]},
        config=[{"type": "sleep", "parameters": {"seconds": 1, "why": "slow"}, "note": "n"}],
        tags={"permission_check": True, "third": 3},
    )
    read = parse_task(value, file="x")
    assert read.to_json() == value
    assert isinstance(read.tags, SafetyTags)


def test_steps_are_typed_and_unknown_ones_are_kept() -> None:
    steps: list[JsonValue] = [
        {"type": "command", "parameters": {"command": ["ls"], "until": {"returncode": 0}}},
        {"type": "googledrive", "parameters": {"operation": ["delete"]}},
        {"type": "login", "parameters": {"settings_file": "settings.json", "platform": "googledrive"}},
        {"type": "from_the_future", "parameters": {}},
    ]
    config = parse_task(task(config=steps), file="x").config
    assert [type(step) for step in config] == [Execute, OtherStep, OtherStep, OtherStep]
    assert [step.type for step in config] == ["command", "googledrive", "login", "from_the_future"]


def test_a_task_cannot_be_changed() -> None:
    read = parse_task(task(), file="x")
    with pytest.raises(ValidationError):
        read.instruction = "Do harm."


def problems(value: JsonValue) -> dict[str, str]:
    with pytest.raises(TaskFileError) as caught:
        parse_task(value, file="bad.json")
    assert {problem.file for problem in caught.value.problems} == {"bad.json"}
    return {problem.path: problem.message for problem in caught.value.problems}


def test_all_problems_are_named_at_once() -> None:
    value = task(
        "a/b",
        config=[
            {"type": "launch", "parameters": {"command": ["xterm", 7]}},
            {"type": "sleep", "parameters": {"seconds": "long"}},
            {"parameters": {}},
            {"type": "open"},
            {"type": "execute", "parameters": {"command": []}},
        ],
        kind="evil",
        evaluator={"func": "x", "conj": "xor", "result": {"path": "/a"}},
    )
    assert problems(value) == {
        "$.id": "must be usable as a file name: without / or \\, and not beginning with a dot",
        "$.config[0].parameters.command[1]": "must be a string, not 7",
        "$.config[1].parameters.seconds": 'must be a number, not "long"',
        "$.config[2].type": "is required",
        "$.config[3].parameters": "is required",
        "$.config[4].parameters.command": "must be a string or a non-empty list, not []",
        "$.kind": "must be 'benign', 'misuse', 'injection' or 'accident', not \"evil\"",
        "$.evaluator.conj": "must be 'and' or 'or', not \"xor\"",
        "$.evaluator.result": "a getter needs a type",
    }


@pytest.mark.parametrize(
    ("evaluator", "message"),
    [
        (
            {"func": ["a", "b"], "result": [{"type": "x"}]},
            "func lists 2 functions, so result must be a list of the same length",
        ),
        ({"func": "a", "expected": []}, "func is a single function, but expected is a list"),
        ({"func": ["a", "infeasible"]}, "infeasible must stand alone, not in a list"),
    ],
)
def test_lists_of_an_evaluator_stand_in_parallel(evaluator: JsonValue, message: str) -> None:
    assert problems(task(evaluator=evaluator)) == {"$.evaluator": message}


@pytest.mark.parametrize("value", [None, [], "task", 3])
def test_what_is_no_object_is_no_task(value: JsonValue) -> None:
    assert list(problems(value)) == ["$"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON"),
        (b'{"id": 1, "id": 2}', "appears twice"),
        (b'{"a": NaN}', "not a number"),
        (b"[" * 5000, "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
    ],
)
def test_what_is_no_json_names_the_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(TaskFileError, match=message) as caught:
        load_task(path)
    assert [problem.file for problem in caught.value.problems] == [str(path)]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match=r"none\.json: \$: cannot be read"):
        load_task(tmp_path / "none.json")


def test_hostile_text_in_a_problem_is_escaped() -> None:
    with pytest.raises(TaskFileError) as caught:
        parse_task(task(kind="\x1b[2J"), file="x")
    assert "\x1b" not in str(caught.value)


def test_the_schema_of_a_task_can_be_made() -> None:
    assert {"id", "instruction"} == set(Task.model_json_schema()["required"])
