"""`trueline power`: how many tasks and repeats a study needs."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from trueline.cli.metrics import add_reading_flags, errors_name_flags
from trueline.cli.output import print_json
from trueline.cli.parser import Parser

_EXAMPLES = """\
examples:
  trueline power --tasks 361 --repeats 3 --metric pass_hat_3 --from results/baseline --new 0.45
  trueline power --tasks 361 --repeats 3 --metric pass_1 --base 0.60 --new 0.64 --rho 0.6
  trueline power --metric attack_success --hosts 20 --goals 5 --repeats 2 --base 0.30 --new 0.15
  trueline power --tasks 100 --repeats 3 --metric pass_hat_3 --base 0.40 --new 0.50     (a table over rho)

rho is the correlation of two runs of the same task: 0 when all tasks are equally hard, 1 when each is always or never
solved. Two rates do not determine it; without --rho or --from a table over plausible values is shown.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--tasks", "--hosts", type=int, required=True, metavar="N",
                        help="tasks in the study; of attack_success the host tasks")  # fmt: skip
    parser.add_argument("--goals", type=int, metavar="N", help="goals injected into each host task (1)")
    parser.add_argument("--vectors", type=int, metavar="N", help="vectors that carry each goal (1)")
    parser.add_argument("--repeats", type=int, required=True, metavar="N", help="runs of each task in each setting")
    parser.add_argument("--metric", default="pass_1", metavar="M", help="pass_hat_K, pass_1 or attack_success (pass_1)")
    parser.add_argument("--from", dest="source", nargs="+", type=Path, metavar="DIR",
                        help="fit base rate and rho from these runs")  # fmt: skip
    parser.add_argument("--base", type=float, metavar="P", help="the metric in the base setting")
    parser.add_argument("--new", type=float, metavar="Q", help="the metric in the new setting")
    parser.add_argument("--rho", type=float, metavar="R", help="correlation of two runs of one task")
    parser.add_argument("--rho-host", type=float, metavar="R",
                        help="of attack_success: correlation of two runs of one host task in different cells "
                        "(half of --rho)")  # fmt: skip
    parser.add_argument("--link", type=float, default=1.0, metavar="L",
                        help="correlation of a task's ease in the two settings (1)")  # fmt: skip
    parser.add_argument("--power", type=float, default=0.8, metavar="X", help="the chance wanted (0.8)")
    parser.add_argument("--alpha", type=float, default=0.05, metavar="X", help="level of the test (0.05)")
    parser.add_argument("--studies", type=int, default=4000, metavar="N", help="simulated studies per figure (4000)")
    add_reading_flags(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Plan the study and print what it needs."""
    from trueline.stats.power.plan import StudyRequest, plan_study

    fields = {field.name: getattr(args, field.name) for field in dataclasses.fields(StudyRequest)}
    with errors_name_flags():
        plan = plan_study(StudyRequest(**fields))
    if args.json:
        print_json(plan.to_json())
    else:
        print(plan.to_text(), end="")
    return 0
