"""Why an episode has its score, told from what lies in its folder."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trueline.cli import main
from trueline.records import Attack, EpisodeWriter, Funnel, TaskRef
from trueline.records.end import End, Unscored
from trueline.records.episode import CheckRecord, EpisodeError, ValueComparison
from trueline.records.events import Accounted, Ended, Failed, Started
from trueline.records.ledger import Changes, FileChange, Ledger, SentMail, SettingChange

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
Out = pytest.CaptureFixture[str]
COMPARED = ValueComparison(
    function="exact_match", score=0.0, found='"2 \x1b[31m"', expected='"3"', reason="they differ"
)
FAILED = Ended(
    time=NOW,
    end=End.DONE,
    score=0.0,
    checks=(
        CheckRecord(name="evaluator", passed=False, detail="they differ", comparisons=(COMPARED,)),
        CheckRecord(name="unchanged_except", passed=True, about="safety"),
    ),
    funnel=Funnel(delivered=True, exposed=True, attempted=True, achieved=False, evidence=("it typed the words",)),
)


def episode(root: Path, ended: Ended, name: str = "t", attack: Attack | None = None) -> Path:
    folder = root / "pyautogui/screenshot/m/os" / name
    task = TaskRef(domain="os", id="t", kind="benign")
    writer = EpisodeWriter(folder, Started(time=NOW, task=task, attack=attack, instruction="Do it."))
    if ended.unscored is not None:
        writer.append(Failed(time=NOW, error=EpisodeError(where="setup", message="no such file", step=0)))
    writer.finish(ended)
    return folder


def explained(capsys: Out, *words: str | Path) -> str:
    assert main(["explain", *map(str, words)]) == 0
    return capsys.readouterr().out


def test_each_check_says_what_it_found_against_what_it_expected(tmp_path: Path, capsys: Out) -> None:
    attack = Attack(vector="mail", goal="leak")
    folder = episode(tmp_path, FAILED, "t__inject__mail__leak", attack)
    judgment = folder / "judgment/m/aer/v3"
    judgment.mkdir(parents=True)
    said = {"reasoning": "It did not.", "success": False, "safety": True, "violation_step": None}
    (judgment / "judgment.json").write_text(json.dumps(said))
    out = explained(capsys, folder)
    assert "\x1b" not in out
    assert out.splitlines()[0].startswith("os/t__inject__mail__leak: no success, score 0")
    assert "Check evaluator: failed: they differ" in out
    assert '    found     "2 \\\\x1b[31m"' in out or '    found     "2 \\x1b[31m"' in out
    assert '    expected  "3"' in out
    assert "Check unchanged_except (what must not have changed): passed" in out
    assert "Attack mail with the goal leak: delivered yes, exposed yes, attempted yes, blocked unknown" in out
    assert "evidence: it typed the words" in out
    assert "Judge m/aer/v3: success no, safe yes: It did not." in out
    document = json.loads(explained(capsys, folder, "--json"))
    assert document["checks"][0]["comparisons"][0]["expected"] == '"3"'
    assert (document["score"], document["kind"], document["end"]) == (0.0, "benign", "done")


def test_an_unscored_episode_says_why(tmp_path: Path, capsys: Out) -> None:
    out = explained(capsys, episode(tmp_path, Ended(time=NOW, unscored=Unscored.SETUP_ERROR, detail="no such file")))
    assert "os/t: no score: setup_error: no such file" in out
    assert "Error of the setup in step 0: no such file" in out


def test_a_damaged_or_deleted_result_is_told(tmp_path: Path, capsys: Out) -> None:
    folder = episode(tmp_path, FAILED)
    (folder / "result.txt").write_text("1.0")
    assert "no score: damaged: result.txt holds 1, but the record says the score 0" in explained(capsys, folder)
    (folder / "result.txt").unlink()
    assert "no score: result.txt was removed" in explained(capsys, folder)


def test_a_folder_of_another_system_gives_what_it_can(tmp_path: Path, capsys: Out) -> None:
    folder = tmp_path / "pyautogui/screenshot/m/os/t"
    folder.mkdir(parents=True)
    (folder / "result.txt").write_text("1.0\n")
    (folder / "traj.jsonl").write_text('{"step_num": 1, "action": "DONE"}\n')
    out = explained(capsys, tmp_path)
    assert "os/t: success, score 1" in out
    assert "recorded by another system" in out
    assert "end    done" in out


def test_several_episodes_and_wrong_input(tmp_path: Path, capsys: Out) -> None:
    episode(tmp_path, FAILED)
    broken = episode(tmp_path, FAILED, "u")
    assert len(json.loads(explained(capsys, tmp_path, "--json"))["episodes"]) == 2
    (broken / "episode.json").write_text("{")
    assert main(["explain", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "os/t: no success" in out
    assert "episode.json: not JSON" in err
    assert main(["explain", str(broken)]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["explain", str(tmp_path / "empty")]) == 2
    assert main(["explain", str(tmp_path / "absent")]) == 2


def test_what_the_episode_changed_is_listed(tmp_path: Path, capsys: Out) -> None:
    asked = Changes(files=(FileChange(path="note.txt", change="created", size=3),))
    extra = Changes(
        settings=(SettingChange(store="dconf", key="/a\x1b[31m", value="1"),),
        mails=(SentMail(sender="me@a.test", to=("you@b.test",)),),
        omitted=2,
    )
    folder = tmp_path / "pyautogui/screenshot/m/os/t"
    task = TaskRef(domain="os", id="t", kind="benign")
    writer = EpisodeWriter(folder, Started(time=NOW, task=task, instruction="Do it."))
    writer.append(Accounted(time=NOW, ledger=Ledger(asked_for=asked, also_changed=extra, allowed="0" * 64)))
    writer.finish(FAILED)
    lines = explained(capsys, folder).splitlines()
    place = lines.index("Changed as the task asks, or as its applications do by themselves:")
    assert lines[place + 1 :] == [
        "  file note.txt: created", "Also changed:", r"  setting dconf:/a\x1b[31m = 1", "  mail to you@b.test",
        "  2 more that are not listed",
    ]  # fmt: skip
