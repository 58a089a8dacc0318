"""`trueline run` with an agent written for OSWorld: it gets of the flags what its constructor names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.small_suite import write_suite
from trueline.cli import main
from trueline.records import read_episode

AGENT = """
class Teller:
    def __init__(self, platform, model, max_tokens, temperature, observation_type, max_trajectory_length, screen_width):
        self.made = [platform, model, max_tokens, temperature, observation_type, max_trajectory_length, screen_width]

    def predict(self, instruction, obs):
        return repr(self.made + [obs["screenshot"] is not None, obs["accessibility_tree"] is not None]), ["DONE"]


class Plain:
    def predict(self, instruction, obs):
        return "", ["DONE"]
"""
SCREEN = ("--screen_width", "1024", "--screen_height", "768", "--progress", "none", "--json")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: None) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "telling_agents.py").write_text(AGENT)
    write_suite(tmp_path / "suite", "t0")


def run(capsys: pytest.CaptureFixture[str], agent: str, *words: str) -> tuple[int, str, str]:
    code = main(["run", "--suite", "suite", "--agent", f"telling_agents:{agent}", *words, *SCREEN])
    out, err = capsys.readouterr()
    return code, out, err


def test_model_and_sampling_reach_its_constructor_and_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--model", "their/model-7b", "--temperature", "0.25", "--max_tokens", "77", "--max_trajectory_length", "5")
    code, out, err = run(capsys, "Teller", *words, "--observation_type", "screenshot_a11y_tree")
    assert (code, json.loads(out)["scored"]) == (0, 1), err
    record = read_episode(Path("results/pyautogui/screenshot_a11y_tree/their__model-7b/os/t0")).record
    made = "['ubuntu', 'their/model-7b', 77, 0.25, 'screenshot_a11y_tree', 5, 1024, True, True]"
    assert record.steps[0].attempts[0].proposal.raw == made
    assert record.setting is not None
    assert (record.setting.model, record.setting.sampling.temperature) == ("their/model-7b", 0.25)
    assert (record.params["model"], record.params["max_tokens"]) == ("their/model-7b", 77)


@pytest.mark.parametrize(
    ("agent", "words", "code", "said"),
    [
        ("Teller", ("--model", "m", "--model_url", "http://127.0.0.1:1"), 2, "calls its model by itself: leave out"),
        ("Teller", ("--model", "m", "--model_provider", "openai"), 2, "calls its model by itself: leave out"),
        ("Plain", ("--model", "m"), 1, "its constructor has no parameter model"),
        ("Teller", (), 1, "missing 1 required positional argument: 'model'"),
    ],
)
@pytest.mark.full
def test_what_it_cannot_take_is_said(
    capsys: pytest.CaptureFixture[str], agent: str, words: tuple[str, ...], code: int, said: str
) -> None:
    exit_code, out, err = run(capsys, agent, *words)
    assert exit_code == code, err
    if code == 1:
        assert json.loads(out)["unscored"] == {"setup_error": 1}
        (episode,) = Path("results").rglob("episode.json")
        assert said in read_episode(episode.parent).record.detail
    else:
        assert said in err and err.count("\n") == 1
