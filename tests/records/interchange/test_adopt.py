"""A half-finished folder of OS-Harm that `trueline run` continues."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from records.interchange.samples import seed_episode, tree_of
from trueline.cli import main
from trueline.errors import InputError
from trueline.records import Environment, EpisodeLimits, Sampling, Setting, attempts_of, claim_setting, read_setting
from trueline.records.scan import scan

MODEL = "pyautogui/screenshot_a11y_tree/o4-mini"
Out = pytest.CaptureFixture[str]


LOGGED: dict[str, object] = {
    "platform": "ubuntu", "model": "o4-mini", "max_tokens": 1500, "top_p": 0.9, "temperature": 1.0,
    "action_space": "pyautogui", "observation_type": "screenshot_a11y_tree", "max_trajectory_length": 3,
    "a11y_tree_max_tokens": 10000, "max_steps": 15,
}  # fmt: skip


def params(folder: Path) -> dict[str, object]:
    """Give the log of a folder the parameters that OS-Harm logs."""
    path = folder / "better_log.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"params": LOGGED}))
    return LOGGED


def whole(logged: dict[str, object], **changes: object) -> Setting:
    """The setting that a run with the printed flags has: more than OS-Harm records."""
    fields = {name: logged[name] for name in ("temperature", "top_p", "max_tokens")}
    return Setting.model_validate(
        {
            "agent": "prompt",
            "model": "openai|o4-mini",
            "sampling": Sampling.model_validate(fields),
            "agent_options": {
                "client_password": "password",
                "max_trajectory_length": logged["max_trajectory_length"],
            },
            "observation_type": "screenshot_a11y_tree",
            "limits": EpisodeLimits.model_validate({"max_steps": logged["max_steps"]}),
            "environment": Environment(provider="local"),
            "prompts": {"system": "0" * 8},
            **changes,
        }
    )


def test_scored_episodes_stay_and_unfinished_ones_are_moved_aside(tmp_path: Path, capsys: Out) -> None:
    root = tmp_path / "my results"
    scored = seed_episode(root / MODEL / "chrome/_captcha")
    cut = seed_episode(root / MODEL / "os/_ransomware", score=None)
    empty = seed_episode(root / MODEL / "os/__t__inject__website__stop_task")
    (empty / "result.txt").write_text("")
    before = tree_of(scored)
    assert main(["import", "--adopt", str(root)]) == 0
    out = capsys.readouterr().out
    assert "1 scored episodes stay, 2 unfinished ones are below .attempts" in out
    lines = [shlex.split(line) for line in out.splitlines() if line.startswith("  trueline run")]
    assert [words[words.index("--test_all_meta_path") + 1] for words in lines] == [
        "evaluation_examples/test_injection.json",
        "evaluation_examples/test_misuse.json",
    ]
    assert "--inject" in lines[0] and "--inject" not in lines[1]
    for words in lines:
        assert words[words.index("--result_dir") + 1] == str(root)
        assert words[words.index("--model") + 1] == "o4-mini"
    assert tree_of(scored) == before
    assert [trial.score for trial in scan(root)] == [1.0]
    assert len(attempts_of(root, cut)) == len(attempts_of(root, empty)) == 1
    with pytest.raises(InputError, match="already"):
        raise_of(capsys, root)


def raise_of(capsys: Out, root: Path) -> None:
    assert main(["import", "--adopt", str(root)]) == 2
    raise InputError(capsys.readouterr().err)


def test_the_first_run_completes_the_setting_and_another_one_is_refused(tmp_path: Path) -> None:
    folder = seed_episode(tmp_path / MODEL / "chrome/_captcha")
    logged = params(folder)
    assert main(["import", "--adopt", str(tmp_path)]) == 0
    setting = whole(logged)
    with pytest.raises(InputError, match=r"has another setting \(limits.max_steps: .* there, 99 here\)"):
        claim_setting(tmp_path / MODEL, whole(logged, limits=EpisodeLimits(max_steps=99)))
    with pytest.raises(InputError, match=r'model: "o4-mini" there, "gpt-4o" here'):
        claim_setting(tmp_path / MODEL, whole(logged, model="openai|gpt-4o"))
    claim_setting(tmp_path / MODEL, setting)
    assert read_setting(tmp_path / MODEL / "setting.json") == setting
    with pytest.raises(InputError, match="belongs to another setting"):
        claim_setting(tmp_path / MODEL, whole(logged, environment=Environment(provider="osworld")))


def test_settings_that_differ_inside_a_folder_are_refused_before_anything_is_changed(
    tmp_path: Path, capsys: Out
) -> None:
    seed_episode(tmp_path / MODEL / "chrome/_captcha")
    other = seed_episode(tmp_path / MODEL / "os/_ransomware", score=None)
    log = json.loads((other / "better_log.json").read_text())
    log["params"]["temperature"] = 0.25
    (other / "better_log.json").write_text(json.dumps(log))
    before = tree_of(tmp_path)
    assert main(["import", "--adopt", str(tmp_path)]) == 2
    assert "temperature" in capsys.readouterr().err
    assert tree_of(tmp_path) == before


def test_with_another_folder_the_source_is_only_read(tmp_path: Path, capsys: Out) -> None:
    seed_episode(tmp_path / "in" / MODEL / "chrome/_captcha")
    seed_episode(tmp_path / "in" / MODEL / "os/_ransomware", score=None)
    before = tree_of(tmp_path / "in")
    assert main(["import", "--adopt", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--json"]) == 0
    (adopted,) = json.loads(capsys.readouterr().out)["adopted"]
    assert (adopted["scored"], len(adopted["moved_aside"])) == (1, 1)
    assert tree_of(tmp_path / "in") == before
    assert main(["import", str(tmp_path / "in")]) == 2
    assert "--out is required" in capsys.readouterr().err
