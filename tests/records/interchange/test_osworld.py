from __future__ import annotations

import os
from pathlib import Path

import pytest
import records_sample

from records.interchange.samples import done, png, reasons, seed_episode, tree_of
from trueline.errors import InputError
from trueline.records.folder.reader import read_episode
from trueline.records.index import read_index
from trueline.records.interchange.labels import StepLabels, write_labels
from trueline.records.interchange.osworld import export_folders, import_folders
from trueline.records.interchange.paths import picture_suffix
from trueline.records.interchange.sources import find_sources
from trueline.records.interchange.strict_json import load_strict
from trueline.records.interchange.transfer import TransferOptions
from trueline.records.scan import scan

OPTIONS = TransferOptions()
MODEL = "pyautogui/screenshot_a11y_tree/o4-mini"


def test_seeds_folders_come_in_with_a_record_and_are_not_touched(tmp_path: Path) -> None:
    seed_episode(tmp_path / "in/run1" / MODEL / "chrome/t1")
    seed_episode(tmp_path / "in/run2" / MODEL / "chrome/t1", score=None)
    before = tree_of(tmp_path / "in")
    done(import_folders(find_sources([tmp_path / "in"]), tmp_path / "out", OPTIONS))
    assert tree_of(tmp_path / "in") == before
    after = tree_of(tmp_path / "out")
    assert {name: content for name, content in after.items() if not name.endswith("/episode.json")} == before
    assert [trial.score for trial in scan(tmp_path / "out")] == [1.0, None]
    episode = read_episode(tmp_path / "out/run1" / MODEL / "chrome/t1")
    assert episode.ours
    assert episode.record == read_episode(tmp_path / "in/run1" / MODEL / "chrome/t1").record
    assert episode.record.repeat == 1


def test_what_was_odd_in_a_seeds_folder_is_still_known_once(tmp_path: Path) -> None:
    folder = seed_episode(tmp_path / "in" / MODEL / "chrome/t1")
    (folder / "step_1_20260320@222941.png").unlink()
    with (folder / "traj.jsonl").open("a") as file:
        file.write("{broken\n")
    problems = read_episode(folder).problems
    assert len(problems) >= 2
    done(import_folders(find_sources([tmp_path / "in"]), tmp_path / "out", OPTIONS))
    again = read_episode(tmp_path / "out" / MODEL / "chrome/t1").problems
    assert sorted(map(str, again)) == sorted(map(str, problems))


def test_import_then_export_gives_the_seeds_folders_back(tmp_path: Path) -> None:
    seed_episode(tmp_path / "in" / MODEL / "chrome/t1")
    seed_episode(tmp_path / "in" / MODEL / "os/t__inject__website__stop_task")
    done(import_folders(find_sources([tmp_path / "in"]), tmp_path / "mid", OPTIONS))
    done(export_folders(find_sources([tmp_path / "mid"]), tmp_path / "out", OPTIONS))
    assert tree_of(tmp_path / "out") == tree_of(tmp_path / "in")


def test_our_episodes_go_out_with_the_seeds_files_only(tmp_path: Path) -> None:
    folder = tmp_path / "in" / MODEL / "chrome/__injected"
    records_sample.write_episode(folder)
    write_labels(folder, StepLabels(source="me"))
    done(export_folders(find_sources([tmp_path / "in"]), tmp_path / "out", OPTIONS))
    names = {path.name for path in (tmp_path / "out" / MODEL / "chrome/__injected").iterdir()}
    assert {"traj.jsonl", "better_log.json", "result.txt", "instruction.txt", "step_0.png"} <= names
    assert not names & {"events.jsonl", "episode.json", "labels.json"}
    assert not [name for name in names if name.endswith(".xml.gz")]
    episode = read_episode(tmp_path / "out" / MODEL / "chrome/__injected")
    assert not episode.ours
    assert episode.record.score == 1.0
    assert len(episode.record.steps) == records_sample.STEPS


def test_what_an_unfinished_episode_lacks_is_made_from_its_events(tmp_path: Path) -> None:
    folder = tmp_path / "in" / MODEL / "chrome/t"
    records_sample.write_episode(folder)
    for name in ("traj.jsonl", "better_log.json", "episode.json", "result.txt"):
        (folder / name).unlink()
    done(export_folders(find_sources([tmp_path / "in"]), tmp_path / "out", OPTIONS))
    names = {path.name for path in (tmp_path / "out" / MODEL / "chrome/t").iterdir()}
    assert {"traj.jsonl", "better_log.json"} <= names
    assert "result.txt" not in names


def test_links_that_lead_out_and_pipes_are_passed_over_and_named(tmp_path: Path) -> None:
    folder = seed_episode(tmp_path / "in" / MODEL / "chrome/t1")
    (tmp_path / "secret.txt").write_text("hunter2")
    (folder / "runtime.log").symlink_to(tmp_path / "secret.txt")
    (folder / "shots").symlink_to(tmp_path)
    (folder / "inside.png").symlink_to(folder / "step_0.png")
    os.mkfifo(folder / "pipe.log")
    (outcome,) = done(import_folders(find_sources([tmp_path / "in"]), tmp_path / "out", OPTIONS))
    assert outcome.written is not None
    assert b"hunter2" not in tree_of(tmp_path / "out").values()
    assert (outcome.written / "inside.png").read_bytes() == png(0)
    assert [note.split(":")[0] for note in outcome.notes if "not copied" in note] == [
        "shots",
        "pipe.log",
        "runtime.log",
    ]


