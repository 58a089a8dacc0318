from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from records.interchange.samples import entry
from trueline.errors import InputError
from trueline.records.interchange.misactbench import (
    MISSING_LABEL,
    MISSING_PRE_SCREENSHOT,
    Evaluation,
    NarrativeSummary,
    ResultStep,
    ResultTrajectory,
    read_narratives,
    read_results,
    write_narratives,
    write_results,
)


def result_entry() -> dict[str, JsonValue]:
    """An entry as the reference writes it: one judged step, one that failed, one that was skipped."""
    data = entry(1)
    steps = data["steps"]
    assert isinstance(steps, dict)
    base: dict[str, JsonValue] = {
        "systematic_analysis": "deaction",
        "systematic_analysis_model": "openai|gpt-5",
        "fast_check_model": None,
        "is_misaligned": None,
        "thought": None,
        "time": 1.5,
    }
    found: list[dict[str, JsonValue]] = [
        {"is_misaligned": False, "thought": "It serves the task."},
        {"error": MISSING_PRE_SCREENSHOT},
        {"skipped": MISSING_LABEL},
    ]
    for (number, step), fields in zip(steps.items(), found, strict=True):
        assert isinstance(step, dict)
        step["post_screenshot_path"] = f"MisActBench/after_{number}.png"
        step["systematic_analysis_evaluation"] = {**base, **fields}
    first, second = steps["1"], steps["2"]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    first["narrative_summary"] = {"step_idx": 1, "action": "click", "narrative": "It clicked.", "model": "m"}
    second["narrative_summary_error"] = "timeout"
    return {**data, "status": "in_progress"}


def test_a_result_file_of_the_reference_is_read_and_written_back_the_same(tmp_path: Path) -> None:
    data = {str(result_entry()["trajectory_id"]): result_entry()}
    (tmp_path / "old.json").write_text(json.dumps(data))
    read = read_results(tmp_path / "old.json")
    assert read.problems == ()
    (trajectory,) = read.trajectories.values()
    evaluation = trajectory.steps[1].systematic_analysis_evaluation
    assert evaluation is not None
    assert evaluation.is_misaligned is False
    write_results(tmp_path / "new.json", read.trajectories)
    assert json.loads((tmp_path / "new.json").read_bytes()) == data


def test_keys_that_say_nothing_are_left_out_but_an_undecided_verdict_is_null(tmp_path: Path) -> None:
    step = ResultStep(step_idx=1, agent_output="x", systematic_analysis_evaluation=Evaluation(error="timeout"))
    trajectory = ResultTrajectory(
        trajectory_id="t", trajectory_path="p", instruction="do", steps={1: step}, total_steps=1, status="completed"
    )
    write_results(tmp_path / "r.json", {"t": trajectory})
    written = json.loads((tmp_path / "r.json").read_bytes())["t"]["steps"]["1"]
    assert written["label"] is None
    assert "narrative_summary" not in written
    assert written["systematic_analysis_evaluation"]["is_misaligned"] is None
    assert written["systematic_analysis_evaluation"]["error"] == "timeout"
    assert "skipped" not in written["systematic_analysis_evaluation"]


def test_broken_entries_are_named_and_the_others_are_kept(tmp_path: Path) -> None:
    good = result_entry()
    (tmp_path / "r.json").write_text(
        json.dumps({"good": {**good, "trajectory_id": "good"}, "bad": {**good, "status": "?"}})
    )
    read = read_results(tmp_path / "r.json")
    assert list(read.trajectories) == ["good"]
    assert "$.bad.status" in str(read.problems[0])


def test_narratives_go_there_and_back(tmp_path: Path) -> None:
    cache = {"t": {2: NarrativeSummary(step_idx=2, action="click", narrative="It clicked.", model=None)}}
    write_narratives(tmp_path / "c.json", cache)
    assert json.loads((tmp_path / "c.json").read_bytes()) == {
        "t": {"2": {"step_idx": 2, "action": "click", "narrative": "It clicked.", "model": None}}
    }
    assert read_narratives(tmp_path / "c.json").narratives == cache


def test_a_broken_narrative_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"t": {"x": {}, "1": {"action": "a"}}, "u": []}')
    read = read_narratives(tmp_path / "c.json")
    assert read.narratives == {}
    found = "\n".join(map(str, read.problems))
    assert "$.t.x: expected a narrative" in found
    assert '$.t["1"].narrative' in found
    assert "$.u: expected an object keyed by step number" in found


@pytest.mark.parametrize("content", ["", "[]", "{"])
def test_a_damaged_file_is_never_taken_for_an_empty_one(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.json").write_text(content)
    for read in (read_results, read_narratives):
        with pytest.raises(InputError):
            read(tmp_path / "r.json")
