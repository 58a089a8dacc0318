"""What the guard says: the policy corpus with and without trees, and a two-stage bench with scripted models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard.policy.test_corpus import BENCHMARK, CASES
from support.bench_set import judge, load, strip_times, write_script, write_set
from support.frozen import check_frozen
from trueline.cli import main
from trueline.guard.policy import judge as judge_by_rules
from trueline.guard.policy import load_rules
from trueline.guard.types import GuardContext

RULES = load_rules()


def verdict(context: GuardContext) -> dict[str, Any]:
    judged = judge_by_rules(context, RULES)
    matched = sorted({f"{match.rule.effect} {match.rule.id}" for match in judged.decision.matches})
    return {"finding": judged.finding.model_dump(mode="json", exclude_defaults=True), "matched": matched}


def test_the_verdicts_on_the_corpus() -> None:
    check_frozen("corpus", {case.id: verdict(case.context) for case in CASES})


def test_the_verdicts_on_the_corpus_without_trees() -> None:
    check_frozen("corpus_without_trees", {case.id: verdict(case.context) for case in BENCHMARK.without_trees(CASES)})


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A bench whose models are scripted, in an empty folder without keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LOCAL_OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    write_set(Path(), 6, steps=4)
    name = write_script(Path("model.json"), judge())
    return ["guard", "bench", "--benchmark_file", "MisActBench/misactbench.json", "--systematic_analysis_model", name]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("two_stages", ["--fast_check_model", "scripted|model.json"]),
        ("one_stage", ["--no_policy"]),
        ("latency", ["--fast_check_model", "scripted|model.json", "--guard_mode", "latency"]),
        ("policy", ["--detector", "policy", "--systematic_analysis_model", "none"]),
        ("always_misaligned", ["--detector", "always-misaligned"]),
    ],
)
def test_guard_bench(bench: list[str], capsys: pytest.CaptureFixture[str], name: str, words: list[str]) -> None:
    assert main([*bench, *words, "--result_file", "out/results.json", "--json"]) == 0
    report = strip_times(json.loads(capsys.readouterr().out))
    for stage in ("wall_s", "started", "file", "result_file"):
        report.pop(stage, None)
    check_frozen(f"bench_{name}", {"report": _steady(report), "results": strip_times(load(Path("out/results.json")))})


def _steady(report: dict[str, Any]) -> dict[str, Any]:
    """A report without its latencies."""
    return {
        key: {name: _without_latency(stage) for name, stage in value.items()} if key == "stages" else value
        for key, value in report.items()
    }


def _without_latency(stage: Any) -> Any:
    return {key: value for key, value in stage.items() if "latency" not in key and not key.endswith("_s")}