def test_links_instead_of_copies_share_the_pictures(tmp_path: Path) -> None:
    folder = seed_episode(tmp_path / "in" / MODEL / "chrome/t1")
    (outcome,) = done(import_folders(find_sources([tmp_path / "in"]), tmp_path / "out", TransferOptions(link=True)))
    assert outcome.written is not None
    assert (outcome.written / "step_0.png").samefile(folder / "step_0.png")
    done(import_folders(find_sources([tmp_path / "in"]), tmp_path / "copy", OPTIONS))
    assert not (tmp_path / "copy" / MODEL / "chrome/t1/step_0.png").samefile(folder / "step_0.png")


def test_a_folder_whose_path_says_nothing_is_left_out(tmp_path: Path) -> None:
    seed_episode(tmp_path / "loose")
    (reason,) = reasons(import_folders(find_sources([tmp_path / "loose"]), tmp_path / "out", OPTIONS))
    assert "<action_space>/<observation_type>/<model>/<domain>/" in reason


def test_a_part_of_the_results_finds_its_place_in_the_layout(tmp_path: Path) -> None:
    seed_episode(tmp_path / "in/run3" / MODEL / "chrome/t1")
    for root in ("in", "in/run3", f"in/run3/{MODEL}", f"in/run3/{MODEL}/chrome/t1"):
        (source,) = find_sources([tmp_path / root])
        assert source.below.as_posix() == f"run3/{MODEL}/chrome/t1"


def test_parts_of_one_result_folder_are_put_together_again(tmp_path: Path) -> None:
    for run in ("run1", "run2"):
        seed_episode(tmp_path / "in" / run / MODEL / "chrome/t1")
    sources = find_sources([tmp_path / "in/run1", tmp_path / "in/run2" / MODEL])
    done(export_folders(sources, tmp_path / "out", OPTIONS))
    assert tree_of(tmp_path / "out") == tree_of(tmp_path / "in")


def test_several_result_folders_are_kept_apart(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("x/base", "x/new", "y/new")]
    for number, root in enumerate(roots):
        # Apart also where no path would collide: they are results of different things.
        seed_episode(root / "run1" / MODEL / f"chrome/t{number}")
    done(export_folders(find_sources(roots), tmp_path / "out", OPTIONS))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["base", "new", "new-2"]
    for name, root in zip(("base", "new", "new-2"), roots, strict=True):
        assert tree_of(tmp_path / "out" / name) == tree_of(root)


@pytest.mark.parametrize("model", ["Qwen/Qwen3-VL-8B-Instruct", "openrouter/moonshotai/kimi-k2.5"])
@pytest.mark.parametrize("below", ["", "run2/pyautogui", "run2/pyautogui/screenshot", "deeper"])
def test_a_model_with_a_slash_in_its_name_is_one_folder_of_ours(tmp_path: Path, model: str, below: str) -> None:
    levels = Path("run2/pyautogui/screenshot") / model
    seed_episode(tmp_path / "in" / levels / "chrome/t1")
    seed_episode(tmp_path / "in" / levels / "os/t2")
    source = tmp_path / "in" / (levels.parent if below == "deeper" else below)
    done(import_folders(find_sources([source]), tmp_path / "out", OPTIONS))
    name = model.replace("/", "__")
    assert {path.relative_to(tmp_path / "out").parent for path in (tmp_path / "out").rglob("result.txt")} == {
        Path("run2/pyautogui/screenshot", name, unit) for unit in ("chrome/t1", "os/t2")
    }
    for root in ("in", "out"):
        assert {trial.condition for trial in scan(tmp_path / root)} == {("pyautogui", "screenshot", name)}
        assert {str(trial.unit) for trial in scan(tmp_path / root)} == {"chrome/t1", "os/t2"}


def test_a_damaged_result_does_not_go_out(tmp_path: Path) -> None:
    folder = tmp_path / "in" / MODEL / "chrome/__injected"
    records_sample.write_episode(folder)
    (folder / "result.txt").write_text("0.0\n")
    (outcome,) = export_folders(find_sources([tmp_path / "in"]), tmp_path / "out", OPTIONS).outcomes
    assert outcome.written is not None
    assert not (outcome.written / "result.txt").exists()
    assert any("result.txt is left out" in note for note in outcome.notes)


def test_files_that_git_lfs_did_not_fetch_are_named_as_such(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"
    folder = seed_episode(tmp_path / "in" / MODEL / "chrome/t1")
    (folder / "better_log.json").write_bytes(pointer)
    (folder / "result.txt").write_bytes(pointer)
    problems = [str(problem) for problem in read_episode(folder).problems]
    for name in ("better_log.json", "result.txt"):
        assert any(problem.startswith(name) and "is a Git LFS pointer" in problem for problem in problems)
    assert [trial.score for trial in scan(folder)] == [None]
    for refused in (load_strict, read_index, picture_suffix):
        (tmp_path / "file.json").write_bytes(pointer)
        with pytest.raises(InputError, match=r"file.json: is a Git LFS pointer.*git lfs pull"):
            refused(tmp_path / "file.json")
