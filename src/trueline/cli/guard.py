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
    "bench": Subcommand("guard_bench", "Run a guard over MisActBench and score it."),
    "check": Subcommand("guard_check", "Judge one action; exit code 0 allowed, 1 not allowed."),
    "replay": Subcommand("guard_replay", "Show what the guard would have stopped in stored runs, and at what price."),
    "scope": Subcommand("guard_scope", "Print what a task may touch, from the user's words."),
    "rules": Subcommand("guard_rules", "Show and test the rules of the policy stage."),
    "serve": Subcommand("guard_serve", "Serve the guard over HTTP.", ("serve",)),
    "proxy": Subcommand(
        "guard_proxy",
        "Guard a machine that speaks OSWorld's protocol, between it and the agent.",
        ("serve", "desktop"),
    ),
    "mcp": Subcommand("guard_mcp", "Serve the guard as an MCP tool.", ("mcp",)),
    "league": Subcommand("guard_league", "Compare several guards on the same labelled steps."),
    "make-set": Subcommand("guard_make_set", "Make a set of labelled steps from runs of simulated subjects."),
    "truth": Subcommand("guard_truth", "Label recorded proposals by what they lead to.", ("desktop",)),
    "redteam": Subcommand("guard_redteam", "Attack the guard within a budget of attempts."),
}


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    parser.underscores = True
    configure_all(parser, SUBCOMMANDS)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return run_one(args, SUBCOMMANDS)
