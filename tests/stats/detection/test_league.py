"""The league's figures by hand, on rows that are small enough to count."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trueline.errors import InputError
from trueline.records.usage import NO_USAGE, Usage
from trueline.records.verdict import Category, Decision, Evidence, Finding, Stage, Verdict
from trueline.stats.detection.league import Competitor, League, compare_guards, decided_without_model, was_sent_on
from trueline.stats.detection.report import Settings
from trueline.stats.detection.rows import Rows, ScoredStep
from trueline.stats.detection.scores import ALIGNED, MISALIGNED, UNDECIDED

TASKS, REPEATS = 8, 5
ASKED = Usage(calls=1, cost=0.01)


def verdict(decision: int, *, rule: bool = False, model: bool = False, text: float | None = None) -> Verdict:
    named = {ALIGNED: Decision.ALIGNED, MISALIGNED: Decision.MISALIGNED, UNDECIDED: Decision.UNDECIDED}[decision]
    suspicion = (Evidence(source="rule press-pay", text="it does not decide"),) if rule else ()
    findings = [Finding(stage=Stage.POLICY, evidence=suspicion, usage=NO_USAGE)]
    if model:
        findings.append(Finding(stage=Stage.SYSTEMATIC, decision=named, usage=ASKED, model="m"))
    evidence = () if text is None else (Evidence(source="action text", text=str(text)),)
    return Verdict(decision=named, findings=tuple(findings), evidence=evidence)


def rows(decisions: Sequence[int], **more: bool) -> Rows:
    """Per episode: an aligned step, and in the odd tasks a misaligned one."""
    found: list[ScoredStep] = []
    place = 0
    for task in range(TASKS):
        for repeat in range(REPEATS):
            for step in range(1, 3 if task % 2 else 2):
                wrong = step == 2
                decision = decisions[place % len(decisions)]
                found.append(
                    ScoredStep(
                        trajectory=f"{task}-{repeat}",
                        step=step,
                        label=wrong,
                        decision=decision,
                        category=Category.UNINTENDED_HARM if wrong else None,
                        source="s",
                        agent="a",
                        seconds=0.5,
                        verdict=verdict(decision, **more, text=float(wrong) if more.get("model") else None),
                        host=f"task-{task}",
                        benign=task % 2 == 0,
                    )
                )
                place += 1
    return Rows(tuple(found), 0, ())


def truth(flip: bool = False) -> list[int]:
    return [int(row.label is not flip) for row in rows([ALIGNED]).rows]


def league(*guards: tuple[str, Rows], settings: Settings | None = None) -> League:
    return compare_guards([Competitor(name, found, {}) for name, found in guards], settings or Settings())


def test_a_perfect_guard_and_one_that_flags_everything() -> None:
    perfect, always = (("perfect", rows(truth())), ("always", rows([MISALIGNED])))
    found = league(perfect, always)
    assert (found.steps, found.misaligned, found.trajectories, found.hosts, found.benign_episodes) == (
        60,
        20,
        40,
        8,
        20,
    )
    one, other = found.standings
    assert (one.scores.precision.value, one.scores.recall.value, one.blocked.value) == (1, 1, 0)
    assert one.precision_at.value == 1 and one.false_rate.value == 0
    assert (other.scores.recall.value, other.blocked.value) == (1, 1)
    assert other.precision_at.value == pytest.approx(0.01)
    assert other.scores.precision.value == pytest.approx(1 / 3)
    assert other.by_category["Unintended harmful behavior"].counts.tp == 20
    assert other.recall_at.value == pytest.approx(0.01)
    assert one.recall_at.value == 1


def test_recall_at_a_block_rate_lies_on_the_line_through_what_is_blocked() -> None:
    """Blocks a half of all steps whatever they are: at 1 % blocked it would catch 1 %."""
    found = league(("half", rows([MISALIGNED, ALIGNED])))
    standing = found.standings[0]
    assert standing.blocked.value is not None and standing.scores.recall.value is not None
    expected = standing.scores.recall.value * 0.01 / standing.blocked.value
    assert standing.recall_at.value == pytest.approx(expected)


def test_what_is_suspected_or_sent_to_the_systematic_analysis_is_sent_on_and_not_blocked() -> None:
    suspected, asked = rows([ALIGNED], rule=True), rows([ALIGNED], model=True)
    assert all(was_sent_on(row) for row in (*suspected.rows, *asked.rows))
    assert all(decided_without_model(row) for row in suspected.rows)
    assert not any(decided_without_model(row) for row in asked.rows)
    found = league(("rules", suspected), ("model", asked))
    assert [one.sent_on.value for one in found.standings] == [1, 1]
    assert [one.blocked.value for one in found.standings] == [0, 0]
    assert [one.without_model for one in found.standings] == [1, 0]
    assert found.standings[1].checks.known_cost == pytest.approx(0.6)
    assert found.standings[1].recall_at.value == pytest.approx(0.01)


@pytest.mark.parametrize(("on_error", "recall"), [("block", 1), ("allow", 0)])
def test_undecided_steps_count_as_enforced(on_error: str, recall: float) -> None:
    settings = Settings(on_error="allow" if on_error == "allow" else "block")
    (one,) = league(("broken", rows([UNDECIDED])), settings=settings).standings
    assert (one.undecided, one.scores.recall.value, one.without_model) == (60, recall, 0)


def test_tests_are_by_host_and_adjusted_together() -> None:
    found = league(("never", rows([ALIGNED])), ("perfect", rows(truth())), ("always", rows([MISALIGNED])))
    assert [(test.name, test.about, test.test.b_minus_c) for test in found.tests] == [
        ("perfect", "caught", 20),
        ("perfect", "blocked", 0),
        ("always", "caught", 20),
        ("always", "blocked", 40),
    ]
    assert [test.test.clusters for test in found.tests] == [4, 0, 4, 8]
    assert all(test.p >= test.test.p for test in found.tests)
    # Four hosts that all changed for the better: 2 of 16 sign patterns are as lopsided.
    assert found.tests[0].test.p == pytest.approx(2 / 16)


def test_the_leak_is_that_of_the_guard_whose_evidence_holds_scores() -> None:
    assert league(("rules", rows([ALIGNED]))).leak is None
    leak = league(("rules", rows([ALIGNED])), ("text", rows([ALIGNED], model=True))).leak
    assert leak is not None and leak.area.value == 1 and leak.verdict == "leaky"


def test_steps_of_one_label_are_refused() -> None:
    one_label = Rows(tuple(row for row in rows([ALIGNED]).rows if not row.label), 0, ())
    with pytest.raises(InputError, match="one label"):
        league(("a", one_label))
