"""What policies in Cedar cost: python benchmarks/guard/cedar_speed.py [--json] [--rounds N].

Judges every case of tests/guard/policy/corpus by the shipped rules, by the same printed as Cedar, and by both, and
asks the engine alone about the same requests. Prints milliseconds per proposal, and whether the decisions agree.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from policy_held_out import Case, read_cases

from trueline.guard.policy import Rules, judge, load_rules
from trueline.guard.policy.cedar.evaluate import CedarPolicies
from trueline.guard.policy.cedar.export_rules import export_rules
from trueline.guard.policy.cedar.export_scope import export_scope
from trueline.guard.policy.cedar.policy_file import read_policies
from trueline.guard.policy.episode_reading import EpisodeReading, read_episode_so_far
from trueline.guard.scope.from_words import scope_from_words
from trueline.guard.scope.types import Scope


def printed(rules: Rules) -> tuple[Rules, Rules]:
    """The rules that can be printed as Cedar, and the same in Cedar."""
    exported = export_rules(rules)
    policies = read_policies(Path("printed.cedar"), exported.text, rules.words)
    kept = tuple(rule for rule in rules.rules if rule.id not in exported.left_out)
    return replace(rules, rules=kept), replace(rules, rules=(), policies=CedarPolicies(policies))


def scope_of(case: Case) -> Scope:
    """The scope that the words of a case's instruction give."""
    return scope_from_words(case.context.instruction, None)


def milliseconds(run: Callable[[Case], object], cases: Sequence[Case], rounds: int) -> list[float]:
    """The fastest of some rounds for each case."""
    best = [float("inf")] * len(cases)
    for _ in range(rounds):
        for place, case in enumerate(cases):
            began = time.perf_counter()
            run(case)
            best[place] = min(best[place], 1000 * (time.perf_counter() - began))
    return sorted(best)


def figures(values: Sequence[float]) -> dict[str, float]:
    return {"median_ms": round(median(values), 3), "p95_ms": round(values[int(0.95 * (len(values) - 1))], 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    cases = read_cases()
    ours, cedar = printed(load_rules())
    both = replace(ours, policies=cedar.policies)
    readings: dict[str, EpisodeReading] = {case.id: read_episode_so_far(case.context) for case in cases}

    scopes = {
        case.id: CedarPolicies(read_policies(Path("scope.cedar"), export_scope(scope_of(case)), ours.words))
        for case in cases
    }

    def scope_in_cedar(case: Case) -> object:
        return scopes[case.id].match(case.context, readings[case.id], cedar.words, cedar.marked)

    def engine(case: Case) -> object:
        return cedar.policies.match(case.context, readings[case.id], cedar.words, cedar.marked)

    result: dict[str, object] = {
        "cases": len(cases),
        "policies": len(cedar.policies.policies),
        "rules left out": len(load_rules().rules) - len(ours.rules),
        "other decisions": sum(
            judge(case.context, ours).finding.decision != judge(case.context, cedar).finding.decision for case in cases
        ),
        "rules": figures(milliseconds(lambda case: judge(case.context, ours), cases, args.rounds)),
        "policies in Cedar": figures(milliseconds(lambda case: judge(case.context, cedar), cases, args.rounds)),
        "both": figures(milliseconds(lambda case: judge(case.context, both), cases, args.rounds)),
        "Cedar's part": figures(milliseconds(engine, cases, args.rounds)),
        "Cedar's part, a scope": figures(milliseconds(scope_in_cedar, cases, args.rounds)),
        "reading 40 policies": figures(milliseconds(lambda _: printed(load_rules()), cases[:5], args.rounds)),
    }
    if args.json:
        print(json.dumps(result, indent=2))
        return
    print(f"{result['cases']} cases, {result['policies']} policies, {result['rules left out']} rules left out, "
          f"{result['other decisions']} other decisions\n")  # fmt: skip
    print("| | median ms | p95 ms |\n|---|---|---|")
    for name, values in result.items():
        if isinstance(values, dict):
            print(f"| {name} | {values['median_ms']} | {values['p95_ms']} |")


if __name__ == "__main__":
    main()
