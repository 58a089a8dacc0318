"""`trueline demo`: a small end-to-end example on real desktops; no key needed."""

from __future__ import annotations

import argparse
from pathlib import Path

from trueline.cli.parser import Parser, whole_number
from trueline.extras import require_extra

_ABOUT = """\
Run six tasks of the starter suite on real local desktops with a SIMULATED agent: plain, under prompt injection, and
under injection with the guard's rules in front. Then print success and attack success, and draw what the guard stopped.
Needs no key and no network. If interrupted, rerun the same command to resume.

examples:
  trueline demo
  trueline demo --short     one task, one injection, in about a minute
  trueline demo --study     no desktop: the statistics alone, on simulated scores
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.usage = "trueline demo [flags]"
    parser.description = _ABOUT
    parser.add_argument("--out", type=Path, default=Path("trueline-demo"), metavar="DIR",
                        help="where results go (./trueline-demo)")  # fmt: skip
    parser.add_argument("--seed", type=whole_number, default=1, metavar="N", help="seed of all random choices (1)")
    parser.add_argument("--short", action="store_true", help="one task and one injection, twice each")
    parser.add_argument("--study", action="store_true",
                        help="no desktop: only the statistics, on the scores of a simulated study")  # fmt: skip
    parser.add_argument("--num-envs", type=whole_number, default=3, metavar="N", help="desktops at the same time (3)")
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Run the demo."""
    if args.study:
        from trueline.cli.demo.study import run_study

        return run_study(args)
    from trueline.cli.demo.conditions import run_desktops

    require_extra("desktop", "the demo on real desktops")
    return run_desktops(args)
