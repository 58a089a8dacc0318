"""`trueline attacks`: list and show attack vectors and goals, and preview how an injection looks."""

from __future__ import annotations

import argparse

from trueline.cli.parser import Parser
from trueline.cli.subcommands import Subcommand, configure_all, run_one

_EXAMPLES = """\
examples:
  trueline attacks list
  trueline attacks show web_canvas
  trueline attacks preview web_canvas stop_task --out canvas.png
"""

SUBCOMMANDS = {
    "list": Subcommand("attacks.list_", "List the vectors with their channels, and the goals."),
    "show": Subcommand("attacks.show", "Show one vector or goal: channels and programs, or text and evidence."),
    "preview": Subcommand(
        "attacks.preview", "Write a picture of how a vector with a goal looks on a real desktop.", ("desktop",)
    ),
}


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    parser.underscores = True
    configure_all(parser, SUBCOMMANDS)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return run_one(args, SUBCOMMANDS)
