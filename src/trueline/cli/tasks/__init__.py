"""`trueline tasks`: list, show, check, fetch, stand in for and audit tasks; install OSWorld's own evaluators."""

from __future__ import annotations

import argparse

from trueline.cli.parser import Parser
from trueline.cli.subcommands import Subcommand, configure_all, run_one

_EXAMPLES = """\
examples:
  trueline tasks list --test_all_meta_path evaluation_examples/test_small.json
  trueline tasks check --test_config_base_dir evaluation_examples --domain os --json
  trueline tasks show os/rename-report --test_config_base_dir evaluation_examples
"""

SUBCOMMANDS = {
    "list": Subcommand("tasks.list_", "List the selected tasks, one per line."),
    "show": Subcommand("tasks.show", "Show one task: instruction, setup, checks."),
    "check": Subcommand(
        "tasks.check",
        "Read all selected tasks; report which can run and be scored here, and what is wrong with the rest.",
    ),
    "fetch": Subcommand("tasks.fetch", "Download once what the selected tasks need, so that runs can be offline."),
    "stand-ins": Subcommand(
        "tasks.stand_ins",
        "Generate files in place of those that the selected tasks fetch, to try set-ups and checkers.",
    ),
    "audit": Subcommand(
        "tasks.audit", "Prove that each task can be solved and that nothing else passes.", ("desktop",)
    ),
    "install-osworld": Subcommand(
        "tasks.install_osworld", "Install OSWorld's own evaluators, for tasks that Trueline's cannot score."
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
