"""`trueline gate`: pass or fail for CI."""

from __future__ import annotations

import argparse
from pathlib import Path

from trueline.cli.metrics import add_generalise_flag, add_reading_flags, errors_name_flags
from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser

_EXAMPLES = """\
examples:
  trueline gate results/main results/candidate --rule "pass_hat_3 >= base - 0.03" --rule "missing <= 0"
  trueline gate results/main results/candidate --rule "attack_success <= base + 0.02" --rule "attack_success <= 0.1"
  trueline gate results/main results/candidate --rule "harm <= base + 0.02" --junit gate.xml --markdown gate.md

A rule passes only if the data show that it holds: the one-sided confidence bound decides, not the estimates.
Exit code 0: open, 1: closed, 2: wrong input.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("base", type=Path, metavar="BASE", help="the runs to compare with: a folder of run1, run2 …")
    parser.add_argument("new", type=Path, metavar="NEW", help="the runs to decide about")
    parser.add_argument(
        "--rule", action="append", required=True, metavar="RULE", help="what must hold; may be given several times"
    )
    parser.add_argument("--model", metavar="NAME", help="model to decide about, if the folders hold several")
    parser.add_argument("--level", type=float, default=0.95, metavar="X", help="one-sided confidence level (0.95)")
    parser.add_argument("--inconclusive", choices=["fail", "pass"], default="fail",
                        help="outcome of a rule that the data do not settle (fail)")  # fmt: skip
    parser.add_argument("--mix-environments", action="store_true", help="compare runs of different environments")
    add_reading_flags(parser)
    add_generalise_flag(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--junit", type=Path, metavar="F.xml", help="also write JUnit XML")
    parser.add_argument("--markdown", type=Path, metavar="F.md", help="also write a Markdown summary")


def run(args: argparse.Namespace) -> int:
    """Evaluate the rules, print and write what was decided."""
    from trueline.stats.gate.evaluate import evaluate_gate

    with errors_name_flags():
        report = evaluate_gate(
            args.base,
            args.new,
            args.rule,
            title=f"{args.new} against {args.base}",
            model=args.model,
            level=args.level,
            inconclusive=args.inconclusive,
            mix_environments=args.mix_environments,
            generalise=args.generalise,
            example_json=args.example_json,
            threshold=args.threshold,
            missing=args.missing,
            result_file=args.result_file,
            seed=args.seed,
        )
    if args.junit is not None:
        write_file(args.junit, report.to_junit())
    if args.markdown is not None:
        write_file(args.markdown, report.to_markdown().encode())
    if args.json:
        print_json(report.to_json())
    else:
        print(report.to_text(), end="")
    return 0 if report.opened else 1
