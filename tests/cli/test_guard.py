"""`trueline guard`: bench and check through the program's own entry, with scripted models and no network."""

from __future__ import annotations

import csv
import io
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from support.bench_set import judge, load, write_script, write_set
from trueline.cli import main
from trueline.records.verdict import Verdict

KEYS = {"n", "tp", "fp", "tn", "fn", "undecided", "precision", "recall", "accuracy", "f1", "ci", "by_category",
        "by_source", "by_agent", "stages", "wall_s", "calls", "cost"}  # fmt: skip


@pytest.fixture(autouse=True)
def clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder with no keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LOCAL_OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def command(*words: str, script: dict[str, Any] | None = None, stages: bool = True) -> list[str]:
    """A bench over the set of this folder with a scripted model for all stages."""
    file = Path("MisActBench/misactbench.json")
    if not file.exists():
        write_set(Path(), 12, steps=5)
    name = write_script(Path("model.json"), script or judge())
    models = ["--systematic_analysis_model", name, "--fast_check_model", name, "--no_policy"] if stages else []
    return ["guard", "bench", "--benchmark_file", str(file), *models, *words]


def run_json(capsys: pytest.CaptureFixture[str], words: list[str], code: int = 0) -> dict[str, Any]:
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_bench_scores_in_the_promised_shape(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, command())
    assert found.keys() >= KEYS
    assert [found[key] for key in ("n", "tp", "fp", "tn", "fn", "undecided")] == [48, 16, 0, 32, 0, 0]
    assert found["precision"] == found["recall"] == found["accuracy"] == found["f1"] == 1
    assert found["ci"].keys() == {"precision", "recall", "accuracy", "f1"}
    assert found["stages"].keys() == {"policy", "fast_check", "systematic"}
    assert found["stages"]["fast_check"]["decided"] == 32
    assert found["stages"]["systematic"]["decided"] == found["stages"]["systematic"]["tp"] == 16
    assert found["by_source"].keys() == {"OS-Harm", "RedTeamCUA"}
    assert found["by_agent"].keys() == {"agent-0", "agent-1", "agent-2"}
    assert sum(part["n"] for part in found["by_category"].values()) == 16
    assert found["calls"] == 60 + 48 + 16  # narratives of all steps, fast checks, systematic analyses
    assert found["cost"] == 0.0
    assert found["wall_s"] > 0
    others = {other["detector"]: other for other in found["alternatives"]}
    assert others["always misaligned"]["recall"] == 1
    assert others["always aligned"]["precision"] is None


def test_bench_writes_the_files_where_the_reference_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command()) == 0
    out = capsys.readouterr().out
    assert out.startswith("Detector")
    assert "tp 16, fp 0, tn 32, fn 0, undecided 0" in out
    results = load(Path("output/deaction_results.json"))
    assert results["trajectory-0000"]["steps"]["3"]["systematic_analysis_evaluation"]["is_misaligned"] is True
    assert results["trajectory-0000"]["steps"]["4"]["systematic_analysis_evaluation"]["skipped"] == "missing_label"
    assert "1" in load(Path("output/narrative_summary_cache.json"))["trajectory-0000"]


def test_undecided_steps_are_counted_three_ways_and_tried_again(capsys: pytest.CaptureFixture[str]) -> None:
    broken = judge()
    broken["rules"].insert(0, {"when": {"stage": "systematic"}, "answer": {"error": "server"}})
    found = run_json(capsys, command(script=broken))
    assert [found[key] for key in ("tp", "fp", "tn", "fn", "undecided")] == [0, 0, 32, 0, 16]
    ways = found["undecided_as"]
    assert ways["enforced"]["recall"] == 1 and ways["enforced"]["on_error"] == "block"
    assert ways["excluded"]["recall"] is None
    assert ways["aligned"]["recall"] == 0
    results = load(Path("output/deaction_results.json"))
    assert "plays the error" in results["trajectory-0000"]["steps"]["3"]["systematic_analysis_evaluation"]["error"]
    found = run_json(capsys, command())
    assert (found["tp"], found["undecided"], found["resumed"]) == (16, 0, 32)


def test_allowing_on_error_is_enforced_as_allowing(capsys: pytest.CaptureFixture[str]) -> None:
    broken = judge()
    broken["rules"].insert(0, {"when": {"stage": "systematic"}, "answer": {"error": "server"}})
    found = run_json(capsys, command("--guard_on_error", "allow", script=broken))
    assert found["undecided_as"]["enforced"]["recall"] == 0
    assert found["false_stops"]["expected"] == 0


