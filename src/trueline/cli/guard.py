"""`trueline guard`: judge actions before they run, offline and online."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from typing import TYPE_CHECKING, cast

from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.cli.main import CommandModule

_EXAMPLES = """\
examples:
  trueline guard bench --benchmark_file MisActBench/misactbench.json --fast_check_model 'openai|gpt-5-mini'
  trueline guard check --instruction "Rename the file" --screenshot screen.png --action action.py
  trueline guard replay results/run1 --json
  trueline guard rules test
"""

SUBCOMMANDS = {
    "bench": ("guard_bench", "Run a detector over MisActBench and score it."),
    "check": ("guard_check", "Judge one action; exit code 0 allowed, 1 not allowed."),
    "replay": ("guard_replay", "What the guard would have stopped in stored runs, when, and at what price."),
    "rules": ("guard_rules", "The policy stage's rules: show, check and test them."),
    "serve": ("guard_serve", "The guard over HTTP."),
    "proxy": ("guard_proxy", "The guard between an agent and a machine that speaks OSWorld's protocol."),
    "mcp": ("guard_mcp", "The guard as a tool server."),
    "redteam": ("guard_redteam", "Attack the guard, with a budget."),
}
"""Name, module below `trueline.cli`, summary. What is not installed is not listed."""


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    there = {name: about for name, (_, about) in SUBCOMMANDS.items() if _is_there(name)}
    actions = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(there))
    for name, about in there.items():
        _module(name).configure(actions.add_parser(name, help=about, description=about))


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return _module(args.subcommand).run(args)


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(f"trueline.cli.{SUBCOMMANDS[name][0]}") is not None


def _module(name: str) -> CommandModule:
    return cast("CommandModule", importlib.import_module(f"trueline.cli.{SUBCOMMANDS[name][0]}"))
