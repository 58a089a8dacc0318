"""People's labels: beside the episodes, in another folder, in a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge.samples import SAFE, UNSAFE, osharm_episode, place
from trueline.errors import InputError
from trueline.judge.files import write_label
from trueline.judge.judged_episodes import read_judged_episodes
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
    (found,) = labels_beside(read_judged_episodes([tmp_path])).given.values()
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
    labels = read_labels(tmp_path / "labels", read_judged_episodes([tmp_path / "results"]), tmp_path / "results")
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
    labels = read_labels(tmp_path / "labels.csv", read_judged_episodes([tmp_path]), tmp_path)
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
        ("path,success\nx,1\n", "missing column 'safety'"),
        ("path,success,safety,unsafe\n", "unknown column 'unsafe'"),
        ("path,success,safety\nx,maybe,1\n", "labels.csv:2: success is 'maybe'"),
        ("path,success,safety,violation_step\nx,1,0,-1\n", "labels.csv:2: violation_step is '-1'"),
        ("path,success,safety\n,1,0\n", "labels.csv:2: path is empty"),
        ('path,success,safety\n"x,1,0\n', "is not valid CSV"),
        ("path,success,safety\nx,1\n", "labels.csv:2: has 2 cells; expected 3"),
        ("path,success,safety\nx,1,1,0\n", "labels.csv:2: has 4 cells; expected 3"),
        ("path,success,safety,success\nx,1,1,0\n", "duplicate column 'success'"),
        ("path,success,safety\nx\0y,1,1\n", "labels.csv:2: path contains a NUL"),
        (f"path,success,safety,violation_step\nx,1,0,{'9' * 5000}\n", "labels.csv:2: violation_step is '999"),
        ("path,success,safety,violation_step\nx,1,1,2\n", "labels.csv:2: violation_step is 2, but safety is true"),
        ("path,success,safety,violation_step\nchrome/task,1,0,3\n", "labels.csv:2: violation_step is 3, but the"),
        (
            "path,success,safety\nchrome/task,1,0\nm/chrome/task,1,1\n",
            "labels.csv:3: csv has labelled PLACE already, in ROOT/labels.csv:2",
        ),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    osharm_episode(place(tmp_path))
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_labels(tmp_path / "labels.csv", read_judged_episodes([tmp_path]), tmp_path)
    words = words.replace("PLACE", str(place(tmp_path))).replace("ROOT", str(tmp_path))
    assert words in str(caught.value)


def test_labels_of_another_agent_or_repeat_are_not_taken(tmp_path: Path) -> None:
    root, labels = tmp_path / "results", tmp_path / "labels"
    osharm_episode(place(root / "run1", "a", model="m"))
    for other in (place(Path("run1"), "a", model="x"), place(Path("run2"), "a", model="m"), Path("x/chrome/a")):
        label(labels / other, "ann", UNSAFE)
    label(labels / place(Path("run1"), "a", model="m_jailbreak"), "ann", UNSAFE)
    (tmp_path / "labels.csv").write_text(
        "path,success,safety\n"
        + "".join(f"{place(Path('run1'), 'a', model=model)},1,0\n" for model in ("x", "m_jailbreak"))
        + f"{place(tmp_path / 'elsewhere/run2', 'a')},1,0\nx/chrome/a,1,0\n"
    )
    episodes = read_judged_episodes([root])
    for source in (labels, tmp_path / "labels.csv"):
        found = read_labels(source, episodes, root)
        assert (found.given, len(found.unmatched)) == ({}, 4)
    # The same when one agent's folder is named alone.
    inside = root / "run1/pyautogui/screenshot/m"
    found = read_labels(labels / "run1/pyautogui/screenshot/x", read_judged_episodes([inside]), inside)
    assert (found.given, len(found.unmatched)) == ({}, 1)


def test_labels_laid_out_like_one_agents_folder_are_taken(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path / "results/run1", "a"))
    label(tmp_path / "labels/chrome/a", "ann", UNSAFE)
    label(place(tmp_path / "whole", "a"), "ann", UNSAFE)
    for source, root in (("labels", "results/run1/pyautogui/screenshot/m"), ("whole", "results/run1")):
        found = read_labels(tmp_path / source, read_judged_episodes([tmp_path / root]), tmp_path / root)
        assert list(found.given) == [folder]


def test_a_broken_label_beside_an_episode_is_told(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    label(folder, "ann", SAFE)
    (folder / "judgment/human/bob.json").write_text("{")
    labels = labels_beside(read_judged_episodes([tmp_path]))
    assert [[item.reviewer for item in given] for given in labels.given.values()] == [["ann"]]
    (problem,) = labels.problems
    assert problem.startswith(f"{folder}: judgment/human/bob.json: not JSON")


def test_two_labels_of_one_person_for_one_episode_are_refused(tmp_path: Path) -> None:
    osharm_episode(place(tmp_path / "results", "a"))
    for folder in (place(tmp_path / "labels", "a"), tmp_path / "labels/chrome/a"):
        label(folder, "ann", SAFE)
    with pytest.raises(InputError, match=r"chrome/a: ann has labelled .* already, in .*chrome/a; keep only one"):
        read_labels(tmp_path / "labels", read_judged_episodes([tmp_path / "results"]), tmp_path / "results")


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    osharm_episode(place(tmp_path))
    with pytest.raises(InputError, match="no labels found below it"):
        read_labels(tmp_path, read_judged_episodes([tmp_path]), tmp_path)
    with pytest.raises(InputError, match="neither a folder nor"):
        read_labels(tmp_path / "nowhere.csv", read_judged_episodes([tmp_path]), tmp_path)
