"""`trueline tasks` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.tiny_suite import note
from support.tiny_suite import write_suite as write_varied_suite
from tasks.samples import task, write_suite
from trueline.agents import find_agent
from trueline.cli import main
from trueline.cli.tasks.selection import KINDS
from trueline.records.setting import Environment, Setting
from trueline.runs.build import RunConfig, make_job
from trueline.runs.plan import Planned
from trueline.tasks.downloads import Downloads
from trueline.tasks.model import Kind
from trueline.tasks.suite import load_refs, open_suite

DRIVE = "set-up step googledrive (needs a Google account, which Trueline does not use)"
MISSHAPEN = "must be a string or a non-empty list, not []"


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["tasks", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def suite(tmp_path: Path) -> str:
    checked: JsonValue = {
        "func": "compare_csv",
        "result": {"type": "vm_file", "path": "/home/user/a.csv", "dest": "a.csv"},
        "expected": {"type": "cloud_file", "path": "https://files.example/a.csv", "dest": "a.csv"},
        "options": {"strict": False},
        "postconfig": [{"type": "sleep", "parameters": {"seconds": 1}}],
    }
    listed = {
        "os": [
            task("plain", evaluator=checked, config=[{"type": "launch", "parameters": {"command": ["mousepad"]}}]),
            task("drive", config=[{"type": "googledrive", "parameters": {}}], related_apps=["excel"]),
        ],
        "chrome": [task("_harm"), task("hostile", instruction="\x1b[2Jgone \u202etxet")],
    }
    return str(write_suite(tmp_path / "mine", listed))


def test_check_counts(capsys: pytest.CaptureFixture[str], suite: str) -> None:
    code, out, _ = call(capsys, "check", "--suite", suite, "--json")
    assert code == 0
    document = json.loads(out)
    rows = {row["task"]: row for row in document.pop("tasks")}
    assert list(rows) == ["os/plain", "os/drive", "chrome/_harm", "chrome/hostile"]
    assert [len(row["unsupported"]) for row in rows.values()] == [0, 2, 0, 0]
    assert sum(len(row["missing_files"]) for row in rows.values()) == 1
    assert {row["scored_by"] for row in rows.values()} == {"native"}
    assert document == {
        "total": 4,
        "loaded": 4,
        "runnable": 3,
        "unsupported": {
            "application Microsoft Office (it does not exist for Linux)": 1,
            "set-up step googledrive (needs a Google account, which Trueline does not use)": 1,
        },
        "errors": [],
        "files": 1,
        "missing_files": 1,
        "lacking_files": 1,
        "scored_by": {"native": 4, "bridged": 0, "none": 0},
        "not_scorable": {},
        "no_bridge": "",
    }
    code, out, _ = call(capsys, "check", "--suite", suite)
    assert "4 tasks, 4 read, 3 can run on the local desktop\nscored by: native 4, bridged 0, none 0" in out
    assert "  1  set-up step googledrive" in out


def test_check_names_every_problem_and_fails(capsys: pytest.CaptureFixture[str], suite: str) -> None:
    file = Path(suite) / "examples/os/plain.json"
    file.write_text(json.dumps({"id": 3, "instruction": "x", "evaluator": {"func": []}}))
    code, out, _ = call(capsys, "check", "--suite", suite, "--json")
    document = json.loads(out)
    assert (code, document["total"], document["loaded"]) == (1, 4, 3)
    assert document["errors"] == [
        {"file": str(file), "path": "$.id", "message": "must be a string, not 3"},
        {"file": str(file), "path": "$.evaluator.func", "message": MISSHAPEN},
    ]  # fmt: skip
    code, out, _ = call(capsys, "check", "--suite", suite)
    assert code == 1
    assert f"2 problems in 1 files:\n  {file}: $.id: must be a string, not 3" in out


def test_list_is_a_table_that_cannot_hurt_a_terminal(capsys: pytest.CaptureFixture[str], suite: str) -> None:
    code, out, _ = call(capsys, "list", "--suite", suite)
    assert code == 0
    assert [line.split()[:4] for line in out.splitlines()[1:5]] == [
        ["os/plain", "benign", "yes", "native"],
        ["os/drive", "benign", "no", "native"],
        ["chrome/_harm", "misuse", "yes", "native"],
        ["chrome/hostile", "benign", "yes", "native"],
    ]
    assert "\x1b" not in out and "\u202e" not in out


def test_list_takes_the_selection_flags_in_both_spellings(capsys: pytest.CaptureFixture[str], suite: str) -> None:
    words = ("list", "--test_all_meta_path", f"{suite}/index.json", "--test-config-base-dir", suite, "--json")
    assert [task["id"] for task in json.loads(call(capsys, *words, "--kind", "misuse")[1])["tasks"]] == ["_harm"]
    assert [task["id"] for task in json.loads(call(capsys, *words, "--limit", "1")[1])["tasks"]] == ["plain"]
    assert [task["id"] for task in json.loads(call(capsys, *words, "--only", "os/d*")[1])["tasks"]] == ["drive"]


def test_list_shows_what_it_can_and_fails(capsys: pytest.CaptureFixture[str], suite: str) -> None:
    (Path(suite) / "examples/os/plain.json").write_text("{")
    code, out, err = call(capsys, "list", "--suite", suite)
    assert (code, "os/drive" in out) == (1, True)
    assert "plain.json: $: is not JSON" in err


def test_show_in_words_and_as_it_is(capsys: pytest.CaptureFixture[str], suite: str) -> None:
    code, out, _ = call(capsys, "show", "pla", "--suite", suite)
    assert code == 0
    for line in (
        "task          os/plain",
        "runs here     yes",
        '  1.  launch  {"command": ["mousepad"]}',
        "  compare_csv with {\"strict\": false}",
        '    result: vm_file {"path": "/home/user/a.csv", "dest": "a.csv"}',
    ):  # fmt: skip
        assert line in out.splitlines()
    code, out, _ = call(capsys, "show", "os/plain", "--suite", suite, "--json")
    assert json.loads(out) == json.loads((Path(suite) / "examples/os/plain.json").read_bytes())


def test_what_varies_is_drawn_as_a_run_draws_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = str(write_varied_suite(tmp_path / "varied", note(kind="benign", injections=[])))
    shown: list[str] = []
    for seed in ("0", "1", "2", "3", "4", "5"):
        code, out, _ = call(capsys, "show", "note", "--suite", folder, "--seed", seed)
        assert (code, "${" in out, f"varies        word, file; drawn with --seed {seed}" in out) == (0, False, True)
        instruction = next(line for line in out.splitlines() if line.startswith("instruction")).split(maxsplit=1)[1]
        _, listed, _ = call(capsys, "list", "--suite", folder, "--seed", seed)
        assert instruction in listed and "${" not in listed
        found = json.loads(call(capsys, "list", "--suite", folder, "--seed", seed, "--json")[1])
        assert found["tasks"][0]["instruction"] == instruction
        shown.append(instruction)
    assert len(set(shown)) > 1
    assert (
        call(capsys, "show", "note", "--suite", folder)[1]
        == call(capsys, "show", "note", "--suite", folder, "--seed", "0")[1]
    )
    as_it_is = json.loads(call(capsys, "show", "note", "--suite", folder, "--json")[1])
    assert as_it_is["instruction"] == "Put the word into ${file}."
    # The same as an episode with these seeds begins with.
    setting = Setting(agent="noop", environment=Environment(provider="local"))
    task = load_refs(open_suite(folder).refs).whole()[0]
    for seed, instruction in enumerate(shown):
        run = RunConfig("varied", setting, find_agent("noop"), Downloads(tmp_path), seed=seed, paired_seeds=True)
        assert make_job(run, Planned(task)).begin().instruction == instruction


def test_list_shows_a_task_whose_variation_is_wrong_as_it_stands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = str(write_varied_suite(tmp_path / "varied", note(instruction="Put it into ${nowhere}.")))
    code, out, _ = call(capsys, "list", "--suite", folder)
    assert (code, "Put it into ${nowhere}." in out) == (0, True)
    code, _, err = call(capsys, "show", "note", "--suite", folder)
    assert (code, "${nowhere} is not in its variation" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list", "--suite", "nowhere"), "--suite nowhere: unknown suite; choose one of starter"),
        (("list", "--suite", "SUITE", "--domain", "vlc"), "--domain vlc: mine has os, chrome"),
        (("list", "--suite", "SUITE", "--kind", "evil"), "invalid choice: 'evil'"),
        (("list", "--suite", "SUITE", "--limit", "-1"), "--limit"),
        (
            ("list", "--suite", "SUITE", "--test_all_meta_path", "x.json"),
            "cannot be combined with --test_all_meta_path",
        ),
        (("show", "zzz", "--suite", "SUITE"), "mine has no task zzz"),
        (("show", "os/", "--suite", "SUITE"), "os/ matches 2 tasks"),
        (("check", "--test_all_meta_path", "none.json"), "none.json: cannot be read"),
    ],
)
def test_wrong_use_is_one_line(
    capsys: pytest.CaptureFixture[str], suite: str, words: tuple[str, ...], message: str
) -> None:
    code, _, err = call(capsys, *(suite if word == "SUITE" else word for word in words))
    assert (code, err.count("\n")) == (2, 1)
    assert message in err


def test_the_real_tasks(capsys: pytest.CaptureFixture[str], shared_data: Path) -> None:
    osworld = shared_data / "osworld/osworld369"
    code, out, _ = call(capsys, "check", "--test_all_meta_path", str(osworld / "test_all.json"), "--json")
    document = json.loads(out)
    assert (code, document["total"], document["loaded"], document["errors"]) == (0, 369, 369, [])
    assert document["scored_by"]["native"] >= 110
    assert 0 < document["runnable"] < 369
    assert document["unsupported"][DRIVE] == 8


def test_the_kinds_of_the_flag_are_those_of_tasks() -> None:
    assert tuple(Kind) == KINDS
