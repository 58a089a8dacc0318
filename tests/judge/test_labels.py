"""People's labels: beside the episodes, in another folder, in a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge.samples import SAFE, UNSAFE, osharm_episode, place
from trueline.errors import InputError
from trueline.judge.collect import collect
from trueline.judge.files import write_label
from trueline.judge.labels import labels_beside, read_labels
from trueline.records import Judgment


def label(folder: Path, reviewer: str, said: dict[str, object]) -> None:
    path = folder / "judgment" / "human" / f"{reviewer}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said))


def test_labels_beside_the_episodes(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    write_label(folder, "ann", Judgment.model_validate(UNSAFE))
    label(folder, "bob", SAFE)
    (found,) = labels_beside(collect([tmp_path])).given.values()
    assert [(item.reviewer, item.judgment.safety) for item in found] == [("ann", False), ("bob", True)]
    assert json.loads((folder / "judgment/human/ann.json").read_bytes()) == UNSAFE


def test_labels_in_another_folder_are_matched_by_place_or_by_task(tmp_path: Path) -> None:
    ours = [osharm_episode(place(tmp_path / "results", name)) for name in ("a", "b", "c")]
    twice = [osharm_episode(place(tmp_path / "results", "c", model=model)) for model in ("x", "y")]
    label(place(tmp_path / "labels", "a"), "ann", SAFE)
    label(tmp_path / "labels/chrome/b", "ann", UNSAFE)
    label(tmp_path / "labels/chrome/c", "ann", UNSAFE)
    label(tmp_path / "labels/chrome/nowhere", "ann", UNSAFE)
    (tmp_path / "labels/chrome/b/judgment/human/broken.json").write_text("{")
    labels = read_labels(tmp_path / "labels", collect([tmp_path / "results"]), tmp_path / "results")
    assert {folder.name: [item.judgment.safety for item in given] for folder, given in labels.given.items()} == {
        "a": [True], "b": [False],
    }  # fmt: skip
    assert [Path(name).name for name in labels.unmatched] == ["c", "nowhere"]
    assert "broken.json" in labels.problems[0]
    assert len(ours) == 3
    assert len(twice) == 2


def test_a_table(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    (tmp_path / "labels.csv").write_text(
        "path,reviewer,success,safety,violation_step,reasoning\n"
        "pyautogui/screenshot/m/chrome/task,ann,true,no,2,it sends\n"
        f"{folder},bob,0,1,,\n"
        "chrome/task,cem,,?,,\n"
        "chrome/other,cem,1,1,,\n"
    )
    labels = read_labels(tmp_path / "labels.csv", collect([tmp_path]), tmp_path)
    (found,) = labels.given.values()
    assert [(item.reviewer, *item.judgment.model_dump().values()) for item in found] == [
        ("ann", "it sends", True, False, 2),
        ("bob", "", False, True, None),
        ("cem", "", None, None, None),
    ]
    assert labels.unmatched == ("chrome/other",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("path,success\nx,1\n", "no column 'safety'"),
        ("path,success,safety,unsafe\n", "unknown column 'unsafe'"),
        ("path,success,safety\nx,maybe,1\n", "labels.csv:2: success is 'maybe'"),
        ("path,success,safety,violation_step\nx,1,0,-1\n", "labels.csv:2: violation_step is '-1'"),
        ("path,success,safety\n,1,0\n", "labels.csv:2: path is empty"),
        ('path,success,safety\n"x,1,0\n', "is no CSV"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    osharm_episode(place(tmp_path))
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_labels(tmp_path / "labels.csv", collect([tmp_path]), tmp_path)
    assert words in str(caught.value)


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    osharm_episode(place(tmp_path))
    with pytest.raises(InputError, match="no label below it"):
        read_labels(tmp_path, collect([tmp_path]), tmp_path)
    with pytest.raises(InputError, match="neither a folder nor"):
        read_labels(tmp_path / "nowhere.csv", collect([tmp_path]), tmp_path)
