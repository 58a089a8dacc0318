"""`trueline guard rules`: show and test the rules of the policy stage, and print them in Cedar."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.guard.policy.rule_tests import ExampleResult
    from trueline.guard.policy.ruleset import Rules

_EXAMPLES = """\
examples:
  trueline guard rules show
  trueline guard rules test
  trueline guard rules test my_rules.yaml --json
  trueline guard rules cedar > rules.cedar
"""


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="rules_action", required=True, metavar="test|show|cedar")
    test = actions.add_parser(
        "test",
        help="Run the examples in rule files.",
        description="Run the examples of rule files with the shipped rules in force; without a file, the shipped ones.",
    )
    show = actions.add_parser(
        "show",
        help="List the rules in force.",
        description="List the rules in force: the shipped ones, then those of the files.",
    )
    cedar = actions.add_parser(
        "cedar",
        help="Print rules in Cedar.",
        description="Print the rules in force as Cedar policies; a comment says why a rule is left out.",
    )
    for action in (test, show, cedar):
        action.add_argument(
            "files", nargs="*", type=Path, metavar="FILE", help="your own rules (.yaml) or Cedar policies (.cedar)"
        )
        action.add_argument("--no-shipped", action="store_true", help="leave the shipped rules out")
        action.add_argument("--json", action="store_true", help="one JSON document on stdout")
    cedar.add_argument("--schema", action="store_true", help="print the schema of requests instead")


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    from trueline.guard.policy.ruleset import load_rules

    if args.rules_action == "cedar" and args.schema:
        from trueline.guard.policy.cedar.library import schema_text

        print(schema_text(), end="")
        return 0
    rules = load_rules(args.files, shipped=not args.no_shipped)
    return {"test": _test, "show": _show, "cedar": _print_cedar}[args.rules_action](args, rules)


def _print_cedar(args: argparse.Namespace, rules: Rules) -> int:
    from trueline.guard.policy.cedar.export_rules import export_rules

    exported = export_rules(rules)
    if args.json:
        print_json({"digest": rules.digest, "cedar": exported.text, "left_out": exported.left_out})
    else:
        print(exported.text.rstrip())
    return 0


def _test(args: argparse.Namespace, rules: Rules) -> int:
    from trueline.guard.policy.rule_tests import run_examples, untested

    files = frozenset(args.files) or None
    results, without = run_examples(rules, files), untested(rules, files)
    failed = [result for result in results if not result.ok]
    if args.json:
        print_json(_test_document(rules, results, without))
    else:
        for result in failed:
            print(_failure(result))
        for name in without:
            print(f"untested  {name}: has no example")
        tested = len({result.rule for result in results})
        print(f"{len(results) - len(failed)} of {len(results)} examples of {tested} rules came as expected")
    return 1 if failed else 0


def _failure(result: ExampleResult) -> str:
    place = f"{result.file}: {result.rule}: example {result.number}"
    return f"FAILED    {place}: expected {result.expect}, got {result.got} ({printable(result.reason)})"


def _test_document(rules: Rules, results: tuple[ExampleResult, ...], without: tuple[str, ...]) -> dict[str, object]:
    return {
        "digest": rules.digest,
        "passed": sum(result.ok for result in results),
        "failed": sum(not result.ok for result in results),
        "untested": list(without),
        "examples": [{**result._asdict(), "file": str(result.file)} for result in results],
    }


def _show(args: argparse.Namespace, rules: Rules) -> int:
    if args.json:
        print_json(_show_document(rules))
        return 0
    from trueline.tables import text_table

    head = ("rule", "effect", "priority", "domains", "what it is about")
    rows = [head] + [
        (rule.id, rule.effect, str(rule.priority), " ".join(rule.domains) or "all", printable(rule.description, 90))
        for rule in rules.rules
    ]
    rows += [
        (policy.id, policy.effect, "-", "all", printable(policy.description, 90)) for policy in rules.policies.policies
    ]
    print(text_table(rows, ruled=False))
    policies = f"{len(rules.policies.policies)} policies in Cedar, " if rules.policies.policies else ""
    print(f"\n{len(rules.rules)} rules, {policies}{len(rules.marked)} marked secrets, digest {rules.digest[:16]}")
    return 0


def _show_document(rules: Rules) -> dict[str, object]:
    return {
        "digest": rules.digest,
        "secrets": [secret.name for secret in rules.marked],
        "words": {name: list(patterns) for name, patterns in rules.words.items()},
        "rules": [
            {
                "file": str(rules.sources[rule.id]),
                **rule.model_dump(mode="json", exclude={"examples"}, exclude_none=True),
            }
            for rule in rules.rules
        ],
        "policies": [
            {
                "file": str(rules.sources[policy.id]),
                "line": policy.line,
                "id": policy.id,
                "effect": policy.effect,
                "category": policy.category.value,
                "description": policy.description,
                "wrong": policy.wrong,
                "instead": policy.instead,
            }
            for policy in rules.policies.policies
        ],
    }
