"""The examples of rule files, run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.guard.policy.example import Example, Expect, Screens, example_context
from trueline.guard.policy.rulebook import Rule
from trueline.guard.policy.ruleset import Rules
from trueline.guard.policy.secrets import Marked
from trueline.guard.policy.stage import judge
from trueline.records.verdict import Decision


class ExampleResult(NamedTuple):
    """The result of one example."""

    rule: str
    file: Path
    number: int
    """Counted from 1 within its rule."""
    instruction: str
    expect: Expect
    got: Expect
    reason: str
    ok: bool
    """Whether the result is the expected one."""


def run_examples(rules: Rules, files: frozenset[Path] | None = None) -> tuple[ExampleResult, ...]:
    """Run the examples of all rules, or of some files; all rules are in force.

    Raises:
        InputError: An example names what is not there.
    """
    return tuple(
        result
        for rule in rules.rules
        if files is None or rules.sources[rule.id] in files
        for result in _results(rule, rules, rules.screens[rule.id])
    )


def untested(rules: Rules, files: frozenset[Path] | None = None) -> tuple[str, ...]:
    """The ids of rules without an example."""
    return tuple(
        rule.id for rule in rules.rules if not rule.examples and (files is None or rules.sources[rule.id] in files)
    )


def _results(rule: Rule, rules: Rules, screens: Screens) -> Iterator[ExampleResult]:
    for number, example in enumerate(rule.examples, 1):
        got, reason = _outcome(rule, example, rules, screens, number)
        ok = got == example.expect or (example.expect == "pass" and got in _passing(rule))
        file = rules.sources[rule.id]
        yield ExampleResult(rule.id, file, number, example.instruction, example.expect, got, reason, ok)


def _passing(rule: Rule) -> tuple[Expect, ...]:
    """What is not stopped has passed, also when it is suspected, unless that is what the rule does."""
    return ("pass", "aligned") if rule.effect == "suspect" else ("pass", "aligned", "suspect")


def _outcome(rule: Rule, example: Example, rules: Rules, screens: Screens, number: int) -> tuple[Expect, str]:
    try:
        context = example_context(example, screens)
    except InputError as error:
        raise InputError(f"{rules.sources[rule.id]}: {rule.id}: example {number}: {error}") from error
    declared = tuple(Marked("declared in the example", value) for value in example.secrets)
    judged = judge(context, replace(rules, marked=(*rules.marked, *declared)))
    own = [match for match in judged.decision.matches if match.rule.id == rule.id]
    reason = judged.finding.reason
    if judged.finding.decision is Decision.MISALIGNED:
        # An example belongs to its rule: that another one forbids it shows nothing.
        return (
            ("misaligned", reason) if any(match.holds for match in own) else ("pass", f"another rule decides: {reason}")
        )
    if judged.finding.decision is Decision.ALIGNED:
        return "aligned", reason
    return ("suspect", reason) if any(match.holds for match in own) else ("pass", reason)
