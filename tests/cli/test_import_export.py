from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from records.interchange.samples import UUID, entry, seed_episode, tree_of, write_set
from trueline.cli import main

MODEL = "pyautogui/screenshot/o4-mini"


def test_misactbench_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_set(tmp_path, [entry(1), entry(2)])
    assert main(["import", str(file), "--out", str(tmp_path / "results")]) == 0
    out, err = capsys.readouterr()
    assert out == f"imported 2 of 2 episodes to {tmp_path / 'results'}\n"
    assert err == ""
    target = tmp_path / "exported"
    assert main(["export", "--format", "misactbench", str(tmp_path / "results"), "--out", str(target)]) == 0
    assert json.loads((target / "MisActBench/misactbench.json").read_bytes()) == json.loads(file.read_bytes())


@pytest.mark.parametrize("source", ["MisActBench/misactbench.json", "MisActBench", "."])
def test_the_format_is_guessed_for_misactbench(tmp_path: Path, source: str) -> None:
    write_set(tmp_path / "in", [entry(1)])
    assert main(["import", str(tmp_path / "in" / source), "--out", str(tmp_path / "results")]) == 0


def test_the_format_is_guessed_for_results_and_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed_episode(tmp_path / "seeds" / MODEL / "chrome/t1")
    assert main(["import", str(tmp_path / "seeds"), "--out", str(tmp_path / "results"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "osworld"
    assert main(["export", str(tmp_path / "results"), "--out", str(tmp_path / "atif"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "atif"
    assert main(["import", str(tmp_path / "atif"), "--out", str(tmp_path / "back"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "atif"
    document = tmp_path / "atif" / MODEL / "chrome/t1/trajectory.json"
    assert main(["import", str(document), "--out", str(tmp_path / "one")]) == 0
    assert main(["export", str(tmp_path / "back"), "--out", str(tmp_path / "osworld")]) == 0
    assert (tmp_path / "osworld" / MODEL / "chrome/t1/traj.jsonl").exists()


def test_the_report_as_json_and_exit_1_when_something_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = entry(2)
    bad["steps"] = 5
    file = write_set(tmp_path, [entry(1), bad])
    (file.parent / "trajectories" / UUID.format(1) / "step_0.png").unlink()
    words = ["import", "--format", "misactbench", str(file), "--out", str(tmp_path / "results")]
    assert main([*words, "--json"]) == 1
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert err == ""
    assert report == {
        "format": "misactbench",
        "out": str(tmp_path / "results"),
        "written": 1,
        "left_out": [
            {
                "where": f'{file}: $["{UUID.format(2)}"]',
                "reason": f'$["{UUID.format(2)}"].steps: '
                "expected an object keyed by step number, or a list of steps, found 5",
            }
        ],
        "notes": [{"where": f'{file}: $["{UUID.format(1)}"]', "note": "step 1: the screenshot before it is missing"}],
    }
    assert main([*words[:-1], str(tmp_path / "again")]) == 1
    out, err = capsys.readouterr()
    assert out == f"imported 1 of 2 episodes to {tmp_path / 'again'}\n"
    assert err.splitlines()[0].startswith("note: ")
    assert err.splitlines()[1].startswith("left out: ")


def test_parquet_from_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    seed_episode(tmp_path / "seeds" / MODEL / "chrome/t1")
    assert main(["export", str(tmp_path / "seeds"), "--format", "parquet", "--out", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["episodes.parquet", "steps.parquet"]


@pytest.mark.parametrize("form", ["misactbench", "atif", "osworld", "parquet"])
def test_an_output_is_never_written_over_and_never_deleted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    seed_episode(tmp_path / "seeds" / MODEL / "chrome/t1")
    target = tmp_path / "out"
    target.mkdir()
    (target / "precious.txt").write_text("work")
    words = ["export", "--format", form, str(tmp_path / "seeds"), "--out", str(target)]
    assert main(words) == 2
    err = capsys.readouterr().err
    assert str(target) in err
    assert "--force" in err
    assert tree_of(target) == {"precious.txt": b"work"}
    assert main([*words, "--force"]) == 0
    assert (tmp_path / "out.old-1" / "precious.txt").read_text() == "work"
    assert main([*words, "--force"]) == 0
    assert (tmp_path / "out.old-2").is_dir()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["import", "{}/nowhere", "--out", "{}/x"], "there is no such file or folder"),
        (["import", "{}/plain.json", "--out", "{}/x"], "cannot detect its format; use --format"),
        (["import", "{}/empty", "--out", "{}/x"], "cannot detect its format; use --format"),
        (["import", "--format", "misactbench", "{}/empty", "--out", "{}/x"], "contains no misactbench.json"),
        (["import", "--format", "misactbench", "{}/plain.json", "--out", "{}/x"], "contains no trajectories"),
        (["import", "--format", "atif", "{}/plain.json", "--out", "{}/x"], "contains no ATIF document"),
        (["import", "--format", "osworld", "{}/empty", "--out", "{}/x"], "holds no episode"),
        (["import", "--format", "osworld", "{}/seeds", "--out", "{}/seeds/in"], "is inside"),
        (["import", "--format", "osworld", "{}/seeds", "--out", "{}/plain.json"], "is a file; name a folder"),
        (["import", "--format", "zip", "{}/seeds", "--out", "{}/x"], "argument --format: invalid choice: 'zip'"),
        (["export", "{}/seeds", "--out", "{}/x"], "--format is required: misactbench or atif or parquet or osworld"),
        (["export", "--format", "atif", "{}/nowhere", "--out", "{}/x"], "there is no such folder"),
        (["export", "--format", "atif", "{}/empty", "--out", "{}/x"], "holds no episode"),
        (["export", "--format", "atif", "{}/seeds", "--out", "{}"], "is inside"),
        (["export", "--format", "atif", "--force", "{}/seeds", "--out", "{}/seeds"], "is inside"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    seed_episode(tmp_path / "seeds" / MODEL / "chrome/t1")
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain.json").write_text("{}")
    before = tree_of(tmp_path)
    assert main([word.replace("{}", str(tmp_path)) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert line in err
    assert err.count("\n") == 1
    assert tree_of(tmp_path) == before


def test_a_large_set_shows_its_progress_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = {f"t{number}": {"instruction": "do", "steps": {}} for number in range(60)}
    (tmp_path / "misactbench.json").write_text(json.dumps(data))
    assert main(["import", str(tmp_path / "misactbench.json"), "--out", str(tmp_path / "out"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["written"] == 60
    assert err.splitlines()[-1] == "imported 60 of 60"
    assert len(err.splitlines()) <= 21


def test_control_characters_of_a_file_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "misactbench.json").write_text(json.dumps({"\x1b[2J": {"instruction": "\x1b[2J"}}))
    assert main(["import", str(tmp_path / "misactbench.json"), "--out", str(tmp_path / "out")]) == 1
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err


@pytest.mark.parametrize("form", ["misactbench", "atif", "osworld", "parquet"])
def test_a_name_that_is_not_unicode_is_listed_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    for name in (b"t1", b"t\xff"):
        seed_episode(tmp_path / "seeds" / MODEL / "chrome" / os.fsdecode(name))
    assert main(["export", "--format", form, str(tmp_path / "seeds"), "--out", str(tmp_path / "out"), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["written"] == 1
    (item,) = report["left_out"]
    assert item["where"].endswith("chrome/t\udcff")
    assert item["reason"] == "its path is not valid Unicode; rename the folder"
    assert tree_of(tmp_path / "out")


def test_a_named_document_is_taken_whatever_its_name(tmp_path: Path) -> None:
    seed_episode(tmp_path / "seeds" / MODEL / "chrome/t1")
    assert main(["export", str(tmp_path / "seeds"), "--format", "atif", "--out", str(tmp_path / "out")]) == 0
    folder = tmp_path / "out" / MODEL / "chrome/t1"
    document = (folder / "trajectory.json").rename(folder / "atif.json")
    assert main(["import", str(document), "--out", str(tmp_path / "one")]) == 0
    # Found below a folder it is the copy that an imported episode keeps, and no document of its own.
    assert main(["import", "--format", "atif", str(folder), "--out", str(tmp_path / "two")]) == 2


@pytest.mark.parametrize(
    ("words", "below"),
    [
        ([], ""),
        ([], "trajectory.json"),
        (["--format", "atif"], ""),
        (["--format", "atif"], "trajectory.json"),
        (["--format", "misactbench"], ""),
        (["--format", "misactbench"], "misactbench.json"),
    ],
)
def test_broken_json_is_shown_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], below: str
) -> None:
    source = tmp_path / "given"
    file = source / below if below else source
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"steps": [\n  1,,\n]}')
    assert main(["import", *words, str(source), "--out", str(tmp_path / "x")]) == 2
    assert f"{file}: is not JSON: Expecting value: line 2 column 5" in capsys.readouterr().err


def export_without_room(source: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Export in a process that may write no file as long as the largest picture."""
    code = (
        "import resource, sys; from trueline.cli import main;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); sys.exit(main(sys.argv[1:]))"
    )
    words = ["export", "--format", "osworld", str(source), "--out", str(out)]
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("given", [False, True])
def test_an_export_that_breaks_off_leaves_nothing_under_its_name_and_says_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: bool
) -> None:
    seeds, out = tmp_path / "seeds", tmp_path / "out"
    seed_episode(seeds / MODEL / "chrome/t1")
    (seed_episode(seeds / MODEL / "chrome/t2") / "step_1_20260320@222941.png").write_bytes(bytes(200_000))
    if given:
        out.mkdir()
    ended = export_without_room(seeds, out)
    assert ended.returncode == 1
    assert "no room to write" in ended.stderr
    home = out if given else tmp_path
    (left,) = (path for path in home.iterdir() if path.name.startswith(".unfinished-out-"))
    assert f"unfinished: {out} was not made; what was exported so far is in {left}\n" in ended.stderr
    assert (left / "out" / MODEL / "chrome/t1/result.txt").exists()
    assert out.exists() is given
    assert [path for path in home.iterdir() if path.name not in (left.name, "seeds")] == []
    before = tree_of(left)
    assert main(["export", "--format", "osworld", str(seeds), "--out", str(out)]) == 0
    assert f"note: {left} is of an export that did not finish" in capsys.readouterr().err
    assert tree_of(out / "pyautogui") == tree_of(seeds / "pyautogui")
    assert tree_of(left) == before


@pytest.mark.parametrize("given", [False, True])
def test_a_whole_export_leaves_nothing_hidden(tmp_path: Path, given: bool) -> None:
    write_set(tmp_path / "set", [entry(1)])
    assert main(["import", str(tmp_path / "set"), "--out", str(tmp_path / "results")]) == 0
    out = tmp_path / "made" / "MisActBench"
    if given:
        out.mkdir(parents=True)
    assert main(["export", "--format", "misactbench", str(tmp_path / "results"), "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["misactbench.json", "trajectories"]
    assert [path.name for path in out.parent.iterdir()] == ["MisActBench"]


def test_help_of_both_loads_nothing_heavy() -> None:
    code = "import trueline.cli.import_, trueline.cli.export, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pyarrow", "pydantic", "numpy", "PIL"} & set(loaded)
