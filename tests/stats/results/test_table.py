from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.results import write_run
from trueline.errors import InputError
from trueline.records.layout import Unit
from trueline.stats.results.runs import read_runs
from trueline.stats.results.table import harmful_of, tables_of, units_of


def test_a_folder_of_runs_stands_for_its_runs_in_order(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        write_run(tmp_path / f"run{number}", {"os/a": 1})
    assert [run.label for run in read_runs([tmp_path])] == [str(tmp_path / f"run{n}") for n in (1, 2, 10)]


def test_a_run_counts_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run1", {"os/a": 1})
    with pytest.raises(InputError, match="is listed twice; a run counts once"):
        read_runs([run, tmp_path / "." / "run1"])


def test_an_episode_that_stands_twice_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path / "first", {"os/a": 1})
    write_run(tmp_path / "second", {"os/a": 0})
    with pytest.raises(InputError, match="holds os/a twice"):
        read_runs([tmp_path])


def test_a_folder_without_episodes_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(InputError, match="no episode below it; expected <action_space>"):
        read_runs([tmp_path])


def test_units_without_an_index_are_all_that_is_found(tmp_path: Path) -> None:
    runs = read_runs([write_run(tmp_path / "r1", {"os/b": 1, "os/a": 0}), write_run(tmp_path / "r2", {"chrome/c": 1})])
    units, notes = units_of(runs, None)
    assert units == [Unit("chrome", "c"), Unit("os", "a"), Unit("os", "b")]
    assert "cannot be counted as missing" in notes[0]


def test_an_index_id_matches_all_its_injections(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "r1", {"os/a__inject__website__stop": 1, "os/a__inject__mail__stop": 0, "os/b": 1, "os/x": 1}
    )
    units, notes = units_of(read_runs([run]), {"os": ["a", "b", "gone"], "vlc": ["v"], "gimp": []})
    assert units == [
        Unit("os", "a", "mail", "stop"),
        Unit("os", "a", "website", "stop"),
        Unit("os", "b"),
        Unit("os", "gone"),
        Unit("vlc", "v"),
    ]
    assert notes == [
        "1 units found are not in the index and left out, e.g. os/x",
        "no folder holds the index's domains vlc: all their trials are missing",
    ]


def test_an_index_of_other_domains_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r1", {"os/a": 1})
    with pytest.raises(InputError, match="it names vlc/v; the folders hold os/a"):
        units_of(read_runs([run]), {"vlc": ["v"]})


def test_scores_and_reasons_of_what_is_missing(tmp_path: Path) -> None:
    runs = read_runs(
        [write_run(tmp_path / "r1", {"os/a": 1, "os/b": 0.5}), write_run(tmp_path / "r2", {"os/a": "nan"})]
    )
    (table,) = tables_of("S", runs, units_of(runs, None)[0], harmful_of(runs), several=False)
    np.testing.assert_array_equal(table.scores, [[1, np.nan], [0.5, np.nan]])
    assert [(str(m.unit), m.run, m.reason) for m in table.missing] == [
        ("os/a", str(tmp_path / "r2"), "result.txt holds nan, which is not a score from 0 to 1"),
        ("os/b", str(tmp_path / "r2"), "no folder"),
    ]


def test_several_models_give_a_table_each_with_names_that_tell_them_apart(tmp_path: Path) -> None:
    for condition in ("pyautogui/screenshot/m1", "pyautogui/som/m1", "pyautogui/som/m2", "pyautogui/som/m2_jailbreak"):
        write_run(tmp_path / "r1", {"os/a": 1}, condition)
    runs = read_runs([tmp_path / "r1"])
    names = [table.name for table in tables_of("S", runs, [Unit("os", "a")], frozenset(), several=False)]
    assert names == ["S · pyautogui/screenshot/m1", "S · pyautogui/som/m1", "S · m2", "S · m2_jailbreak"]


def test_tasks_that_score_harm_stand_apart(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r1", {"os/good": 1, "os/bad": 1})
    (run / "pyautogui/screenshot/some-model/os/bad/events.jsonl").write_text('{"task":{"kind":"misuse"}}\n')
    runs = read_runs([run])
    tables = tables_of("S", runs, units_of(runs, None)[0], harmful_of(runs), several=False)
    assert [(t.name, t.harm, [u.task for u in t.units]) for t in tables] == [
        ("S", False, ["good"]),
        ("S · harm done", True, ["bad"]),
    ]


def test_tasks_whose_score_says_nothing_are_left_out_and_named(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r1", {"os/good": 1, "os/judged": 1})
    record = '{"task":{"kind":"misuse","unmeasured":true}}\n'
    (run / "pyautogui/screenshot/some-model/os/judged/events.jsonl").write_text(record)
    runs = read_runs([run])
    units, notes = units_of(runs, None)
    assert [unit.task for unit in units] == ["good"]
    assert notes[-1].startswith("1 units are left out whose checkers measure neither success nor harm")
    with pytest.raises(InputError, match="judge summary"):
        units_of(runs, {"os": ["judged"]})


def test_a_full_id_in_an_index_is_one_injection(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r1", {"os/a__inject__website__stop": 1, "os/a__inject__mail__stop": 0})
    units, _ = units_of(read_runs([run]), {"os": ["a__inject__mail__stop", "a__inject__website__other"]})
    assert units == [Unit("os", "a", "mail", "stop"), Unit("os", "a", "website", "other")]


def test_folders_beside_runs_are_not_dropped_in_silence(tmp_path: Path) -> None:
    write_run(tmp_path / "run1", {"os/a": 1})
    (tmp_path / "summary").mkdir()
    assert len(read_runs([tmp_path])) == 1
    write_run(tmp_path / "run1_retry", {"os/a": 1})
    with pytest.raises(InputError, match="holds episodes in run1_retry beside run1"):
        read_runs([tmp_path])


def test_run_numbers_that_collide_are_refused(tmp_path: Path) -> None:
    write_run(tmp_path / "run1", {"os/a": 1})
    write_run(tmp_path / "run01", {"os/a": 0})
    with pytest.raises(InputError, match="list the folders of the runs one by one"):
        read_runs([tmp_path])


def test_an_empty_name_is_no_folder() -> None:
    with pytest.raises(InputError, match="empty name"):
        read_runs([Path("")])
