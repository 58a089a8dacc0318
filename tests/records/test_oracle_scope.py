"""A Scope that was given to the guard is an oracle condition, and every report says so."""

from __future__ import annotations

import pytest

from trueline.cli.run.report import _guard  # pyright: ignore[reportPrivateUsage]
from trueline.records.episode import EpisodeRecord, TaskRef
from trueline.records.proposal import Proposal
from trueline.records.setting import ORACLE_NOTE, Environment, GuardSetting, Setting, is_oracle_scope
from trueline.records.step import Attempt, Step
from trueline.records.verdict import Decision, Verdict
from trueline.runs.summary import summarise


@pytest.mark.parametrize(
    ("scope", "oracle"),
    [
        ("strict, made by hand 0123456789ab", True),
        ("evidence, made by task x", True),
        ("strict, made by rules", False),
        (None, False),
    ],
)
def test_a_given_scope_is_marked_in_the_report_of_a_run(scope: str | None, oracle: bool) -> None:
    guard = GuardSetting(name="policy", options={"scope": scope})
    assert guard.oracle_scope is oracle and is_oracle_scope(guard.model_dump(mode="json")) is oracle
    verdict = Verdict(decision=Decision.ALIGNED)
    attempt = Attempt(proposal=Proposal(id="1"), verdicts=(verdict,))
    setting = Setting(agent="a", guard=guard, environment=Environment(provider="local"))
    record = EpisodeRecord(
        task=TaskRef(domain="os", id="t"), setting=setting, steps=(Step(number=1, attempts=(attempt,)),)
    )
    summary = summarise([record])["guard"]
    assert isinstance(summary, dict) and summary["oracle_scope"] is oracle
    assert (ORACLE_NOTE in _guard(summary)) is oracle
