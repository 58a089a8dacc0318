from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from records_sample import SETTING, write_episode

from trueline.errors import InputError
from trueline.records import Sampling, Setting, attempts_of, claim_setting, move_aside, read_setting

OTHER = SETTING.model_copy(update={"sampling": Sampling(temperature=0.0), "perturbation": "set1"})


T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T | InputError]:
    gate = threading.Barrier(len(calls))

    def one(call: Callable[[], T]) -> T | InputError:
        gate.wait()
        try:
            return call()
        except InputError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def test_episodes_of_one_folder_draw_from_one_seed(tmp_path: Path) -> None:
    claim_setting(tmp_path / "m", SETTING, drawn={"seed": 1, "paired_seeds": False})
    claim_setting(tmp_path / "m", SETTING, drawn={"seed": 1, "paired_seeds": False})
    with pytest.raises(InputError, match=r"another setting \(seed: 1 there, 2 here\); use another folder"):
        claim_setting(tmp_path / "m", SETTING, drawn={"seed": 2, "paired_seeds": False})
    claim_setting(tmp_path / "old", SETTING)
    claim_setting(tmp_path / "old", SETTING, drawn={"seed": 2})  # nothing is known of what lies there


def test_a_folder_belongs_to_the_setting_that_came_first(tmp_path: Path) -> None:
    folder = tmp_path / "run1" / "pyautogui" / "som" / "m"
    claim_setting(folder, SETTING)
    claim_setting(folder, SETTING)
    assert read_setting(folder / "setting.json") == SETTING
    (tmp_path / "results-2").mkdir()
    with pytest.raises(InputError) as refusal:
        claim_setting(folder, OTHER, result_dir=tmp_path / "results")
    text = str(refusal.value)
    assert "sampling.temperature: 1.0 there, 0.0 here" in text
    assert 'perturbation: null there, "set1" here' in text
    assert text.endswith("/results-3")
    assert "\n" not in text


def test_the_folder_suggested_is_free(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    claim_setting(folder, SETTING)
    (tmp_path / "m-2").mkdir()
    with pytest.raises(InputError, match=r"for example .*/m-3$"):
        claim_setting(folder, OTHER)


def test_of_many_at_once_one_setting_wins(tmp_path: Path) -> None:
    for turn in range(30):
        folder = tmp_path / str(turn) / "m"
        settings: list[Setting] = [SETTING, OTHER] * 3
        outcomes = at_once([lambda s=setting, f=folder: claim_setting(f, s) for setting in settings])
        winner = read_setting(folder / "setting.json")
        assert [outcome is None for outcome in outcomes] == [setting == winner for setting in settings]
        assert [path.name for path in folder.iterdir()] == ["setting.json"]


def test_results_of_an_unknown_setting_are_not_mixed_with_ours(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    write_episode(folder / "chrome" / "t", steps=1)
    with pytest.raises(InputError, match="their setting is unknown"):
        claim_setting(folder, SETTING)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"digest": "x", "setting": {"agent": 3}}', b"\xff", b"[" * 100_000])
def test_a_broken_setting_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "setting.json").write_bytes(content)
    with pytest.raises(InputError, match=r"setting\.json: "):
        claim_setting(tmp_path, SETTING)


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"")
    with pytest.raises(InputError, match="is a file where a folder should be"):
        claim_setting(tmp_path / "m", SETTING)


def test_attempts_pile_up_in_order_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "run1" / "pyautogui" / "som" / "m" / "chrome" / "t"
    moved: list[Path] = []
    for steps in (1, 2, 3):
        write_episode(folder, steps=steps)
        place = move_aside(tmp_path, folder)
        assert place is not None
        moved.append(place)
    assert attempts_of(tmp_path, folder) == tuple(moved)
    assert all(place.is_relative_to(tmp_path / ".attempts" / "run1") for place in moved)
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / ".attempts").glob("**/")} == {0o700}
    assert [len((place / "traj.jsonl").read_bytes().splitlines()) for place in moved] == [1, 2, 3]
    assert move_aside(tmp_path, folder) is None


def test_of_many_movers_one_moves(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    for _ in range(20):
        write_episode(folder, steps=0)
        outcomes = at_once([lambda: move_aside(tmp_path, folder)] * 6)
        assert sum(isinstance(outcome, Path) for outcome in outcomes) == 1
        assert sum(outcome is None for outcome in outcomes) == 5
    assert len(attempts_of(tmp_path, folder)) == 20


def test_only_what_lies_below_is_moved(tmp_path: Path) -> None:
    result_dir = tmp_path / "results"
    (result_dir / ".attempts" / "x").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    for folder in (outside, result_dir, result_dir / ".." / "outside", result_dir / ".attempts" / "x"):
        with pytest.raises(InputError):
            move_aside(result_dir, folder)
    assert outside.is_dir()
