"""Folders as OS-Harm, OSWorld, Agent S3, RedTeamCUA and the reliability study write them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.actions import Click, Code, Done, Fail, Point, Type, Wait, bare
from trueline.actions.decoded import SafetyCheck
from trueline.errors import InputError
from trueline.records import Attack, End, JudgedBy, Judgment, StoredFile, read_episode
from trueline.records.folder.better_log import dump_better_log
from trueline.records.folder.traj import dump_lines

Json = dict[str, object]


def line(step: int, action: object, *, time: str = "20260101@000000", **more: object) -> Json:
    return {
        "step_num": step, "action_timestamp": time, "action": action, "reward": 0, "done": False, "info": {},
        "screenshot_file": f"step_{step}_{time}.png", **more,
    }  # fmt: skip


def entry(screenshot: str, actions: list[object], response: str = "r") -> Json:
    return {"a11y_tree": "tag\tname", "screenshot_file": screenshot, "response": response, "actions": actions}


def lay_out(folder: Path, lines: list[Json] | bytes, steps: list[Json] | None = None, **files: str) -> Path:
    """A folder with the pictures its lines name."""
    folder.mkdir(parents=True)
    content = lines if isinstance(lines, bytes) else b"".join(json.dumps(item).encode() + b"\n" for item in lines)
    (folder / "traj.jsonl").write_bytes(content)
    (folder / "step_0.png").write_bytes(b"0")
    for item in [] if isinstance(lines, bytes) else lines:
        if isinstance(name := item.get("screenshot_file"), str):
            (folder / name).write_bytes(b"1")
    if steps is not None:
        log = {
            "params": {"model": "m", "action_space": "pyautogui", "max_steps": 3},
            "task": {"jailbreak": False, "injection": None, "instruction": "Do it."},
            "steps": steps,
        }
        (folder / "better_log.json").write_text(json.dumps(log))
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def episode(tmp_path: Path, name: str = "t", model: str = "m") -> Path:
    return tmp_path / "pyautogui" / "screenshot" / model / "chrome" / name


def test_the_real_trace_reads_without_loss(shared_data: Path, tmp_path: Path) -> None:
    traces = shared_data / "osharm" / "traces"
    folder = episode(tmp_path, "2ad9387a__inject__desktop_notification__stop_task", "o4-mini")
    folder.mkdir(parents=True)
    traj = (traces / "stop_task_notification.traj.jsonl").read_bytes()
    log = (traces / "stop_task_notification.better_log.SHORTENED.json").read_bytes()
    (folder / "traj.jsonl").write_bytes(traj)
    (folder / "better_log.json").write_bytes(log)
    read = read_episode(folder)
    assert dump_lines(item.data for item in read.lines) == traj
    assert read.log is not None
    assert dump_better_log(read.log) == log
    record, data = read.record, json.loads(log)
    assert record.params == data["params"]
    assert record.instruction == data["task"]["instruction"]
    injection = data["task"]["injection"]
    assert record.attack == Attack(
        vector="desktop_notification",
        goal="stop_task",
        content=injection["content"],
        config={"type": injection["type"], "goals": injection["goals"]},
    )
    assert [step.observation and step.observation.tree_text for step in record.steps] == [
        step["a11y_tree"] for step in data["steps"]
    ]
    assert [step.proposal and step.proposal.raw for step in record.steps] == [
        step["response"] for step in data["steps"]
    ]
    first, second = record.steps
    assert [bare(result.action) for result in first.results] == [Click(at=Point(720, 130)), Wait(seconds=0.5)]
    assert first.proposal is not None
    assert first.proposal.actions == tuple(result.action for result in first.results)
    assert str(first.results[-1].time) == "2026-03-20 22:29:44"
    assert [bare(result.action) for result in second.results] == [Fail()]
    assert (record.end, record.score, record.finished) == (End.FAIL, None, False)
    assert [str(problem) for problem in read.problems] == [
        "traj.jsonl:1: step_1_20260320@222944.png is missing",
        "better_log.json: step_0.png is missing",
        "traj.jsonl:2: step_2_20260320@222952.png is missing",
    ]
    assert all(result.duration is None and result.output is None for step in record.steps for result in step.results)


def test_several_actions_of_a_step_and_skipped_numbers(tmp_path: Path) -> None:
    click, typing = "pyautogui.click(1, 2)", "pyautogui.write('a')"
    steps = [
        entry("step_0.png", [click, typing]),
        entry("step_1_20260101@000001.png", [], "no code"),
        entry("step_2_20260101@000001.png", ["DONE"]),
    ]
    lines = [
        line(1, click),
        line(1, typing, time="20260101@000001"),
        line(3, "DONE", time="20260101@000009", done=True, info={"done": True}),
    ]
    read = read_episode(lay_out(episode(tmp_path), lines, steps, result__txt="0.5\n"))
    record = read.record
    assert [step.number for step in record.steps] == [1, 2, 3]
    assert [len(step.results) for step in record.steps] == [2, 0, 1]
    assert [bare(result.action) for result in record.steps[0].results] == [Click(at=Point(1, 2)), Type(text="a")]
    assert record.steps[1].proposal is not None
    assert (record.steps[1].proposal.raw, record.steps[1].proposal.actions) == ("no code", ())
    assert (record.end, record.score) == (End.DONE, 0.5)
    # OS-Harm names the screen after a step without an action by the new number and the old time.
    third = record.steps[2].observation
    assert third is not None
    assert third.screenshot == StoredFile(file="step_1_20260101@000001.png")
    (problem,) = read.problems
    assert "step_2_20260101@000001.png is missing; step_1_20260101@000001.png has the same time" in problem.what


def test_a_run_that_broke_off(tmp_path: Path) -> None:
    lines: list[Json] = [line(1, "WAIT"), {"Error": "Time limit exceeded in chrome/t"}]
    record = read_episode(lay_out(episode(tmp_path), lines)).record
    assert record.errors[0].message == "Time limit exceeded in chrome/t"
    assert (record.end, record.unscored, record.score, record.finished) == (None, None, None, False)
    assert len(record.steps) == 1


def test_agent_s3_merges_its_plan_into_the_lines(tmp_path: Path) -> None:
    more = {"plan": "I click.", "plan_code": "agent.click()", "exec_code": "x", "reflection": ""}
    folder = lay_out(
        tmp_path / "results" / "baseline" / "run2" / "pyautogui" / "screenshot" / "gpt-5" / "os" / "t",
        [line(1, "import pyautogui; pyautogui.click(5, 6);", **more)],
        instruction__txt="Open it.",
        plan_info__json='{"plan": ["a"]}',
        result__txt="1.0",
    )
    read = read_episode(folder)
    step = read.record.steps[0]
    assert step.proposal is not None
    assert step.proposal.raw == "I click."
    assert [bare(action) for action in step.proposal.actions] == [Click(at=Point(5, 6))]
    assert step.observation is not None
    assert step.observation.screenshot == StoredFile(file="step_0.png")
    assert {key: read.lines[0].data[key] for key in more} == more
    assert read.documents == {"plan_info.json": {"plan": ["a"]}}
    assert (read.record.instruction, read.record.repeat, read.record.task.domain) == ("Open it.", 2, "os")
    assert read.problems == ()


def test_redteamcua_has_a_second_score(tmp_path: Path) -> None:
    folder = lay_out(
        episode(tmp_path),
        [line(1, "DONE", response=["a", {"b": 1}])],
        result__txt="0",
        adversary_result__txt="1.0",
        check__json='{"safety_check": 2}',
        config__json='{"instruction": "Read the post."}',
    )
    (folder / "step_0.png").rename(folder / "step_0_20260101@000000.png")
    read = read_episode(folder)
    assert (read.record.score, read.adversary_score) == (0.0, 1.0)
    assert read.record.funnel is not None
    assert read.record.funnel.achieved is True
    assert read.documents["check.json"] == {"safety_check": 2}
    assert read.record.instruction == "Read the post."
    step = read.record.steps[0]
    assert step.proposal is not None
    assert step.proposal.raw == '["a", {"b": 1}]'
    assert step.observation is not None
    assert step.observation.screenshot == StoredFile(file="step_0_20260101@000000.png")


def test_actions_as_objects(tmp_path: Path) -> None:
    lines = [
        line(1, {"action_type": "CLICK", "parameters": {"x": 3, "y": 4}}),
        line(2, {"action_type": "TYPING", "text": "hi"}),
        line(3, {"name": "computer", "command": "pyautogui.press('enter')"}),
        line(4, {"action_type": "DANCE"}),
        line(5, "DONE"),
    ]
    read = read_episode(lay_out(episode(tmp_path), lines))
    actions = [bare(step.results[0].action) for step in read.record.steps]
    assert actions[:2] == [Click(at=Point(3, 4)), Type(text="hi")]
    assert actions[2].kind == "key"
    assert isinstance(actions[3], Code)
    assert actions[4] == Done()
    assert [str(problem) for problem in read.problems] == [
        "traj.jsonl:4: not an action that is known: unknown action_type 'DANCE'"
    ]
    assert dump_lines(item.data for item in read.lines) == (read.folder / "traj.jsonl").read_bytes()


def test_a_jailbreak_is_told_by_the_folder_or_the_log(tmp_path: Path) -> None:
    folder = lay_out(episode(tmp_path, model="m_jailbreak"), [line(1, "FAIL")])
    assert read_episode(folder).record.attack == Attack(jailbreak=True)
    assert read_episode(lay_out(episode(tmp_path, "u"), [line(1, "FAIL")])).record.attack is None


def test_the_step_limit_is_an_end(tmp_path: Path) -> None:
    steps = [entry("step_0.png", ["WAIT"])] + [entry(f"step_{n}_20260101@000000.png", ["WAIT"]) for n in (1, 2)]
    folder = lay_out(episode(tmp_path), [line(n, "WAIT") for n in (1, 2, 3)], steps)
    assert read_episode(folder).record.end is End.STEP_LIMIT


def test_what_is_broken_is_named_by_file_and_line_and_the_rest_is_read(tmp_path: Path) -> None:
    good = json.dumps(line(1, "WAIT")).encode()
    odd = [b"{not json", b"[1]", b"\xff\xfe", b"[" * 5000, b'{"step_num": true, "action": "WAIT"}', b'{"step_num": 1}']
    folder = lay_out(episode(tmp_path), b"\n".join([good, *odd, good]), better_log__json="[1, 2]", result__txt="nan")
    read = read_episode(folder)
    found = [str(problem) for problem in read.problems]
    for number in range(2, 8):
        assert any(text.startswith(f"traj.jsonl:{number}: ") for text in found), number
    assert any(text.startswith("better_log.json: ") for text in found)
    assert any(text.startswith("result.txt: ") for text in found)
    assert [problem.raw for problem in read.problems if problem.line in (2, 3)] == ["{not json", "[1]"]
    assert read.record.score is None
    assert len(read.record.steps) == 1
    assert len(read.record.steps[0].results) == 3


@pytest.mark.parametrize("name", ["../../secret.png", "/etc/passwd", "a/b.png", "..", "", "a\0b", 7, ["x"]])
def test_a_screenshot_name_never_leads_out_of_the_folder(tmp_path: Path, name: object) -> None:
    (tmp_path / "secret.png").write_bytes(b"s")
    item = line(1, "WAIT")
    item["screenshot_file"] = name
    folder = lay_out(episode(tmp_path), json.dumps(item).encode())
    read = read_episode(folder)
    assert read.record.steps[0].results[0].screenshot is None
    assert "does not name a file of this folder" in read.problems[0].what


def test_two_runs_in_one_file_and_plans_that_were_not_run_are_noted(tmp_path: Path) -> None:
    folder = lay_out(
        episode(tmp_path, "t__inject__website__stop_task"),
        [line(1, "WAIT"), line(2, "WAIT"), line(1, "DONE")],
        [entry("step_0.png", ["pyautogui.click(1, 1)"])],
    )
    log = json.loads((folder / "better_log.json").read_text())
    log["task"]["injection"] = {"type": "vs_code", "goal_id": "stop_task", "goals": [], "content": "x"}
    (folder / "better_log.json").write_text(json.dumps(log))
    found = [problem.what for problem in read_episode(folder).problems]
    assert any("two runs in one file" in what for what in found)
    assert any("differ from what traj.jsonl says" in what for what in found)
    assert any("step 2 is not in better_log.json" in what for what in found)
    assert any("the folder's name says otherwise" in what for what in found)


def test_a_log_of_another_shape_is_noted(tmp_path: Path) -> None:
    folder = lay_out(episode(tmp_path), [line(1, "WAIT")], better_log__json='{"params": 1, "steps": ["x"]}')
    assert [problem.what for problem in read_episode(folder).problems][:4] == [
        "params is missing or of a wrong type",
        "task is missing or of a wrong type",
        "steps.0 is not an object",
        "steps.0.actions: differ from what traj.jsonl says was executed",
    ]


def test_judgments_of_all_kinds_stand_beside_the_episode(tmp_path: Path) -> None:
    folder = lay_out(episode(tmp_path), [line(1, "DONE")])
    four: Json = {"reasoning": "r", "success": True, "safety": False, "violation_step": 0}
    files: dict[str, object] = {
        "gpt-4.1/aer/v3/judgment.json": four,
        "org/model/a11_tree_default/v2/judgment.json": {**four, "violation_step": None, "category": "x"},
        "human/ann.json": {**four, "success": None},
        "broken/aer/v3/judgment.json": {**four, "violation_step": -1},
        "gpt-4.1/aer/v3/judgment.meta.json": {},
    }
    for name, content in files.items():
        path = folder / "judgment" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    (folder / "judgment/local/model.json").mkdir(parents=True)  # a model may have such a name
    read = read_episode(folder)
    assert read.judgments == {
        JudgedBy(judge_model="gpt-4.1", judge_type="aer", version="v3"): Judgment.model_validate(four),
        JudgedBy(judge_model="org/model", judge_type="a11_tree_default", version="v2"): Judgment(
            reasoning="r", success=True, safety=False, violation_step=None
        ),
        JudgedBy(judge_model="human", judge_type="ann"): Judgment(
            reasoning="r", success=None, safety=False, violation_step=0
        ),
    }
    assert [problem.file for problem in read.problems] == [
        "judgment/broken/aer/v3/judgment.json",
        "judgment/org/model/a11_tree_default/v2/judgment.json",
    ]


def test_what_is_no_episode_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for name, text in {"empty": "holds no episode", "file": "this is a file", "nowhere": "cannot be read"}.items():
        with pytest.raises(InputError, match=text):
            read_episode(tmp_path / name)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["step_num", "action", "action_timestamp", "screenshot_file", "info", "done", "response", "plan", "Error", "x"]
)
LOG_KEYS = st.sampled_from(
    ["params", "task", "steps", "injection", "type", "goal_id", "actions", "screenshot_file", "x"]
)
LOG = st.recursive(JSON, lambda i: st.dictionaries(LOG_KEYS, i, max_size=4) | st.lists(i, max_size=3), max_leaves=12)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=4), LOG)
def test_no_content_breaks_the_reader_and_every_line_is_kept(lines: list[Json], log: object) -> None:
    with TemporaryDirectory() as root:
        folder = lay_out(episode(Path(root)), [{**item, "screenshot_file": None} for item in lines])
        content = b"".join(json.dumps(item).encode() + b"\n" for item in lines)
        (folder / "traj.jsonl").write_bytes(content)
        (folder / "better_log.json").write_text(json.dumps(log))
        read = read_episode(folder)
        assert dump_lines(item.data for item in read.lines) == content
        if isinstance(log, dict):
            assert dump_better_log(read.log or {}) == json.dumps(log).encode()


def test_actions_of_openais_agent_are_read_through_the_code_inside_with_their_pending_checks(tmp_path: Path) -> None:
    check = {"id": "cu_1", "code": "malicious_instructions", "message": "Look out."}
    inside = {
        "action_space": "pyautogui", "action": "pyautogui.click(3, 4)", "call_id": "c1",
        "pending_checks": [check, {"code": "without an id"}, "no object"],
    }  # fmt: skip
    lines = [
        line(1, inside),
        line(2, {"action_space": "pyautogui", "action": "DONE", "pending_checks": []}),
    ]
    read = read_episode(lay_out(episode(tmp_path), lines))
    assert [bare(step.results[0].action) for step in read.record.steps] == [Click(at=Point(3, 4)), Done()]
    proposals = [step.proposal for step in read.record.steps if step.proposal]
    checks = (SafetyCheck("cu_1", "malicious_instructions", "Look out."),)
    assert [proposal.safety_checks for proposal in proposals] == [checks, ()]
    assert read.problems == ()
