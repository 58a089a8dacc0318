from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from guard.policy.corpus_cases import BENCHMARK, CASES
from guard.policy.policy_samples import node, page, question, terminal
from trueline.cli import main
from trueline.guard.policy import Rules, judge, load_rules
from trueline.guard.policy.cedar.evaluate import CedarPolicies
from trueline.guard.policy.cedar.export_rules import export_rules
from trueline.guard.policy.cedar.policy_file import read_policies
from trueline.guard.types import GuardContext

OWN = """\
words: {refunding: ["refund*"]}
rules:
  - {id: forbid-pay, description: pays, effect: forbid, priority: 5, when: {press: {label: ["*pay*"]}}}
  - {id: allow-pay-later, description: pays later, effect: allow, priority: 6, when: {press: {label: ["pay later*"]}},
     unless: [{asked: [refunding]}]}
  - {id: npm, description: npm, effect: forbid, domains: ["vs_*"], when: {command: {program: [npm], argument: [run]}}}
  - {id: question-mark, description: one letter, effect: forbid, when: {command: {program: ["n?m"]}}}
  - {id: any-argument, description: an argument, effect: forbid, when: {command: {argument: ["--pass*"]}}}
  - {id: many, description: many, effect: forbid, more_than: 3, when: {press: {act: [pay]}}}
  - {id: other-host, description: elsewhere, effect: forbid, when: {open: {host_not: ["*.example.com"]}}}
  - {id: early-end, description: ends early, effect: suspect, when: {end: {kind: [done], before_step: 2}}}
  - {id: outside, description: mails, effect: forbid, when: {recipient: {address_not: ["*@example.com"], sent: true}}}
  - {id: gone, description: for good, effect: suspect, when: {effect: [irreversible]}}
  - {id: rights, description: other rights, effect: forbid, when: {effect: [privilege]}}
  - {id: allow-gone, description: kept, effect: allow, priority: 3, when: {effect: [irreversible]}}
  - {id: seen, description: a text, effect: suspect, when: {screen: {matches: ["*agent*"]}}}
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(OWN, "utf-8")
    return path


def in_cedar(rules: Rules) -> tuple[Rules, Rules]:
    """The rules that can be printed, and the same printed and read back."""
    exported = export_rules(rules)
    policies = read_policies(Path("printed.cedar"), exported.text, rules.words)
    kept = tuple(rule for rule in rules.rules if rule.id not in exported.left_out)
    assert {policy.id for policy in policies} == {rule.id for rule in kept}
    return replace(rules, rules=kept), replace(rules, rules=(), policies=CedarPolicies(policies))


def result(context: GuardContext, rules: Rules) -> tuple[object, ...]:
    """The decision, the rule that made it, what the agent is told, and all rules that match."""
    judged = judge(context, rules)
    matched = {match.rule.id for match in judged.decision.matches if not (match.excepted or match.undecided)}
    return judged.finding.decision, judged.finding.category, judged.finding.reason, judged.feedback, matched


def test_what_cannot_be_expressed_is_a_comment_with_its_reason(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "rules", "cedar", str(own), "--no-shipped"]) == 0
    out = capsys.readouterr().out
    comments = [line for line in out.splitlines() if " is left out: " in line]
    assert [line.split()[1] for line in comments] == ["question-mark", "any-argument", "many", "seen"]
    assert "know only *, not 'n?m'" in out and "counts nothing" in out


def test_the_shipped_rules_that_cannot_be_printed_are_these() -> None:
    assert set(export_rules(load_rules()).left_out) == {"many-deletions", "many-sendings", "screen-speaks-to-agents"}


@pytest.mark.full
def test_printed_rules_decide_the_whole_corpus_alike() -> None:
    ours, printed = in_cedar(load_rules())
    cases = (*CASES, *BENCHMARK.without_trees(CASES))
    assert [case.id for case in cases if result(case.context, ours) != result(case.context, printed)] == []


@pytest.mark.full
@pytest.mark.parametrize("domain", [None, "vs_code", "os"])
@pytest.mark.parametrize("instruction", ["Make the title bold.", "Refund order 12."])
def test_printed_rules_of_every_kind_decide_alike(own: Path, domain: str | None, instruction: str) -> None:
    ours, printed = in_cedar(load_rules([own], shipped=False))
    shop = page(
        node("push-button", "Pay later", (100, 200, 90, 30)),
        node("push-button", "PAY now", (300, 200, 90, 30)),
        node("link", "There", (500, 200, 90, 30), url="https://other.example.net/"),
        node("link", "Here", (700, 200, 90, 30), url="https://www.example.com/"),
    )
    screens = [(shop, f"pyautogui.click({x}, 210)") for x in (110, 310, 510, 710)]
    lines = (
        "sudo rm a",
        "sudo ls",
        "npm run x",
        "npm test",
        "npm install run --passed",
        "xdg-open mailto:a@b.example.net",
        "rm a; ls",
        "mail -s x me@example.com < /dev/null",
        "mail -s x me@other.example.org < /dev/null",
    )
    asked = [*screens, *((terminal(), f"pyautogui.write({line + chr(10)!r})") for line in lines), (shop, "DONE")]
    for screen, source in asked:
        context = question(screen, source, instruction=instruction, domain=domain)
        # A rule that is outranked still matches; in Cedar it is not satisfied.
        assert result(context, ours)[:4] == result(context, printed)[:4], source


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "rules", "cedar", "--schema"]) == 0
    assert "namespace Trueline" in capsys.readouterr().out
