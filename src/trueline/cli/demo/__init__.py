"""`trueline demo`: the main job in small; no key needed."""

from __future__ import annotations

import argparse
from pathlib import Path

from trueline.cli.parser import Parser, whole_number
from trueline.extras import require_extra

_ABOUT = """\
A few tasks of the starter suite on real local desktops, played by a simulated agent three times each: plain, under
injection, and under injection with the guard's rules in front. Then the tables. No key, no network; what is simulated
is called simulated. Interrupted, the same command goes on where it was stopped.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.description = _ABOUT
    parser.add_argument("--out", type=Path, default=Path("trueline-demo"), metavar="DIR",
                        help="where the results go (./trueline-demo)")  # fmt: skip
    parser.add_argument("--seed", type=whole_number, default=1, help="of all random choices (1)")
    parser.add_argument("--short", action="store_true", help="one task and one injection, twice each")
    parser.add_argument("--study", action="store_true",
                        help="no desktop: only the statistics, on the scores of a simulated study")  # fmt: skip
    parser.add_argument("--num-envs", type=whole_number, default=2, metavar="N", help="desktops at the same time (2)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Run the demo."""
    if args.study:
        from trueline.cli.demo.study import run_study

        return run_study(args)
    from trueline.cli.demo.desktops import run_desktops

    require_extra("desktop", "the demo on real desktops")
    return run_desktops(args)
