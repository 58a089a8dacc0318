"""Going on from files: the reference's and our own, with nothing lost and nothing of another setting mixed in."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from support.bench_set import load, write_set
from trueline.errors import InputError
from trueline.guard.bench import read_sources
from trueline.guard.bench.cases import StepKey
from trueline.guard.bench.evaluate import steps_left
from trueline.guard.bench.journal import BenchJournal, Evaluated, journal_path
from trueline.guard.bench.progress import told_by
from trueline.guard.bench.store import BenchStore
from trueline.guard.registry import GuardRequest, open_guard
from trueline.models.build import Config
from trueline.records.interchange.misactbench import Evaluation, read_benchmark
from trueline.records.setting import GuardSetting

OPTIONS: dict[str, JsonValue] = {
    "systematic_analysis_model": "openai|gpt-5",
    "fast_check_model": "openai|gpt-5-mini",
    "narrative_summary_model": "openai|gpt-5",
    "no_policy": True,
}


def setting_of(**options: JsonValue) -> GuardSetting:
    """What shapes the verdicts of the whole guard with these options."""

    async def made() -> GuardSetting:
        request = GuardRequest(options=OPTIONS | options)
        async with open_guard(request, config=Config(named_only=True)) as opened:
            return opened.verdict_setting

    return asyncio.run(made())


SETTING = setting_of()


def opened(root: Path, setting: GuardSetting = SETTING, trajectories: int = 2) -> BenchStore:
    file = root / "MisActBench" / "misactbench.json"
    if not file.exists():
        write_set(root, trajectories)
    sources = read_sources(file, read_benchmark(file).benchmark.trajectories)
    return BenchStore(root / "results.json", root / "narratives.json", sources, setting)


def left(store: BenchStore, root: Path) -> int:
    file = root / "MisActBench" / "misactbench.json"
    sources = read_sources(file, read_benchmark(file).benchmark.trajectories)
    return sum(steps_left(source, store.progress) for source in sources)


def reference_results(root: Path, **evaluation: Any) -> dict[str, Any]:
    """A result file as DeAction/run.py leaves it: no options of ours, model names as they were typed."""
    data = load(write_set(root, 2))
    found = {"systematic_analysis": "deaction", "systematic_analysis_model": "gpt-5", "fast_check_model": "gpt-5-mini",
             "is_misaligned": False, "thought": "fine", "time": 7.2} | evaluation  # fmt: skip
    return {
        name: {**entry, "status": "completed"}
        | {"steps": {n: step | {"post_screenshot_path": "x.png", "systematic_analysis_evaluation": found,
                                "narrative_summary_error": "unexpected keyword argument"}
                     for n, step in entry["steps"].items()}}
        for name, entry in data.items()
    }  # fmt: skip


def test_results_of_the_reference_are_taken_over(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(reference_results(tmp_path)))
    store = opened(tmp_path)
    assert left(store, tmp_path) == 0
    step = store.results()["trajectory-0000"].steps[1]
    assert step.systematic_analysis_evaluation is not None
    assert step.systematic_analysis_evaluation.time == 7.2


def test_a_file_with_nothing_left_to_do_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(reference_results(tmp_path)))
    before = (tmp_path / "results.json").read_bytes()
    asyncio.run(_nothing(opened(tmp_path)))
    assert (tmp_path / "results.json").read_bytes() == before
    assert not (tmp_path / "narratives.json").exists()


def test_what_the_reference_let_pass_in_an_error_is_asked_again(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(reference_results(tmp_path, error="API error")))
    assert left(opened(tmp_path), tmp_path) == 6


def test_a_half_done_file_is_finished(tmp_path: Path) -> None:
    half = reference_results(tmp_path)
    del half["trajectory-0001"]["steps"]["2"]["systematic_analysis_evaluation"]
    half["trajectory-0001"]["status"] = "in_progress"
    (tmp_path / "results.json").write_text(json.dumps(half))
    store = opened(tmp_path)
    assert left(store, tmp_path) == 1
    assert store.results()["trajectory-0001"].status == "in_progress"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"systematic_analysis_model": "gpt-5.1"}, "systematic_analysis_model: gpt-5.1 there, gpt-5 here"),
        ({"fast_check_model": "none"}, "fast_check_model: none there, gpt-5-mini here"),
        ({"systematic_analysis": "task-shield"}, "detector: task-shield there, deaction here"),
        ({"guard_options": SETTING.options | {"annotate": False}}, "annotate: False there, True here"),
        ({"guard_options": SETTING.options | {"rules": "abc"}}, "rules: abc there, none here"),
    ],
)
def test_verdicts_of_another_setting_are_refused(tmp_path: Path, change: dict[str, Any], named: str) -> None:
    (tmp_path / "results.json").write_text(json.dumps(reference_results(tmp_path, **change)))
    with pytest.raises(InputError, match=named):
        opened(tmp_path)


def test_verdicts_under_a_former_name_of_the_guard_are_taken_over(tmp_path: Path) -> None:
    setting = SETTING.model_copy(update={"name": "task-shield-like"})
    (tmp_path / "results.json").write_text(json.dumps(reference_results(tmp_path, systematic_analysis="task-shield")))
    assert left(opened(tmp_path, setting), tmp_path) == 0


def test_the_mode_and_the_deadline_are_no_other_setting() -> None:
    assert setting_of(mode="latency", deadline=3.0) == SETTING
    assert setting_of(annotate_actions=False) != SETTING


def test_verdicts_about_another_action_are_not_taken_over(tmp_path: Path) -> None:
    results = reference_results(tmp_path)
    results["trajectory-0000"]["steps"]["1"]["agent_output"] = "pyautogui.click(999, 999)"
    (tmp_path / "results.json").write_text(json.dumps(results))
    assert left(opened(tmp_path), tmp_path) == 1


def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    write_set(tmp_path, 2)
    for text in ('{"trajectory-0000": {"steps"', '{"trajectory-0000": {"instruction": 5}}', "[]"):
        (tmp_path / "results.json").write_text(text)
        with pytest.raises(InputError, match=r"results\.json"):
            opened(tmp_path)
        assert (tmp_path / "results.json").read_text() == text
    (tmp_path / "results.json").unlink()
    (tmp_path / "narratives.json").write_text('{"a": {"one": {}}}')
    with pytest.raises(InputError, match="narrative under the number"):
        opened(tmp_path)


async def _nothing(store: BenchStore) -> None:
    async with store:
        pass


async def _note_one(store: BenchStore) -> None:
    async with store:
        found = Evaluation(systematic_analysis_model="gpt-5", fast_check_model="gpt-5-mini", is_misaligned=True)
        store.note(Evaluated(key=StepKey("trajectory-0000", 2), evaluation=found))


def test_what_we_do_not_know_is_written_back(tmp_path: Path) -> None:

    results = reference_results(tmp_path)
    results["trajectory-0000"]["note"] = "mine"
    results["trajectory-0000"]["steps"]["1"]["reviewer"] = "A"
    results["of-another-set"] = results["trajectory-0001"] | {"trajectory_id": "of-another-set"}
    (tmp_path / "results.json").write_text(json.dumps(results))
    asyncio.run(_note_one(opened(tmp_path)))
    written = load(tmp_path / "results.json")
    assert list(written) == ["trajectory-0000", "trajectory-0001", "of-another-set"]
    assert written["trajectory-0000"]["note"] == "mine"
    assert written["trajectory-0000"]["steps"]["1"]["reviewer"] == "A"
    assert written["trajectory-0000"]["steps"]["1"]["narrative_summary_error"] == "unexpected keyword argument"
    assert written["trajectory-0000"]["steps"]["2"]["systematic_analysis_evaluation"]["is_misaligned"] is True
    assert written["of-another-set"]["steps"]["1"]["systematic_analysis_evaluation"]["thought"] == "fine"


def test_the_log_of_a_killed_run_counts_over_the_file(tmp_path: Path) -> None:

    (tmp_path / "results.json").write_text(json.dumps(reference_results(tmp_path, error="API error")))

    async def leave_a_log() -> None:
        journal = BenchJournal(journal_path(tmp_path / "results.json"))
        found = Evaluation(systematic_analysis_model="gpt-5", fast_check_model="gpt-5-mini", is_misaligned=True)
        journal.add(Evaluated(key=StepKey("trajectory-0000", 1), evaluation=found))
        await journal.flush()
        journal.close()

    asyncio.run(leave_a_log())
    store = opened(tmp_path)
    assert left(store, tmp_path) == 5
    asyncio.run(_nothing(store))
    written = load(tmp_path / "results.json")
    assert written["trajectory-0000"]["steps"]["1"]["systematic_analysis_evaluation"]["is_misaligned"] is True
    assert not journal_path(tmp_path / "results.json").exists()


def test_the_log_of_another_benchmark_is_not_thrown_away(tmp_path: Path) -> None:
    write_set(tmp_path, 2)
    log = journal_path(tmp_path / "results.json")
    entry = {"event": "evaluation", "key": ["elsewhere", 1], "evaluation": {"is_misaligned": True}}
    log.write_text(json.dumps(entry) + "\n")
    with pytest.raises(InputError, match="another benchmark: step 1 of elsewhere"):
        opened(tmp_path)
    assert log.exists()


def narrative(step: int, model: str | None, action: str) -> dict[str, Any]:
    return {"step_idx": step, "action": action, "narrative": "It was typed.", "model": model}


def test_narratives_are_kept_if_the_same_model_told_the_same_action(tmp_path: Path) -> None:
    data = load(write_set(tmp_path, 2))
    actions = {n: step["agent_output"] for n, step in data["trajectory-0000"]["steps"].items()}
    # The older tool strips comments so that words run together.
    squeezed = actions["1"].replace("  # step", "").replace("import ", "import")
    cache = {
        "trajectory-0000": {
            "1": narrative(1, "gpt-5", squeezed),
            "2": narrative(2, "claude-sonnet-4-5", actions["2"]),
            "3": narrative(3, "openai|gpt-5", "pyautogui.click(999, 999)"),
        },
        "elsewhere": {"7": narrative(7, "gpt-5", "x")},
    }
    (tmp_path / "narratives.json").write_text(json.dumps(cache))
    store = opened(tmp_path)
    assert set(told_by(store.progress, "openai|gpt-5")) == {StepKey("trajectory-0000", 1)}
    asyncio.run(_note_one(store))
    written = load(tmp_path / "narratives.json")
    assert written["elsewhere"] == cache["elsewhere"]
    assert written["trajectory-0000"]["2"]["model"] == "claude-sonnet-4-5"
