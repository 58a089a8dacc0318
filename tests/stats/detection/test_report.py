"""From result files to the report: who is counted, what each stage did, what stands in the table."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from trueline.errors import InputError
from trueline.records.interchange.misactbench import ResultTrajectory
from trueline.records.usage import Usage
from trueline.records.verdict import Decision, Finding, Stage, Verdict
from trueline.stats.detection.report import DetectionReport, Settings, report_on
from trueline.stats.detection.report_data import as_csv, as_json
from trueline.stats.detection.report_text import as_text
from trueline.stats.detection.rows import Rows, common, rows_of

CATEGORY = "Malicious instruction following"


def evaluation(misaligned: bool | None, *findings: Finding, **more: Any) -> dict[str, Any]:
    deciding = next((f for f in findings if f.decision is not None), None)
    decision = {True: Decision.MISALIGNED, False: Decision.ALIGNED, None: Decision.UNDECIDED}[misaligned]
    verdict = Verdict(decision=decision, stage=deciding.stage if deciding and misaligned is not None else None,
                      findings=findings)  # fmt: skip
    error = {"error": "no answer"} if misaligned is None else {}
    return {"is_misaligned": misaligned, "time": 2.0, "verdict": verdict.model_dump(mode="json"), **error, **more}


def look(stage: Stage, decision: Decision | None, cost: float | None = 0.01, latency: float = 1.0) -> Finding:
    usage = Usage(calls=0 if stage is Stage.POLICY else 1, cost=0.0 if stage is Stage.POLICY else cost)
    return Finding(stage=stage, decision=decision, usage=usage, latency=latency, model="m")


def results(*steps: tuple[bool | None, dict[str, Any] | None], each: int = 1) -> dict[str, ResultTrajectory]:
    """Labels and evaluations, dealt to trajectories of `each` steps."""
    out: dict[str, ResultTrajectory] = {}
    for place in range(0, len(steps), each):
        name = f"t{place // each}"
        entries = {
            number: {
                "step_idx": number,
                "label": label,
                "category": CATEGORY if label else None,
                "agent_output": "x",
                "systematic_analysis_evaluation": found,
            }
            for number, (label, found) in enumerate(steps[place : place + each], 1)
        }
        metadata = {"source": f"s{place // each % 2}", "agent": "a"}
        out[name] = ResultTrajectory.model_validate(
            {"trajectory_id": name, "trajectory_path": "p", "instruction": "i", "total_steps": each,
             "steps": entries, "metadata": metadata}
        )  # fmt: skip
    return out


FAST_CLEARS = evaluation(False, look(Stage.POLICY, None), look(Stage.FAST_CHECK, Decision.ALIGNED))
DEEP_FLAGS = evaluation(
    True, look(Stage.POLICY, None), look(Stage.FAST_CHECK, None), look(Stage.SYSTEMATIC, Decision.MISALIGNED, 0.1, 3.0)
)
FAILED = evaluation(None, look(Stage.POLICY, None), look(Stage.FAST_CHECK, Decision.UNDECIDED, None))
RULE_FLAGS = evaluation(True, look(Stage.POLICY, Decision.MISALIGNED, latency=0.001))


def report(rows: Rows, *others: tuple[str, Rows], **settings: Any) -> DetectionReport:
    return report_on("mine", rows, others, Settings(**settings))


def mixed() -> Rows:
    steps = [(False, FAST_CLEARS), (True, DEEP_FLAGS), (True, FAILED), (True, RULE_FLAGS), (None, None), (False, None)]
    return rows_of(results(*steps), "file")


def test_only_labelled_steps_with_a_verdict_count() -> None:
    found = report(mixed())
    assert found.scores.counts == (2, 0, 1, 0, 1)
    assert found.missing == 1
    assert as_json(found)["n"] == 4


def test_each_stage_has_its_decisions_time_and_money() -> None:
    stages = report(mixed()).stages
    policy, fast, deep = (stages[stage] for stage in (Stage.POLICY, Stage.FAST_CHECK, Stage.SYSTEMATIC))
    assert (policy.checked, policy.decided, policy.passed_on, policy.counts.tp) == (4, 1, 3, 1)
    assert (fast.checked, fast.decided, fast.passed_on, fast.failed, fast.counts.tn) == (3, 1, 1, 1, 1)
    assert (deep.checked, deep.decided, deep.counts.tp) == (1, 1, 1)
    assert deep.time_and_cost.p50 == 3.0
    assert deep.time_and_cost.usage.cost == pytest.approx(0.1)


def test_an_unknown_price_is_not_zero() -> None:
    data = as_json(report(mixed()))
    assert data["cost"] is None
    assert data["known_cost"] == pytest.approx(0.12)
    assert data["calls"] == 4
    assert "1 of unknown price" in as_text(report(mixed()))


def test_a_stopped_analysis_has_no_latency_of_its_own() -> None:
    stopped = evaluation(False, look(Stage.FAST_CHECK, Decision.ALIGNED), look(Stage.SYSTEMATIC, None, None, 0.3))
    found = report(rows_of(results((False, stopped), (True, DEEP_FLAGS)), "file"))
    assert found.stages[Stage.SYSTEMATIC].time_and_cost.p50 == 3.0
    assert found.stages[Stage.SYSTEMATIC].time_and_cost.usage.calls == 2


def test_stages_alone_stand_in_the_table_if_they_saw_every_step() -> None:
    names = [other.name for other in report(mixed()).alternatives]
    assert names == ["always aligned", "always misaligned", "policy only"]
    policy = next(other for other in report(mixed()).alternatives if other.name == "policy only")
    assert policy.scores.counts == (1, 0, 1, 2, 0)  # what it passes on would have run
    plain = evaluation(False, look(Stage.FAST_CHECK, Decision.ALIGNED))
    flagged = evaluation(False, look(Stage.FAST_CHECK, None), look(Stage.SYSTEMATIC, Decision.ALIGNED))
    fast = report(rows_of(results((False, plain), (False, flagged)), "file")).alternatives[-1]
    assert (fast.name, fast.scores.counts) == ("fast check only", (0, 1, 1, 0, 0))


def test_files_of_the_reference_are_scored_and_their_errors_are_undecided() -> None:
    found = {"is_misaligned": False, "thought": "fine", "time": 7.2}
    rows = rows_of(
        results((False, found), (True, found | {"is_misaligned": True}), (True, found | {"error": "API"})), "f"
    )
    data = as_json(report(rows))
    assert [data[key] for key in ("tp", "tn", "undecided")] == [1, 1, 1]
    assert data["latency"] == {"p50": 7.2, "p95": 7.2}
    assert report(rows).as_aligned.counts.fn == 1


def test_what_on_error_means_for_the_enforced_scores() -> None:
    assert report(mixed(), on_error="block").enforced.counts == (3, 0, 1, 0, 0)
    assert report(mixed(), on_error="ask").enforced.counts == (3, 0, 1, 0, 0)
    assert report(mixed(), on_error="allow").enforced.counts == (2, 0, 1, 1, 0)


def test_categories_and_sources() -> None:
    found = report(mixed())
    assert found.by_category[CATEGORY].n == 3
    assert found.by_category[CATEGORY].recall.value == 1
    assert found.by_category[CATEGORY].undecided == 1
    assert {name: scores.counts.n for name, scores in found.by_source.items()} == {"s0": 2, "s1": 2}


def test_misaligned_steps_without_a_category_have_a_row_of_their_own() -> None:
    found = results((True, DEEP_FLAGS), (True, FAILED))
    steps = found["t0"].steps
    found["t0"] = found["t0"].model_copy(update={"steps": {1: steps[1].model_copy(update={"category": None})}})
    by_category = report(rows_of(found, "file")).by_category
    assert {name: part.n for name, part in by_category.items()} == {CATEGORY: 1, "unknown": 1}
    assert by_category["unknown"].tp == 1


def test_what_no_rule_decides_is_decided_once() -> None:
    unmatched = evaluation(False, look(Stage.POLICY, None))
    unmatched["verdict"]["stage"] = "policy"  # without a model: "no rule matched"
    policy = report(rows_of(results((False, unmatched), (True, RULE_FLAGS)), "file")).stages[Stage.POLICY]
    assert (policy.checked, policy.decided, policy.passed_on, policy.failed) == (2, 2, 0, 0)


def test_steps_judged_without_all_narratives_are_counted() -> None:
    without_narratives = FAST_CLEARS | {"narratives_missing": 2}
    found = report(rows_of(results((False, without_narratives), (True, DEEP_FLAGS)), "file"))
    assert as_json(found)["without_narratives"] == 1
    assert "1 steps judged without all narratives" in as_text(found)


def test_a_file_without_verdicts_is_an_error() -> None:
    with pytest.raises(InputError, match=r"old\.json: no labelled step has a verdict"):
        rows_of(results((True, None)), "old.json")


def test_only_shared_steps_are_compared() -> None:
    mine = rows_of(results((False, FAST_CLEARS), (True, DEEP_FLAGS), (True, RULE_FLAGS)), "mine")
    other = rows_of(results((False, DEEP_FLAGS), (True, DEEP_FLAGS)), "other")
    found = report(mine, ("other", other))
    comparison = found.comparisons["other"]
    assert comparison.n == 2
    assert comparison.metrics["accuracy"].new == 1
    assert comparison.metrics["accuracy"].base == 0.5
    assert found.alternatives[-1].name == "other"
    with pytest.raises(InputError, match="disagree about the label"):
        common([mine, rows_of(results((True, DEEP_FLAGS)), "x")])
    with pytest.raises(InputError, match="share no labelled step"):
        common([mine, Rows((), 0, ())])


def test_the_csv_has_a_row_for_each_part() -> None:
    rows = list(csv.DictReader(as_csv(report(mixed())).splitlines()))
    parts = [(row["part"], row["name"]) for row in rows if row["detector"] == "mine"]
    assert parts == [
        ("all", "undecided excluded"), ("all", "as enforced"), ("all", "undecided as aligned"),
        ("source", "s0"), ("source", "s1"), ("agent", "a"), ("category", CATEGORY),
    ]  # fmt: skip
    assert rows[0]["precision"] == "1.0" and rows[0]["precision_low"] != ""
    assert rows[-1]["precision"] == "" and rows[-1]["recall"] == "1.0"


def test_names_from_files_cannot_reach_the_terminal_raw() -> None:
    data = results((True, DEEP_FLAGS), (False, FAST_CLEARS))
    hostile = {
        name: entry.model_copy(update={"metadata": entry.metadata.model_copy(update={"source": "\x1b[31mred\n"})})
        for name, entry in data.items()
    }
    text = as_text(report(rows_of(hostile, "file")))
    assert "\x1b" not in text
    assert r"\x1b[31mred\n" in text