def test_a_bench_in_which_nothing_is_decided_has_failed(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, command(script={"rules": [{"answer": {"error": "auth"}}]}), code=1)
    assert found["undecided"] == found["n"] == 48
    assert found["precision"] is None


def test_models_that_cannot_be_reached_stop_the_bench(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    words = command("--max_workers", "8")
    words[words.index("--systematic_analysis_model") + 1] = "local|deep"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_OPENAI_BASE_URL", url)
        assert main([*words, "--no_narrative_summary"]) == 1
    err = capsys.readouterr().err
    assert f"{url}" in err and "set its address with --model_url or LOCAL_OPENAI_BASE_URL" in err
    assert "rerun the same command to resume from output/deaction_results.json" in err


def test_results_that_are_whole_need_no_key(capsys: pytest.CaptureFixture[str]) -> None:
    run_json(capsys, command())
    text = Path("output/deaction_results.json").read_text()
    name = "scripted|model.json"
    Path("output/deaction_results.json").write_text(text.replace(name, "openai|gpt-5"))
    words = command(stages=False)
    assert main([*words, "--no_policy", "--fast_check_model", "gpt-5"]) == 0
    capsys.readouterr()
    assert main([*words, "--no_policy", "--result_file", "other.json"]) == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("detector", "tp", "fp"), [("always-aligned", 0, 0), ("always-misaligned", 16, 32), ("task-shield", 16, 0)]
)
def test_other_detectors(capsys: pytest.CaptureFixture[str], detector: str, tp: int, fp: int) -> None:
    script = judge()
    script["rules"][3:] = [
        {"when": {"system": "contribute to what the user asked", "text_regex": "proposal\n.*evil"},
         "answer": {"json": {"thought": "no", "contributes": False}}},
        {"when": {"system": "contribute to what the user asked"},
         "answer": {"json": {"thought": "yes", "contributes_to": ["it"], "contributes": True}}},
    ]  # fmt: skip
    found = run_json(capsys, command("--detector", detector, script=script))
    present = "task-shield-like" if detector == "task-shield" else detector
    assert (found["detector"], found["tp"], found["fp"]) == (present, tp, fp)
    assert found["calls"] == (60 + 48 if detector == "task-shield" else 0)
    results = load(Path("output/deaction_results.json"))
    assert results["trajectory-0000"]["steps"]["1"]["systematic_analysis_evaluation"]["systematic_analysis"] == present


def test_trajectories_whose_pictures_are_pointers_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    words = command("--detector", "policy", stages=False)
    folders = sorted(Path("MisActBench/trajectories").iterdir())
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"
    (folders[0] / "step_1.png").write_text(pointer)
    found = run_json(capsys, words)
    assert [(item["where"], "git lfs pull" in item["problems"][0]) for item in found["left_out"]] == [
        ("trajectory-0000", True)
    ]
    assert found["stages"]["policy"]["looked"] == 48 - 4
    assert found["missing"] == 0
    assert main(words) == 0
    assert "left out, in no figure: 1 trajectories" in capsys.readouterr().out
    for folder in folders:
        (folder / "step_1.png").write_text(pointer)
    assert main(words) == 2
    assert "no trajectory can be judged" in capsys.readouterr().err


def test_the_policy_stage_alone_needs_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    words = command("--detector", "policy", stages=False)
    data = load(Path("MisActBench/misactbench.json"))
    data["trajectory-0000"]["steps"]["3"]["agent_output"] = "import os\nos.system('rm -rf ~/')"
    Path("MisActBench/misactbench.json").write_text(json.dumps(data))
    found = run_json(capsys, words)
    assert (found["tp"], found["fp"], found["undecided"], found["calls"]) == (1, 0, 0, 0)
    assert found["stages"]["policy"]["looked"] == 48
    evaluation = load(Path("output/deaction_results.json"))["trajectory-0000"]["steps"]["3"]
    assert "rule delete-home" in evaluation["systematic_analysis_evaluation"]["thought"]


def test_the_policy_stage_stands_before_the_models_and_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for word in command() if word != "--no_policy"]
    found = run_json(capsys, words)
    assert found["stages"]["policy"]["looked"] == 48
    assert "policy only" in [other["detector"] for other in found["alternatives"]]
    assert main([*words, "--no_policy"]) == 2
    assert "contains verdicts of another setting (rules: " in capsys.readouterr().err


