"""`trueline attacks list`: all vectors and goals."""

from __future__ import annotations

import argparse

from trueline.cli.attacks.describe import describe_goal, describe_vector
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.tables import text_table
from trueline.text import printable


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print two tables."""
    from trueline.tasks.attacks.goals import GOALS
    from trueline.tasks.attacks.vectors import VECTORS

    vectors = [describe_vector(VECTORS.find(name)) for name in VECTORS.names()]
    goals = [describe_goal(GOALS.find(name)) for name in GOALS.names()]
    if args.json:
        print_json({"vectors": vectors, "goals": goals})
        return 0
    rows = [["vector", "channels", "programs", "about"]]
    rows += [[_shown(row[key]) for key in ("vector", "channels", "programs", "about")] for row in vectors]
    print(text_table(rows, ruled=False))
    print()
    rows = [["goal", "seen in", "text"]]
    rows += [[_shown(row["goal"]), _shown(row["seen_in"]), printable(str(row["text"]), 80)] for row in goals]
    print(text_table(rows, ruled=False))
    return 0


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(printable(str(part), 40) for part in value) or "-"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- of JSON
    return printable(str(value), 100)
