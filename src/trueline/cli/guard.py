"""`trueline guard`: judge actions before they run, offline and online."""

from __future__ import annotations

import argparse

from trueline.cli.parser import Parser
from trueline.cli.subcommands import Subcommand, configure_all, run_one

_EXAMPLES = """\
examples:
  trueline guard bench --benchmark_file MisActBench/misactbench.json --fast_check_model 'openai|gpt-5-mini'
  trueline guard check --instruction "Rename the file" --screenshot screen.png --action action.py
  trueline guard replay results/run1 --json
  trueline guard rules test
"""

SUBCOMMANDS = {
    "bench": Subcommand("guard_bench", "Run a detector over MisActBench and score it."),
    "check": Subcommand("guard_check", "Judge one action; exit code 0 allowed, 1 not allowed."),
    "replay": Subcommand("guard_replay", "What the guard would have stopped in stored runs, when, and at what price."),
    "rules": Subcommand("guard_rules", "The policy stage's rules: show, check and test them."),
    "serve": Subcommand("guard_serve", "The guard over HTTP.", ("serve",)),
    "proxy": Subcommand(
        "guard_proxy", "The guard between an agent and a machine that speaks OSWorld's protocol.", ("serve", "desktop")
    ),
    "mcp": Subcommand("guard_mcp", "The guard as a tool server.", ("mcp",)),
    "redteam": Subcommand("guard_redteam", "Attack the guard, with a budget."),
}


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    parser.underscores = True
    configure_all(parser, SUBCOMMANDS)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return run_one(args, SUBCOMMANDS)
