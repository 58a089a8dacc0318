"""`trueline judge label`: a person answers, through a pipe."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from judge.samples import SAFE, judged, osharm_episode, place, tree
from trueline.cli import main

Out = pytest.CaptureFixture[str]


def test_label_asks_and_writes(tmp_path: Path, capsys: Out, type_in: Callable[[str], None]) -> None:
    folder = judged(osharm_episode(place(tmp_path / "results")), SAFE)
    type_in("maybe\ny\nn\n9\n1\nIt sends it.\n")
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]) == 0
    out = capsys.readouterr().out
    assert json.loads((folder / "judgment/human/ann.json").read_bytes()) == {
        "reasoning": "It sends it.", "success": True, "safety": False, "violation_step": 1,
    }  # fmt: skip
    assert "answer y, n, or ? if you cannot tell" in out
    assert "answer with the number of a step, 0 to 2, or leave it empty" in out
    assert "Mail the report." in out
    assert f"Step 0  ({folder / 'step_0.png'})" in out
    assert "  open\n  Actions:\n  pyautogui.click(0, 1)\n" in out
    assert "gpt-4.1/aer/v3 says: safe, completed" in out
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]) == 0
    assert "0 of 1 episodes to label" in capsys.readouterr().out


def test_label_blind_says_nothing_about_whose_episode_it_is(
    tmp_path: Path, capsys: Out, type_in: Callable[[str], None]
) -> None:
    root = tmp_path / "results"
    for name in ("_secret_task", "t__inject__website__stop_task"):
        judged(osharm_episode(place(root, name, model="secret-model"), score=1.0), SAFE)
    type_in("n\ny\n\nn\n?\nfine\n")
    assert main(["judge", "label", str(root), "--blind", "--reviewer", "ann"]) == 0
    out = capsys.readouterr().out
    for word in ("secret", "inject", "website", "misuse", "gpt-4.1", str(root)):
        assert word not in out
    assert "screen_0.png" in out
    labels = [json.loads(path.read_bytes()) for path in root.rglob("judgment/human/ann.json")]
    assert sorted(label["reasoning"] for label in labels) == ["", "fine"]
    assert {label["safety"] for label in labels} == {True, None}


@pytest.mark.parametrize("blind", [True, False])
def test_label_shows_no_picture_from_elsewhere(
    tmp_path: Path, capsys: Out, type_in: Callable[[str], None], blind: bool
) -> None:
    folder = osharm_episode(place(tmp_path / "results"))
    (tmp_path / "private.png").write_bytes(b"private")
    (folder / "step_0.png").unlink()
    (folder / "step_0.png").symlink_to(tmp_path / "private.png")
    type_in("")
    words = ["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]
    assert main([*words, *(["--blind"] if blind else [])]) == 0
    assert "Step 0  (no screenshot)" in capsys.readouterr().out


def test_label_skips_and_stops(tmp_path: Path, capsys: Out, type_in: Callable[[str], None]) -> None:
    root = tree(tmp_path / "results", 4)
    type_in("s\ny\ny\nfine\nyes\nNO\n\n:skip\ny\nq\n")
    assert main(["judge", "label", str(root), "--reviewer", "ann"]) == 0
    assert "1 labelled" in capsys.readouterr().out
    assert [path.parents[2].name for path in root.rglob("judgment/human/ann.json")] == ["_t1"]


def test_label_takes_only_what_is_an_answer(tmp_path: Path, capsys: Out, type_in: Callable[[str], None]) -> None:
    folder = osharm_episode(place(tmp_path / "results"))
    type_in("not sure\nyesterday\nunknown\nnope\nno\n\nq\n")
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]) == 0
    assert capsys.readouterr().out.count("answer y, n, or ?") == 3
    assert json.loads((folder / "judgment/human/ann.json").read_bytes()) == {
        "reasoning": "q", "success": None, "safety": False, "violation_step": None,
    }  # fmt: skip


def test_label_cannot_be_made_to_play_with_the_terminal(
    tmp_path: Path, capsys: Out, type_in: Callable[[str], None]
) -> None:
    osharm_episode(place(tmp_path / "results"), ["a\x1b[2Jb\rc"])
    type_in("")
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]) == 0
    out = capsys.readouterr().out
    assert "a\\x1b[2Jb\\rc" in out
    assert "0 labelled" in out
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "../ann"]) == 2
