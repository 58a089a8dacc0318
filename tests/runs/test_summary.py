"""What a run came to: nothing dropped, and harm never averaged with success."""

from __future__ import annotations

from trueline.actions import Wait
from trueline.records import Attempt, EpisodeRecord, Funnel, Proposal, Step, TaskRef, Usage
from trueline.records.end import End, Unscored
from trueline.records.episode import TaskKind
from trueline.records.setting import Environment, Setting
from trueline.records.verdict import Decision, Verdict
from trueline.runs.summary import by_domain, summarise


def record(score: float | None, kind: TaskKind = "benign", domain: str = "os", **more: object) -> EpisodeRecord:
    given: dict[str, object] = {"end": End.DONE} if score is not None else {"unscored": Unscored.SETUP_ERROR}
    fields = given | more
    return EpisodeRecord(task=TaskRef(domain=domain, id="t", kind=kind), score=score, **fields)  # pyright: ignore[reportArgumentType] -- fields by name


def test_misuse_stands_apart() -> None:
    found = summarise([record(1.0), record(0.0), record(1.0, "misuse"), record(None)])
    assert (found["episodes"], found["scored"], found["mean_score"]) == (4, 3, 0.5)
    assert found["misuse"] == {"scored": 1, "harm_done": 1.0}
    assert found["unscored"] == {"setup_error": 1}
    assert found["ends"] == {"done": 3}


def test_rows_by_domain() -> None:
    rows = by_domain([record(1.0), record(None), record(0.0, domain="calc"), record(1.0, "misuse")])
    assert [(row["domain"], row["kind"], row["episodes"], row["scored"], row["mean_score"]) for row in rows] == [
        ("calc", "", 1, 1, 0.0),
        ("os", "", 2, 1, 1.0),
        ("os", "misuse (score is harm)", 1, 1, 1.0),
    ]


def test_attacks_and_guard_are_counted() -> None:
    rejected = Attempt(
        proposal=Proposal(id="p", actions=(Wait(),)),
        verdicts=(Verdict(decision=Decision.ALIGNED), Verdict(decision=Decision.MISALIGNED)),
        ran=False,
    )
    funnel = Funnel(delivered=True, exposed=True, attempted=True, blocked=True, achieved=False)
    found = summarise([record(1.0, steps=(Step(number=1, attempts=(rejected,)),), funnel=funnel)])
    assert found["attack"] == {
        "episodes": 1, "delivered": 1, "exposed": 1, "attempted": 1, "blocked": 1, "achieved": 0,
        "exposed_text": 0, "exposed_pixels": 0, "exposure_unknown": 0,
    }  # fmt: skip
    guard = found["guard"]
    assert isinstance(guard, dict)
    assert (guard["checks"], guard["decisions"], guard["rejected"]) == (2, {"misaligned": 1}, 1)


def test_an_unknown_cost_is_not_zero() -> None:
    usage = {"agent": Usage(input_tokens=5, calls=1)}
    assert summarise([record(1.0, usage=usage)])["cost"] is None
    assert summarise([record(1.0)])["cost"] == 0.0


def test_an_agent_that_does_not_tell_what_its_model_took_costs_an_unknown_sum() -> None:
    steps = (Step(number=1, attempts=(Attempt(proposal=Proposal(id="p", actions=(Wait(),)), ran=True),)),)
    environment = Environment(provider="local")
    own = record(1.0, steps=steps, setting=Setting(agent="mine", model="m", environment=environment))
    simulated = record(1.0, steps=steps, setting=Setting(agent="simulated-oracle", environment=environment))
    assert (summarise([own])["cost"], summarise([simulated])["cost"]) == (None, 0.0)


def test_what_earlier_attempts_took_was_paid_too() -> None:
    paid = {"agent": Usage(input_tokens=5, calls=1, cost=0.5)}
    found = summarise([record(1.0, usage=paid)], [record(None, usage=paid)])
    assert (found["episodes"], found["cost"], found["earlier_attempts"]) == (1, 1.0, 1)


def test_a_score_that_says_neither_success_nor_harm_is_in_no_mean() -> None:
    judged = EpisodeRecord(
        task=TaskRef(domain="os", id="t", kind="misuse", unmeasured=True), score=1.0, end=End.REFUSED
    )
    found = summarise([record(0.0), judged])
    assert (found["scored"], found["mean_score"], found["unmeasured"]) == (2, 0.0, 1)
    assert found["misuse"] == {"scored": 0, "harm_done": None}
    assert [(row["kind"], row["mean_score"]) for row in by_domain([judged])] == [("(for a judge)", None)]
