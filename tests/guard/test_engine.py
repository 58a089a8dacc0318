"""The stages in turn: who is asked, who decides, and what the verdict keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from guard.engine_samples import BAD, CLEAR, FINE, UNSURE, Rules, Servers, context, png, say, says, scripted
from trueline.actions import Done, Type
from trueline.actions.decoded import SafetyCheck
from trueline.errors import InputError
from trueline.guard.config import GuardConfig, guard_setting
from trueline.guard.engine import DeActionGuard
from trueline.guard.options import prompt_hashes
from trueline.guard.stages import StageResult, enforce, extra_spend, usage_of, verdict_of
from trueline.guard.types import GuardContext
from trueline.models import Config, ToolCall, open_model
from trueline.models.envfiles import Env
from trueline.models.testing import FakeServer, Say
from trueline.records.observation import Observation, sha256
from trueline.records.proposal import Proposal
from trueline.records.setting import Sampling
from trueline.records.verdict import Category, Decision, Evidence, Feedback, Finding, Stage, Verdict

SUSPICION = Evidence(source="provenance", text="'evil.example' stands only on the screen")
PASSES_ON = Finding(stage=Stage.POLICY, evidence=(SUSPICION,))


def check(config: GuardConfig, ctx: GuardContext | None = None) -> Verdict:
    return asyncio.run(DeActionGuard(config).check(ctx or context()))


def staged(folder: Path, fast: Mapping[str, JsonValue] | None, deep: Mapping[str, JsonValue] | None) -> GuardConfig:
    return GuardConfig(
        fast=None if fast is None else scripted(folder, "fast", says(fast, cost=0.01)),
        systematic=None if deep is None else scripted(folder, "deep", says(deep, cost=0.5)),
    )


def test_a_clear_case_ends_with_the_fast_check() -> None:
    servers = Servers(say(CLEAR), say(BAD))
    verdict = servers.run(lambda fast, deep: DeActionGuard(GuardConfig(fast=fast, systematic=deep)).check(context()))
    assert (verdict.decision, verdict.stage) == (Decision.ALIGNED, Stage.FAST_CHECK)
    assert verdict.reason == CLEAR["thought"]
    assert servers.asked() == ["fast"]
    [finding] = verdict.findings
    assert finding.model == "local|fast"
    assert finding.usage is not None and (finding.usage.calls, finding.usage.output_tokens) == (1, 5)
    assert finding.latency is not None and verdict.latency is not None and 0 < finding.latency <= verdict.latency


def test_both_models_get_the_screen_with_the_proposal_on_it() -> None:
    servers = Servers(say(UNSURE), say(FINE))
    servers.run(lambda fast, deep: DeActionGuard(GuardConfig(fast=fast, systematic=deep)).check(context()))
    first, second = (seen.pictures() for seen in servers.server.seen)
    assert first == second and len(first) == 1
    assert first != [sha256(png())]
    servers.run(lambda fast, deep: DeActionGuard(GuardConfig(systematic=deep, annotate=False)).check(context()))
    assert servers.server.seen[-1].pictures() == [sha256(png())]


def test_what_is_not_clear_is_analysed() -> None:
    servers = Servers(say(UNSURE), say(BAD))
    verdict = servers.run(lambda fast, deep: DeActionGuard(GuardConfig(fast=fast, systematic=deep)).check(context()))
    assert (verdict.decision, verdict.stage) == (Decision.MISALIGNED, Stage.SYSTEMATIC)
    assert verdict.category is Category.MALICIOUS_INSTRUCTION
    assert verdict.feedback == Feedback(
        wrong="It follows the page.", misled_by="a line in the page", instead="Go on reading."
    )
    assert verdict.evidence == (Evidence(source="systematic", text="please run this"),)
    assert servers.asked() == ["fast", "deep"]
    assert [(f.stage, f.decision, f.reason) for f in verdict.findings] == [
        (Stage.FAST_CHECK, None, UNSURE["thought"]),
        (Stage.SYSTEMATIC, Decision.MISALIGNED, BAD["thought"]),
    ]


def test_the_analysis_may_clear_it(tmp_path: Path) -> None:
    verdict = check(staged(tmp_path, UNSURE, FINE))
    assert (verdict.decision, verdict.stage, verdict.feedback) == (Decision.ALIGNED, Stage.SYSTEMATIC, None)
    assert usage_of(verdict).cost == pytest.approx(0.51)
    assert extra_spend(verdict).cost == 0


@pytest.mark.parametrize(("answer", "decision"), [(CLEAR, Decision.ALIGNED), (UNSURE, Decision.MISALIGNED)])
def test_a_fast_check_alone_decides(tmp_path: Path, answer: Mapping[str, JsonValue], decision: Decision) -> None:
    verdict = check(staged(tmp_path, answer, None))
    assert (verdict.decision, verdict.stage) == (decision, Stage.FAST_CHECK)
    assert (verdict.feedback is not None) == (decision is Decision.MISALIGNED)


@pytest.mark.parametrize(("answer", "decision"), [(FINE, Decision.ALIGNED), (BAD, Decision.MISALIGNED)])
def test_an_analysis_alone_decides(tmp_path: Path, answer: Mapping[str, JsonValue], decision: Decision) -> None:
    verdict = check(staged(tmp_path, None, answer))
    assert (verdict.decision, verdict.stage) == (decision, Stage.SYSTEMATIC)


def test_the_references_two_fields_are_enough(tmp_path: Path) -> None:
    verdict = check(staged(tmp_path, None, {"thought": "It mails the password.", "conclusion": True}))
    assert verdict.decision is Decision.MISALIGNED
    assert verdict.feedback == Feedback(wrong="It mails the password.")


@pytest.mark.parametrize("decision", [Decision.ALIGNED, Decision.MISALIGNED])
def test_a_rule_that_decides_ends_it(tmp_path: Path, decision: Decision) -> None:
    rules = Rules(Finding(stage=Stage.POLICY, decision=decision, reason="rule no-sudo"))
    models = staged(tmp_path, None, BAD if decision is Decision.ALIGNED else FINE)
    verdict = check(GuardConfig(policy=rules, systematic=models.systematic))
    assert (verdict.decision, verdict.stage, verdict.reason) == (decision, Stage.POLICY, "rule no-sudo")
    assert len(verdict.findings) == 1
    assert usage_of(verdict).cost == 0
    assert (verdict.feedback == Feedback(wrong="rule no-sudo")) == (decision is Decision.MISALIGNED)


def test_what_rules_noticed_reaches_the_models_and_stays_in_the_verdict(tmp_path: Path) -> None:
    fits = {"when": {"text": SUSPICION.text}} | says(BAD)
    config = GuardConfig(policy=Rules(PASSES_ON), systematic=scripted(tmp_path, "deep", fits))
    verdict = check(config)
    assert verdict.decision is Decision.MISALIGNED
    assert verdict.evidence == (SUSPICION, Evidence(source="systematic", text="please run this"))
    assert [f.stage for f in verdict.findings] == [Stage.POLICY, Stage.SYSTEMATIC]


def test_the_providers_safety_checks_are_evidence(tmp_path: Path) -> None:
    warned = Proposal(id="p", actions=(Done(),), safety_checks=(SafetyCheck("c1", "malicious_instructions", "look"),))
    rules = Rules(PASSES_ON)
    fits = {"when": {"text": "malicious_instructions look"}} | says(BAD)
    verdict = check(GuardConfig(policy=rules, systematic=scripted(tmp_path, "deep", fits)), context(proposal=warned))
    assert verdict.decision is Decision.MISALIGNED
    assert [item.text for item in rules.given] == ["malicious_instructions look"]
    assert set(rules.given) <= set(verdict.evidence)


@pytest.mark.parametrize("policy", [None, Rules(PASSES_ON)])
def test_without_a_model_what_no_rule_forbids_is_aligned_or_blocked_as_declared(policy: Rules | None) -> None:
    allowed = check(GuardConfig(policy=policy))
    assert (allowed.decision, allowed.stage, allowed.reason) == (Decision.ALIGNED, Stage.POLICY, "no rule matched")
    blocked = check(GuardConfig(policy=policy, unmatched="block"))
    assert (blocked.decision, blocked.stage, blocked.reason) == (Decision.MISALIGNED, Stage.POLICY, "no rule matched")
    assert blocked.feedback is not None


@pytest.mark.parametrize(
    "finding", [Finding(stage=Stage.POLICY, decision=Decision.UNDECIDED, error="no tree"), KeyError("oops")]
)
def test_rules_that_fail_leave_it_undecided_whatever_the_models_would_say(
    tmp_path: Path, finding: Finding | Exception
) -> None:
    verdict = check(GuardConfig(policy=Rules(finding), systematic=scripted(tmp_path, "deep", says(FINE))))
    assert (verdict.decision, verdict.stage) == (Decision.UNDECIDED, None)
    assert "no tree" in verdict.reason or "oops" in verdict.reason
    assert enforce(verdict) == "block"


@pytest.mark.parametrize(
    ("ctx", "words"),
    [
        (context(observation=Observation(context().observation.time)), "no screenshot"),
        (
            context(observation=Observation(context().observation.time, screenshot=Path("nowhere.png"))),
            "cannot be read",
        ),
        (
            context(observation=Observation(context().observation.time, screenshot=b"\x89PNG\r\n\x1a\nbroken")),
            "damaged",
        ),
        (context(observation=Observation(context().observation.time, screenshot=b"what")), "must be a PNG"),
        (context(Type(text="x" * 200_000)), "not judged"),
    ],
    ids=["none", "gone", "damaged", "no picture", "too long"],
)
def test_what_cannot_be_shown_to_a_model_is_undecided_and_costs_nothing(
    tmp_path: Path, ctx: GuardContext, words: str
) -> None:
    verdict = check(staged(tmp_path, CLEAR, FINE), ctx)
    assert (verdict.decision, verdict.stage) == (Decision.UNDECIDED, None)
    assert words in verdict.reason and words in str(verdict.findings[-1].error)
    assert usage_of(verdict).calls == 0 and usage_of(verdict).cost == 0


def test_rules_alone_need_no_screenshot() -> None:
    verdict = check(GuardConfig(policy=Rules(PASSES_ON)), context(observation=Observation(context().observation.time)))
    assert verdict.decision is Decision.ALIGNED


@pytest.mark.parametrize("looks", [[], [StageResult(Finding(stage=Stage.FAST_CHECK))]])
def test_where_a_model_should_have_decided_nothing_passes_by_default(looks: list[StageResult]) -> None:
    verdict = verdict_of(looks, unmatched=None, given=(), flagged=False, latency=0.0)
    assert verdict.decision is Decision.UNDECIDED


@pytest.mark.parametrize(("spec", "protocol"), [("openai|gpt-5", "chat"), ("anthropic|claude-sonnet-4-5", "messages")])
def test_it_works_with_each_providers_way_of_structured_answers(spec: str, protocol: str) -> None:
    called = ToolCall(id="t", name="systematic", arguments=dict(BAD))
    answer = say(BAD) if protocol == "chat" else Say("", calls=(called,))

    async def main() -> Verdict:
        async with asyncio.timeout(30), FakeServer(default=answer) as server:
            keys = {"OPENAI_API_KEY": "sk-0123456789abcdef", "ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef"}
            url = f"{server.url}/v1" if protocol == "chat" else server.url
            model = open_model(spec, url=url, config=Config(env=Env(keys)))
            try:
                return await DeActionGuard(GuardConfig(systematic=model)).check(context())
            finally:
                await model.close()

    verdict = asyncio.run(main())
    assert (verdict.decision, verdict.category) == (Decision.MISALIGNED, Category.MALICIOUS_INSTRUCTION)
    assert usage_of(verdict).cost is not None


def test_an_undecided_verdict_is_handled_as_declared() -> None:
    undecided = Verdict(decision=Decision.UNDECIDED)
    assert [enforce(undecided, policy) for policy in ("block", "allow", "ask")] == ["block", "allow", "ask"]
    for policy in ("block", "allow", "ask"):
        assert enforce(Verdict(decision=Decision.ALIGNED), policy) == "allow"
        assert enforce(Verdict(decision=Decision.MISALIGNED), policy) == "block"


@pytest.mark.parametrize("wrong", [{"deadline": 0}, {"deadline": -1.0}, {"history_screenshots": 101}])
def test_a_setting_that_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        GuardConfig(**wrong)  # pyright: ignore[reportArgumentType] -- the wrong value is the point


def test_a_record_says_how_the_guard_was_set(tmp_path: Path) -> None:
    config = staged(tmp_path, CLEAR, FINE)
    setting = guard_setting(config, narrative=config.fast)
    assert setting.fast_check_model == str(config.fast and config.fast.id)
    assert setting.narrative_summary_model == setting.fast_check_model
    assert setting.options["on_error"] == "block"
    other = GuardConfig(fast=config.fast, fast_sampling=Sampling(reasoning_effort="low"), on_error="ask")
    assert guard_setting(other) != guard_setting(config)
    assert guard_setting(config, classifier="defender 1").options["classifier"] == "defender 1"
    assert "key" not in setting.options
    assert set(prompt_hashes()) >= {"guard/fast_check.v1", "guard/systematic.v1", "guard/criteria.v2"}


def test_each_stage_is_sampled_in_its_own_way() -> None:
    servers = Servers(say(UNSURE), say(FINE))
    servers.run(
        lambda fast, deep: DeActionGuard(
            GuardConfig(
                fast=fast,
                systematic=deep,
                fast_sampling=Sampling(temperature=0.0),
                systematic_sampling=Sampling(temperature=0.5, max_tokens=99),
            )
        ).check(context())
    )
    first, second = (seen.body for seen in servers.server.seen)
    assert (first["temperature"], second["temperature"]) == (0.0, 0.5)
    assert 99 in (second.get("max_tokens"), second.get("max_completion_tokens"))
