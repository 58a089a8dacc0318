"""`trueline judge summary` and `agreement`, through the program's own entry."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from judge.samples import SAFE, UNSAFE, judged, osharm_episode, place
from trueline.cli import main

Out = pytest.CaptureFixture[str]


def test_summary_counts_by_category_model_vector_and_goal(tmp_path: Path, capsys: Out) -> None:
    root = tmp_path / "results"
    for agent in ("o4-mini", "o4-mini_jailbreak"):
        for k in range(4):
            judged(osharm_episode(place(root, f"_m{k}", model=agent), score=1.0), UNSAFE if k else SAFE)
        judged(osharm_episode(place(root, "___a", model=agent)), SAFE)
        judged(osharm_episode(place(root, "t__inject__website__stop_task", model=agent)), UNSAFE)
        osharm_episode(place(root, "t__inject__vs_code__stop_task", model=agent))
    index = tmp_path / "test_misuse.json"
    index.write_text(json.dumps({"chrome": ["_m0", "_never_run"]}))
    words = ["judge", "summary", str(root), "--index", str(index), "--csv", str(tmp_path / "out.csv"), "--json"]
    assert main(words) == 0
    (judge,) = json.loads(capsys.readouterr().out)["judges"]
    assert judge["judge"] == "gpt-4.1/aer/v3"
    model: dict[str, Any] = judge["models"][0]
    assert model["model"] == "o4-mini"
    assert {name: (cell["unsafe"]["rate"], cell["judged"]) for name, cell in model["by_category"].items()} == {
        "misuse": (0.75, 4), "injection": (1.0, 1), "accident": (0.0, 1),
    }  # fmt: skip
    assert model["by_vector"]["vs_code"]["unsafe"]["rate"] is None
    assert model["by_goal"]["stop_task"]["episodes"] == 2
    missing = {(item["model"], item["task"], item["reason"]) for item in judge["missing"]}
    assert ("o4-mini", "chrome/t__inject__vs_code__stop_task", "not judged") in missing
    assert ("o4-mini", "chrome/_never_run", "no folder") in missing
    with (tmp_path / "out.csv").open() as file:
        assert len({row["model"] for row in csv.DictReader(file)}) == 2
    assert main(["judge", "summary", str(root), "--verbose"]) == 0
    text = capsys.readouterr().out
    assert "Missing judgments: 2" in text
    assert "100.0 [" in text


def test_summary_takes_one_block_per_judge_and_reads_os_harms_names(tmp_path: Path, capsys: Out) -> None:
    folder = judged(osharm_episode(place(tmp_path / "results")), SAFE, "gpt-4.1/a11_tree_default/v3")
    judged(folder, UNSAFE, "rules/rules/v1")
    judged(folder, UNSAFE, "human")
    (folder / "judgment/human/judgment.json").rename(folder / "judgment/human/ann.json")
    assert main(["judge", "summary", str(tmp_path / "results"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [judge["judge"] for judge in document["judges"]] == ["gpt-4.1/a11y_tree/v3", "rules/rules/v1"]
    words = ["judge", "summary", str(tmp_path / "results"), "--judge_model", "human", "--json"]
    assert main(words) == 0
    assert [judge["judge"] for judge in json.loads(capsys.readouterr().out)["judges"]] == ["human/ann"]


def test_agreement_with_labels_beside_and_in_a_table(tmp_path: Path, capsys: Out) -> None:
    root = tmp_path / "results"
    human: dict[str, dict[str, object]] = {"_a": UNSAFE, "_b": UNSAFE, "___c": SAFE, "_d": SAFE}
    judge = {"_a": UNSAFE | {"violation_step": 2}, "_b": SAFE, "___c": SAFE}
    table = ["path,success,safety,violation_step"]
    for name, said in human.items():
        folder = osharm_episode(place(root, name))
        if name in judge:
            judged(folder, judge[name])
        judged(folder, said, "human")
        (folder / "judgment/human/judgment.json").rename(folder / "judgment/human/ann.json")
        step = said["violation_step"]
        table.append(f"{folder},{said['success']},{said['safety']},{'' if step is None else step}")
    (tmp_path / "labels.csv").write_text("\n".join(table) + "\n")
    found: list[Any] = []
    for more in ([], ["--human", str(tmp_path / "labels.csv")], ["--human", str(root)]):
        assert main(["judge", "agreement", str(root), *more, "--json"]) == 0
        (document,) = json.loads(capsys.readouterr().out)["judges"]
        found.append({key: value for key, value in document.items() if key != "reviewers"})
        unsafe = document["overall"]["unsafe"]
        assert (unsafe["tp"], unsafe["fp"], unsafe["fn"], unsafe["tn"]) == (1, 0, 1, 1)
        assert (unsafe["precision"], unsafe["recall"]) == (1.0, 0.5)
        assert document["overall"]["violation_step"]["mean"] == 1
        assert document["by_category"].keys() == {"misuse", "accident"}
        assert [item["path"] for item in document["disagreements"]] == [str(place(root, "_b"))]
        assert document["not_judged"] == [str(place(root, "_d"))]
    assert found[0] == found[1] == found[2]
    assert main(["judge", "agreement", str(root)]) == 0
    assert f"{place(root, '_b')}: people say unsafe at step 1, not completed; judge safe, completed" in (
        capsys.readouterr().out
    )


def test_agreement_takes_the_majority_of_reviewers(tmp_path: Path, capsys: Out) -> None:
    folder = judged(osharm_episode(place(tmp_path / "results")), UNSAFE)
    for reviewer, said in (("ann", UNSAFE), ("bob", UNSAFE), ("cem", SAFE)):
        judged(folder, said, "human")
        (folder / "judgment/human/judgment.json").rename(folder / f"judgment/human/{reviewer}.json")
    assert main(["judge", "agreement", str(tmp_path / "results"), "--json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)["judges"]
    assert document["overall"]["unsafe"]["tp"] == 1
    assert document["alpha"]["safety"] is not None
    words = ["judge", "agreement", str(tmp_path / "results"), "--reviewer", "ann", "cem", "--json"]
    assert main(words) == 0
    (document,) = json.loads(capsys.readouterr().out)["judges"]
    assert document["no_majority"] == [str(folder)]
    (folder / "judgment/human/dan.json").write_text("{")
    assert main(["judge", "agreement", str(tmp_path / "results")]) == 0
    assert f"faults in files of labels: 1\n    {folder}: judgment/human/dan.json: not JSON" in capsys.readouterr().out
    assert document["overall"]["unsafe"]["n"] == 0


def test_agreement_says_how_many_it_does_not_list(tmp_path: Path, capsys: Out) -> None:
    root = tmp_path / "results"
    judged(osharm_episode(place(root)), SAFE)
    rows = [f"chrome/other{k},1,1\n" for k in range(23)]
    (tmp_path / "labels.csv").write_text("path,success,safety\nchrome/task,1,1\n" + "".join(rows))
    assert main(["judge", "agreement", str(root), "--human", str(tmp_path / "labels.csv")]) == 0
    out = capsys.readouterr().out
    assert "labels without an episode: 23\n" in out
    assert "    chrome/other19\n    and 3 more (--json lists all)\n" in out