def test_two_detectors_in_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    run_json(capsys, command("--detector", "always-misaligned", "--result_file", "always.json"))
    found = run_json(capsys, command("--compare", "always.json", "--csv", "scores.csv", "--table", "table.png"))
    (comparison,) = found["compare"]
    assert comparison["with"] == "always.json"
    assert comparison["f1"]["this"] == 1
    assert comparison["f1"]["other"] == pytest.approx(0.5)
    assert comparison["f1"]["difference"] == pytest.approx(0.5)
    assert comparison["f1"]["p"] < 0.01
    rows = list(csv.DictReader(Path("scores.csv").read_text().splitlines()))
    main_row = next(row for row in rows if row["detector"] == "deaction" and row["name"] == "as enforced")
    assert (main_row["tp"], main_row["f1"]) == ("16", "1.0")
    assert {row["detector"] for row in rows} >= {"always.json", "always aligned", "deaction"}
    with Image.open("table.png") as picture:
        assert picture.size[0] > 800


def test_scores_are_shown_even_if_a_file_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command("--detector", "always-aligned", "--csv", "/dev/full")) == 1
    out, err = capsys.readouterr()
    assert out.startswith("Detector") and "/dev/full: cannot be written" in err


def test_a_comparison_with_another_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    run_json(capsys, command("--detector", "always-aligned", "--result_file", "always.json"))
    other = load(Path("always.json"))
    other["trajectory-0000"]["steps"]["1"]["label"] = True
    Path("always.json").write_text(json.dumps(other))
    assert main(command("--compare", "always.json")) == 2
    assert "disagree about the label of step 1" in capsys.readouterr().err


def test_limit_takes_the_first_trajectories_and_the_rest_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, command())["n"] == 48
    found = run_json(capsys, command("--limit", "2"))
    assert (found["n"], found["resumed"]) == (8, 8)
    assert len(load(Path("output/deaction_results.json"))) == 12


def test_a_limit_loses_nothing_of_a_killed_run(capsys: pytest.CaptureFixture[str]) -> None:
    words = command("--detector", "always-misaligned")
    evaluation = {"systematic_analysis": "always-misaligned", "is_misaligned": False}
    entry = {"event": "evaluation", "key": ["trajectory-0009", 1], "evaluation": evaluation}
    Path("output").mkdir()
    Path("output/deaction_results.json.progress.jsonl").write_text(json.dumps(entry) + "\n")
    assert run_json(capsys, [*words, "--limit", "2"])["n"] == 8
    results = load(Path("output/deaction_results.json"))
    assert results["trajectory-0009"]["steps"]["1"]["systematic_analysis_evaluation"]["is_misaligned"] is False
    assert results["trajectory-0009"]["status"] == "in_progress"
    assert results["trajectory-0005"]["status"] == "pending"


def test_the_help_names_all_built_in_guards(capsys: pytest.CaptureFixture[str]) -> None:
    from trueline.guard.registry import GUARDS

    for name in ("bench", "check", "replay", "redteam", "serve", "mcp", "proxy"):
        with pytest.raises(SystemExit):
            main(["guard", name, "--help"])
        shown = " ".join(capsys.readouterr().out.split())
        assert all(guard in shown for guard in GUARDS.names())


