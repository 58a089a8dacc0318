"""`trueline attacks show`: one vector or goal."""

from __future__ import annotations

import argparse

from trueline.cli.attacks.describe import describe_goal, describe_vector
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError
from trueline.text import printable


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.add_argument("name", metavar="NAME", help="a vector or a goal")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print what is to be known of it."""
    from trueline.tasks.attacks.goals import GOALS
    from trueline.tasks.attacks.vectors import VECTORS

    if VECTORS.provides(args.name):
        found = describe_vector(VECTORS.find(args.name))
    elif GOALS.provides(args.name):
        found = describe_goal(GOALS.find(args.name))
    else:
        shown = printable(args.name, 100)
        raise InputError(f"unknown vector or goal {shown!r}; list them with: trueline attacks list")
    if args.json:
        print_json(found)
        return 0
    for name, value in found.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        print(f"{name.replace('_', ' '):<18} {printable(text, 4000) or '-'}")
    return 0
