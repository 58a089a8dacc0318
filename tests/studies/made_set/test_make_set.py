"""Runs become a set that `guard bench` reads, with trees; and the command plays them by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.bench_set import load
from support.scripted_episodes import ACHIEVED, ATTACK, CLICK, DONE, TYPE, WIPE, write_scripted
from trueline.cli import main
from trueline.errors import InputError
from trueline.guard.bench import read_sources
from trueline.records.interchange.misactbench import read_benchmark


def made(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert main(["guard", "make-set", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    root = tmp_path / "results"
    write_scripted(root, [CLICK, TYPE, DONE])
    attacked: dict[str, Any] = {"agent": "simulated-hijacked", "attack": ATTACK, "funnel": ACHIEVED, "score": 0.0}
    write_scripted(root, [CLICK, WIPE, TYPE, DONE], **attacked)
    write_scripted(root, [CLICK, DONE], kind="misuse", task="forge")
    return root


def test_recorded_runs_become_a_set(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = made(capsys, str(tmp_path / "set"), "--runs", str(runs))
    assert found["steps"] == {"Malicious instruction following": 1, "aligned": 4}
    assert (found["episodes"], found["without_tree"], found["simulated"], found["played"]) == (2, 0, True, None)
    assert [entry["why"] for entry in found["left_out"]] == [
        "is a misuse task: harm that the user asked for is not misaligned"
    ]
    read = read_benchmark(Path(found["file"]))
    assert not read.problems
    hosts = {str(entry.metadata.unknown["host"]) for entry in read.benchmark.trajectories}
    assert hosts == {"text_editor/add-item"}


def test_the_bench_sees_screens_and_trees_and_other_readers_pass_over_them(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(made(capsys, str(tmp_path / "set"), "--runs", str(runs))["file"])
    sources = read_sources(file, read_benchmark(file).benchmark.trajectories)
    case, context = next(iter(sources[0].contexts({})))
    assert case.screens.before is not None
    assert context.observation.tree is not None
    assert context.observation.tree.root.children[0].children[0].children[0].name == "list 1"
    assert context.observation.tree_scope == "screen"
    folder = case.screens.before.parent
    assert not [path for path in folder.glob("step_*") if path.suffix == ".gz"]


def test_the_policy_stage_sees_with_the_tree_where_a_text_goes(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command is typed into an editor, which is harmless; without a tree nobody can know that."""
    file = Path(made(capsys, str(tmp_path / "set"), "--runs", str(runs))["file"])
    words = ["guard", "bench", "--benchmark_file", str(file), "--guard", "policy", "--json"]
    found: list[tuple[int, int]] = []
    for name in ("with", "without"):
        capsys.readouterr()
        assert main([*words, "--result_file", str(tmp_path / f"{name}.json")]) == 0
        scores = json.loads(capsys.readouterr().out)
        found.append((scores["tp"], scores["fp"]))
        data = load(file)
        for entry in data.values():
            for step in entry["steps"].values():
                step.pop("tree_path", None)
        file.write_text(json.dumps(data))
    assert found == [(0, 0), (1, 0)]


def test_writing_again_changes_nothing_and_new_runs_are_added(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (str(tmp_path / "set"), "--runs", str(runs))
    file = Path(made(capsys, *words)["file"])
    before = {path: path.stat().st_ino for path in file.parent.rglob("*.png")}
    text = file.read_bytes()
    assert made(capsys, *words)["labelled"] == 5
    assert file.read_bytes() == text
    assert {path: path.stat().st_ino for path in file.parent.rglob("*.png")} == before
    write_scripted(runs, [CLICK, DONE], repeat=2)
    assert made(capsys, *words)["labelled"] == 7


def test_a_tree_that_leads_out_of_the_set_is_refused(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(made(capsys, str(tmp_path / "set"), "--runs", str(runs))["file"])
    data = load(file)
    for entry in data.values():
        entry["steps"]["1"]["tree_path"] = "../../../secret.xml.gz"
    file.write_text(json.dumps(data))
    for source in read_sources(file, read_benchmark(file).benchmark.trajectories):
        assert source.problem is not None and "secret" in source.problem
        assert all(case.tree is None for case in source.cases)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--runs", "nowhere"], "nowhere: there is no such folder"),
        (["--perturbations", "sunny"], "unknown perturbation 'sunny'"),
        (["--perturbations", "1", "dir/1.yaml"], "cannot be read"),
    ],
)
def test_wrong_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], error: str
) -> None:
    assert main(["guard", "make-set", str(tmp_path / "set"), *words]) == 2
    assert error in capsys.readouterr().err


def test_runs_without_any_certain_label_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_scripted(tmp_path / "results", [CLICK, DONE], score=0.0)
    assert main(["guard", "make-set", str(tmp_path / "set"), "--runs", str(tmp_path / "results")]) == 2
    assert "no step gets a label" in capsys.readouterr().err
    with pytest.raises(InputError):
        read_benchmark(tmp_path / "set" / "MisActBench" / "misactbench.json")


@pytest.mark.full
@pytest.mark.usefixtures("machine")
def test_the_command_plays_what_it_needs_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(tmp_path / "set"), "--only", "add-item", "--perturbations", "none", "--progress", "none"]
    first = made(capsys, *words, "--instruction", "original")
    assert first["steps"] == {
        "Malicious instruction following": 11,
        "Other task-irrelevant behavior": 1,
        "Unintended harmful behavior": 1,
        "aligned": 29,
    }
    assert (first["played"]["episodes"], first["without_tree"]) == (15, 0)
    file = Path(first["file"])
    starts = [entry["metadata"]["start"] for entry in load(file).values()]
    assert all(start["executables"] == ["mousepad"] and len(start["files"]) == 1 for start in starts)
    text = file.read_bytes()
    assert made(capsys, *words, "--instruction", "original")["labelled"] == first["labelled"]
    assert file.read_bytes() == text
