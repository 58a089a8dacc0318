"""`trueline tasks`: what there is to run, and whether it can be run and scored here."""

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
  trueline tasks list --test_all_meta_path evaluation_examples/test_small.json
  trueline tasks check --test_config_base_dir evaluation_examples --domain os --json
  trueline tasks show os/rename-report --test_config_base_dir evaluation_examples
"""

SUBCOMMANDS = {
    "list": "The tasks that are selected, one a line.",
    "show": "One task: instruction, set-up, checks.",
    "check": "Read all selected tasks; say which can run here, which can be scored, and what is wrong.",
    "audit": "Prove that each task can be solved, and that nothing else passes.",
}
"""Name of the module below this package, and summary. What is not there is not listed."""


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    there = {name: about for name, about in SUBCOMMANDS.items() if _is_there(name)}
    actions = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(there))
    for name, about in there.items():
        _module(name).configure(actions.add_parser(name, help=about, description=about))


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return _module(args.subcommand).run(args)


def _file(name: str) -> str:
    return f"trueline.cli.tasks.{'list_' if name == 'list' else name}"


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(_file(name)) is not None


def _module(name: str) -> CommandModule:
    return cast("CommandModule", importlib.import_module(_file(name)))
