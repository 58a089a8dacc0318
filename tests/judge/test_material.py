"""What is taken out of an episode, in the states in which people's folders are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge.samples import STAMP, T0, judge, judge_with, judging, osharm_episode, our_episode, place, png, strings
from trueline.errors import InputError
from trueline.judge.material import Material, material_of
from trueline.judge.types import PROMPT_VERSIONS, JudgeType, PromptVersion, rules_judge
from trueline.models.testing import FakeServer
from trueline.records import EpisodeWriter, StoreLevel, TaskRef, read_episode
from trueline.records.events import Started
from trueline.records.layout import Unit
from trueline.records.task_texts import task_texts_below

ERROR = {"Error": "Time limit exceeded in chrome/task"}


def material(folder: Path) -> Material:
    return material_of(read_episode(folder))


def line(step: int) -> dict[str, object]:
    return {
        "step_num": step, "action_timestamp": STAMP, "action": "WAIT", "reward": 0, "done": False, "info": {},
        "screenshot_file": f"step_{step}_{STAMP}.png",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        ([line(1), line(2)], 2),
        ([line(1), line(2), ERROR], 2),
        ([line(1), ERROR], 1),
        ([line(1), line(2), ERROR, ERROR], 2),
        ([ERROR], 0),
        ([ERROR, ERROR], 0),
        ([], 0),
        (None, 0),
    ],
)
def test_the_last_screen_is_that_after_the_last_action(
    tmp_path: Path, lines: list[dict[str, object]] | None, last: int
) -> None:
    folder = osharm_episode(place(tmp_path), ["a", "b"])
    (folder / "traj.jsonl").unlink()
    if lines is not None:
        (folder / "traj.jsonl").write_text("".join(json.dumps(item) + "\n" for item in lines))
    assert material(folder).last_screen == (f"step_{last}_{STAMP}.png" if last else "step_0.png")


def test_a_folder_without_better_log_is_judged_by_what_was_executed(tmp_path: Path) -> None:
    folder = place(tmp_path)
    folder.mkdir(parents=True)
    lines = [line(1) | {"response": "I wait."}, line(3) | {"action": "pyautogui.click(5, 6)"}]
    (folder / "traj.jsonl").write_text("".join(json.dumps(item) + "\n" for item in lines))
    (folder / "step_0.png").write_bytes(png("0"))
    found = material(folder)
    assert [(step.index, step.response, step.actions) for step in found.steps] == [
        (0, "I wait.", "WAIT"), (2, "pyautogui.click(5, 6)", ""),
    ]  # fmt: skip
    assert found.indices == {0, 2}
    assert found.observation_type == "screenshot"


CLICK = "pyautogui.click(5, 6)"


@pytest.mark.parametrize(
    ("response", "action", "shown"),
    [
        ("I click the button.", CLICK, CLICK),
        (f"I click.\n```python\nimport pyautogui\n{CLICK}\n```", CLICK, ""),
        ("```python\npyautogui.click( 5,6 )\n```", CLICK, ""),
        ("pyautogui.click(5, 61)", CLICK, CLICK),
        (f"first {CLICK}", f"{CLICK}; {CLICK}", f"{CLICK}\n{CLICK}"),
        (f"pyautogui.write('x')\n{CLICK}", f"{CLICK}\npyautogui.write('x')", f"{CLICK}\npyautogui.write('x')"),
        ("I press the DONE button.", "DONE", "DONE"),
        ("All is well.\n```DONE```", "DONE", ""),
    ],
)
@pytest.mark.parametrize("key", ["response", "plan"])
def test_actions_are_shown_unless_the_answer_holds_them(
    tmp_path: Path, key: str, response: str, action: str, shown: str
) -> None:
    folder = place(tmp_path)
    folder.mkdir(parents=True)
    (folder / "traj.jsonl").write_text(json.dumps(line(1) | {key: response, "action": action}) + "\n")
    (step,) = material(folder).steps
    assert (step.response, step.actions) == (response, shown)


def test_a_thought_does_not_hide_the_action(tmp_path: Path) -> None:
    found = material(our_episode(place(tmp_path), responses=["I only look."]))
    assert "pyautogui.click(1, 1)" in found.steps[0].actions


def test_a_source_that_counts_from_0_keeps_its_numbers(tmp_path: Path) -> None:
    folder = place(tmp_path)
    folder.mkdir(parents=True)
    (folder / "traj.jsonl").write_text("".join(json.dumps(line(k)) + "\n" for k in (0, 1)))
    assert material(folder).indices == {0, 1}


def test_an_injection_is_found_also_where_the_path_is_short(tmp_path: Path) -> None:
    injection: dict[str, object] = {"type": "website", "goals": ["g"], "content": "x", "goal_id": "g"}
    found = material(osharm_episode(place(tmp_path, "t__inject__website__g"), injection=injection))
    assert (found.unit, found.category) == (Unit("chrome", "t", "website", "g"), "injection")


def test_an_episode_without_steps_is_no_material(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the episode has no steps of the agent"):
        material(our_episode(place(tmp_path), responses=[]))


def test_an_episode_that_has_not_ended_is_no_material(tmp_path: Path) -> None:
    folder = place(tmp_path)
    started = Started(time=T0, task=TaskRef(domain="chrome", id="t"), instruction="x")
    EpisodeWriter(folder, started).close()
    with pytest.raises(InputError, match="has not ended"):
        material(folder)


def test_missing_and_damaged_pictures_are_warnings_and_the_step_stays(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path), observation_type="screenshot")
    (folder / "step_0.png").unlink()
    (folder / f"step_1_{STAMP}.png").write_bytes(b"no picture")
    server = FakeServer(default=judging())
    (outcome,) = judge_with(server, [folder], judge("default"))
    assert outcome.judgment is not None
    assert outcome.warnings == (
        "step_0.png: is not there",
        f"step_1_{STAMP}.png: must be a PNG, JPEG, WebP or GIF image; convert it first",
    )
    text = server.seen[0].raw.decode()
    assert len(server.seen[0].pictures()) == 1
    assert text.count("(the screenshot is missing)") == 2
    assert all(f"answer of step {k}" in text for k in range(3))
    meta = json.loads((folder / "judgment/wise/default/v3/judgment.meta.json").read_bytes())
    assert tuple(meta["warnings"]) == outcome.warnings


def test_what_the_record_does_not_name_is_a_warning_too(tmp_path: Path) -> None:
    folder = our_episode(place(tmp_path), responses=["a"])
    (outcome,) = judge_with(
        FakeServer(default=judging()), [folder], judge("default"), observation_type="screenshot_a11y_tree"
    )
    assert "step 0: no accessibility tree is recorded" in outcome.warnings
    assert outcome.judgment is not None


@pytest.mark.parametrize(("judge_type", "missing"), [("aer", 1), ("default", 2), ("all_step_aer", 3), ("a11y_tree", 0)])
def test_the_real_trace_is_judged_with_a_warning_per_missing_picture(
    shared_data: Path, tmp_path: Path, judge_type: JudgeType, missing: int
) -> None:
    traces = shared_data / "osharm" / "traces"
    name = "2ad9387a-65d8-4e33-ad5b-7580065a27ca__inject__desktop_notification__stop_task"
    folder = place(tmp_path, name, model="o4-mini", seen="screenshot_a11y_tree")
    folder.mkdir(parents=True)
    (folder / "traj.jsonl").write_bytes((traces / "stop_task_notification.traj.jsonl").read_bytes())
    log = (traces / "stop_task_notification.better_log.SHORTENED.json").read_bytes()
    (folder / "better_log.json").write_bytes(log)
    server = FakeServer(default=judging())
    (outcome,) = judge_with(server, [folder], judge(judge_type))
    assert outcome.judgment is not None
    assert len(outcome.warnings) == missing
    assert all(warning.endswith(".png: is not there") for warning in outcome.warnings)
    (seen,) = server.seen
    texts = "\n".join(strings(seen.body["messages"]))
    assert all(step["response"] in texts for step in json.loads(log)["steps"])
    meta = json.loads(next(folder.rglob("judgment.meta.json")).read_bytes())
    assert meta["category"] == "injection"


def test_a_redacted_episode_is_not_judged(tmp_path: Path) -> None:
    folder = our_episode(place(tmp_path), store=StoreLevel.REDACTED)
    with pytest.raises(InputError, match="stored redacted"):
        material(folder)


def without_task(folder: Path, words: str = "") -> Path:
    """A folder as OSWorld leaves it: what was done, but not what for."""
    folder.mkdir(parents=True)
    (folder / "traj.jsonl").write_text(json.dumps(line(1)) + "\n" + words)
    return folder


@pytest.mark.parametrize("version", PROMPT_VERSIONS)
def test_a_task_that_is_not_recorded_is_looked_up_or_not_judged(tmp_path: Path, version: PromptVersion) -> None:
    folder = without_task(place(tmp_path / "results"))
    (outcome,) = judge_with(server := FakeServer(default=judging()), [folder], judge("a11y_tree", version))
    assert "no task text is recorded; name its folder with --test_config_base_dir" in str(outcome.error)
    assert server.count == 0
    (tmp_path / "examples/chrome").mkdir(parents=True)
    (tmp_path / "examples/chrome/task.json").write_text(json.dumps({"instruction": "Mail the report."}))
    (outcome,) = judge_with(server, [folder], judge("a11y_tree", version), task_texts=task_texts_below(tmp_path))
    assert outcome.error is None
    text = "\n".join(strings(server.seen[0].body["messages"]))
    assert text.count("Mail the report.") == 1


@pytest.mark.parametrize("model", ["rules", "local|wise"])
def test_what_the_reader_met_is_a_warning(tmp_path: Path, model: str) -> None:
    folder = osharm_episode(place(tmp_path))
    (folder / "traj.jsonl").write_text('{"step_nu\n' + (folder / "traj.jsonl").read_text())
    who = rules_judge() if model == "rules" else judge("aer")
    (outcome,) = judge_with(FakeServer(default=judging()), [folder], who)
    assert [warning.split(": ")[:2] for warning in outcome.warnings] == [["traj.jsonl:1", "not JSON"]]
    meta = json.loads(next(folder.rglob("judgment.meta.json")).read_bytes())
    assert tuple(meta["warnings"]) == outcome.warnings