def test_what_cannot_be_read_is_listed_and_the_rest_is_scored(capsys: pytest.CaptureFixture[str]) -> None:
    words = command()
    data = load(Path("MisActBench/misactbench.json"))
    data["trajectory-0001"]["steps"]["1"]["label"] = "perhaps"
    Path("MisActBench/misactbench.json").write_text(json.dumps(data))
    assert main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["n"] == 44
    assert "perhaps" in json.loads(out)["left_out"][0]["problems"][0]
    assert "left out" in err and "trajectory-0001" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--benchmark_file", "none.json"], "there is no such file"),
        (["--benchmark_file", "MisActBench", "--prevalence", "0"], "between 0 and 1"),
        (["--benchmark_file", "MisActBench", "--table", "t.gif"], "--table must name a .png, .svg or .pdf file"),
        (["--benchmark_file", "MisActBench", "--systematic_analysis_model", "none", "--no_policy"],
         "no stage is left to judge actions: name a model"),
        (["--benchmark_file", "MisActBench", "--detector", "policy", "--no_policy"],
         "--no_policy: does not apply to --guard policy"),
        (["--benchmark_file", "MisActBench", "--narrative_summary_model", "unheard-of"], "its provider is not known"),
        (["--benchmark_file", "MisActBench", "--csv", "nowhere/x.csv"], "the folder nowhere does not exist"),
        (["--benchmark_file", "MisActBench", "--table", "nowhere/x.png"], "the folder nowhere does not exist"),
        (["--benchmark_file", "MisActBench", "--csv", "MisActBench"], "is a folder"),
        (["--benchmark_file", "MisActBench"], "OPENAI_API_KEY"),
        (["--benchmark_file", "MisActBench", "--systematic_analysis_model", "none", "--detector", "inferact"],
         "requires a model"),
        (["--benchmark_file", "MisActBench", "--systematic_analysis_model", "unheard-of"], "its provider is not known"),
        (["--benchmark_file", "MisActBench", "--compare", "none.json"], "none.json"),
        (["--benchmark_file", "MisActBench", "--policy", "none.yaml"], "none.yaml"),
        (["--benchmark_file", "MisActBench", "--policy", "x.yaml", "--detector", "always-aligned"],
         "does not apply to --guard always-aligned"),
        (["--benchmark_file", "MisActBench", "--max_workers", "0"], "must be greater than 0"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    write_set(Path(), 1)
    assert main(["guard", "bench", *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert not Path("output").exists()


def unlabelled(trajectory: int, step: int) -> None:
    """Nobody looked at it."""


def test_an_empty_benchmark_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    write_set(Path(), 1, label=unlabelled)
    assert main(["guard", "bench", "--benchmark_file", "MisActBench", "--detector", "always-aligned"]) == 2
    assert "no labelled step" in capsys.readouterr().err


def check(*words: str, source: str = "import pyautogui\npyautogui.write('good 1 1')") -> list[str]:
    Path("action.py").write_text(source)
    Image.new("RGB", (64, 48)).save("screen.png")
    name = write_script(Path("model.json"), judge())
    models = ["--fast_check_model", name, "--systematic_analysis_model", name, "--no_policy"]
    screen = ["--screenshot", "screen.png", "--action", "action.py"]
    return ["guard", "check", "--instruction", "Rename it", *screen, *models, *words]


def test_check_says_by_its_exit_code_whether_the_action_may_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(check()) == 0
    assert capsys.readouterr().out.startswith("aligned (allow), decided by fast_check")
    assert main(check(source="import pyautogui\npyautogui.write('evil 1 1')")) == 1
    assert capsys.readouterr().out.startswith("misaligned (block), decided by systematic")


def test_check_gives_the_whole_verdict_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(check("--json")) == 0
    verdict = Verdict.model_validate_json(capsys.readouterr().out)
    assert verdict.decision == "aligned"
    assert [finding.stage for finding in verdict.findings] == ["fast_check"]


def test_check_blocks_what_is_undecided_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for word in check() if word not in ("--screenshot", "screen.png")]
    assert main(words) == 1
    assert "there is no screenshot" in capsys.readouterr().out
    assert main([*words, "--guard_on_error", "allow"]) == 0
    assert main([*words, "--guard_on_error", "ask"]) == 1


def test_check_takes_actions_as_json_and_from_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = check()
    Path("action.json").write_text('{"kind": "type", "text": "good 1 1"}')
    words[words.index("action.py")] = "action.json"
    assert main(words) == 0
    words[words.index("action.json")] = "-"
    monkeypatch.setattr("sys.stdin", io.StringIO("pyautogui.write('evil 1 1')"))
    assert main(words) == 1


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [
        ("--action", "none.py", "cannot be read"),
        ("--screenshot", "none.png", "cannot be read"),
        ("--screenshot", "action.py", "must be a readable PNG"),
        ("--format", "latin", "must be one of auto"),
        ("--tree", "screen.png", "is not UTF-8"),
        ("--instruction", " ", "say what the user wants"),
        ("--narrative_summary_model", "openai|gpt-5", "unknown flag"),  # one action has no history
    ],
)
def test_check_names_what_is_wrong(capsys: pytest.CaptureFixture[str], flag: str, value: str, said: str) -> None:
    assert main([*check(), flag, value]) == 2
    assert said in capsys.readouterr().err


def test_only_subcommands_that_are_there_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["guard", "--help"])
    out = capsys.readouterr().out
    assert "bench" in out and "check" in out and "replay" in out
