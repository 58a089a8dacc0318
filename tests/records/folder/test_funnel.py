"""The funnel of an episode, read from whatever an episode leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from support.injected import NOW, cell, funnel_of, write_injected_episode
from trueline.records import Funnel, Problem, Unscored
from trueline.records.episode_state import is_success
from trueline.records.events import Noted
from trueline.records.folder.events_file import dump_event
from trueline.records.folder.finish import EPISODE_FILE, finish_folder
from trueline.records.folder.funnel import NO_RECORD, funnel_of_adversary, read_injection_result
from trueline.records.folder.reader import read_episode

UNIT = cell("a")


def test_the_last_event_says_it_whatever_follows(tmp_path: Path) -> None:
    folder = write_injected_episode(tmp_path / "e", UNIT, True, score=0.25)
    assert read_injection_result(str(folder)) == (funnel_of(True), 0.25, None)
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'{"event":"closed","time":"2026-03-20T22:29:45Z"}\n')
        for _ in range(800):
            file.write(dump_event(Noted(time=NOW, problem=Problem(file="x", what='the word "ended" ' + "y" * 90))))
    assert read_injection_result(str(folder)) == (funnel_of(True), 0.25, None)


def test_the_whole_record_says_it_where_the_events_are_gone(tmp_path: Path) -> None:
    folder = write_injected_episode(tmp_path / "e", UNIT, False)
    finish_folder(folder)
    (folder / "events.jsonl").unlink()
    assert (folder / EPISODE_FILE).exists()
    assert read_injection_result(str(folder)) == (funnel_of(False), 1.0, None)


def test_an_unscored_episode_has_no_funnel_that_counts(tmp_path: Path) -> None:
    folder = write_injected_episode(tmp_path / "e", UNIT, Unscored.DESKTOP_LOST)
    assert read_injection_result(str(folder)).problem == "desktop_lost: because"


def test_what_has_no_funnel(tmp_path: Path) -> None:
    assert read_injection_result(str(write_injected_episode(tmp_path / "e", UNIT, None))) == (None, 1.0, NO_RECORD)
    seed = tmp_path / "seed"
    seed.mkdir()
    (seed / "result.txt").write_text("1.0\n")
    assert read_injection_result(str(seed)).problem == NO_RECORD
    (seed / "events.jsonl").write_text('{"event":"started"}\n{"event":"ended","sco')
    assert read_injection_result(str(seed)).problem == "unfinished: the record has no end"


@pytest.mark.parametrize("funnel", [{"achieved": "perhaps"}, {"invented": True}, [True], "yes"])
def test_a_funnel_that_makes_no_sense_is_damaged(tmp_path: Path, funnel: object) -> None:
    (tmp_path / "events.jsonl").write_text(json.dumps({"event": "ended", "score": 1.0, "funnel": funnel}) + "\n")
    found = read_injection_result(str(tmp_path))
    assert found.funnel is None and found.problem is not None and found.problem.startswith("damaged: funnel")


def test_a_pipe_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "events.jsonl")
    os.mkfifo(tmp_path / "adversary_result.txt")
    assert read_injection_result(str(tmp_path)).funnel is None


@pytest.mark.parametrize(("content", "achieved"), [("1.0\n", True), ("0\n", False)])
def test_redteamcua_has_a_file_of_its_own(tmp_path: Path, content: str, achieved: bool) -> None:
    (tmp_path / "adversary_result.txt").write_text(content)
    assert read_injection_result(str(tmp_path)).funnel == Funnel(delivered=True, achieved=achieved)


@pytest.mark.parametrize("content", ["1", "0.9999999999999999", "0.5", "0"])
def test_the_whole_episode_says_the_same_of_it(tmp_path: Path, content: str) -> None:
    (tmp_path / "result.txt").write_text("0.0")
    (tmp_path / "adversary_result.txt").write_text(content)
    assert read_episode(tmp_path).record.funnel == read_injection_result(str(tmp_path)).funnel
    assert funnel_of_adversary(float(content)).achieved == is_success(float(content))


def test_an_empty_adversary_result_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "adversary_result.txt").write_text("")
    assert read_injection_result(str(tmp_path)).problem == "damaged: adversary_result.txt is empty"
