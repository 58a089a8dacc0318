"""`trueline gate`: pass or fail for CI."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.metrics import add_generalise_flag, add_reading_flags, errors_name_flags
from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trueline.stats.gate import Ruling
    from trueline.stats.metrics.analysis import Group
    from trueline.stats.options import Options
    from trueline.stats.rules import Rule

_EXAMPLES = """\
examples:
  trueline gate results/main results/candidate --rule "pass_hat_3 >= base - 0.03" --rule "missing <= 0"
  trueline gate results/main results/candidate --rule "attack_success <= base + 0.02" --rule "attack_success <= 0.1"
  trueline gate results/main results/candidate --rule "harm <= base + 0.02" --junit gate.xml --markdown gate.md

A rule passes when the data show it (the one-sided confidence bound), not when two estimates happen to lie right.
Exit code 0: open, 1: closed, 2: wrong input.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("base", type=Path, metavar="BASE", help="the runs to compare with: a folder of run1, run2 …")
    parser.add_argument("new", type=Path, metavar="NEW", help="the runs to be judged")
    parser.add_argument("--rule", action="append", required=True, metavar="RULE", help="may be given several times")
    parser.add_argument("--model", metavar="NAME", help="which model, when the folders hold several")
    parser.add_argument("--level", type=float, default=0.95, metavar="X", help="one-sided confidence (0.95)")
    parser.add_argument("--inconclusive", choices=["fail", "pass"], default="fail",
                        help="what a rule does that the data do not settle (fail)")  # fmt: skip
    parser.add_argument("--mix-environments", action="store_true", help="compare runs of different environments")
    add_reading_flags(parser)
    add_generalise_flag(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--junit", type=Path, metavar="F.xml", help="also write JUnit XML")
    parser.add_argument("--markdown", type=Path, metavar="F.md", help="also write a Markdown summary")


def run(args: argparse.Namespace) -> int:
    """Read, decide, print."""
    with errors_name_flags():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from trueline.records.index import read_index
    from trueline.stats.gate import overall
    from trueline.stats.gate_report import gate_json, gate_junit, gate_markdown, gate_text
    from trueline.stats.metrics.analysis import Group
    from trueline.stats.metrics.api import read_results
    from trueline.stats.options import Options
    from trueline.stats.rules import parse_rule

    if not 0.5 < args.level < 1:
        raise InputError(f"--level {args.level}: a confidence above 0.5 and below 1")
    rules = [parse_rule(text) for text in args.rule]
    groups = [
        Group(name, read_results(path, result_file=args.result_file).runs)
        for name, path in (("base", args.base), ("new", args.new))
    ]
    index = None if args.example_json is None else read_index(args.example_json)
    options = Options(
        threshold=args.threshold,
        missing=args.missing,
        level=args.level,
        generalise_goals=args.generalise == "goals",
        seed=args.seed,
    )
    if options.generalise_goals and all(rule.metric != "attack_success" for rule in rules):
        raise InputError("--generalise goals is about attack_success, and no --rule names it")
    rulings = _decide(rules, groups, index, options, args)
    opened = overall(rulings, inconclusive_passes=args.inconclusive == "pass")
    title = f"{args.new} against {args.base}"
    if args.junit is not None:
        write_file(args.junit, gate_junit(rulings, title=title))
    if args.markdown is not None:
        write_file(args.markdown, gate_markdown(rulings, opened=opened, title=title).encode())
    if args.json:
        print_json(gate_json(rulings, opened=opened))
    else:
        print(gate_text(rulings, opened=opened, title=title), end="")
    return 0 if opened else 1


def _decide(
    rules: list[Rule],
    groups: list[Group],
    index: Mapping[str, Sequence[str]] | None,
    options: Options,
    args: argparse.Namespace,
) -> list[Ruling]:
    """One ruling for each rule; only what the rules name is looked at."""
    from trueline.stats.attack_gate import attack_pair, decide_attack
    from trueline.stats.gate import decide, decide_missing
    from trueline.stats.metrics.analysis import paired_tables, resample_units

    chosen = {"model": args.model, "mix_environments": args.mix_environments}
    attacks = plain = harm = None
    if any(rule.metric == "attack_success" for rule in rules):
        attacks = attack_pair([(group.name, group.runs) for group in groups], index, **chosen)
    if any(rule.metric != "attack_success" for rule in rules):
        plain, harm = paired_tables(groups, index, **chosen)
    rulings: list[Ruling] = []
    for rule in rules:
        if rule.metric == "attack_success":
            assert attacks is not None
            rulings.append(decide_attack(rule, *attacks, options))
            continue
        if rule.metric == "missing" and (plain or harm):
            rulings.append(decide_missing(rule, [pair[1] for pair in (plain, harm) if pair is not None]))
            continue
        pair = harm if rule.metric == "harm" else plain
        if pair is None:
            kind = "misuse tasks" if rule.metric == "harm" else "tasks whose score is success"
            raise InputError(f"--rule {rule.text!r}: the folders hold no {kind}")
        rulings.append(decide(rule, *pair, resample_units(pair[0].units, options), options))
    return rulings
