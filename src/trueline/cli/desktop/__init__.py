"""`trueline desktop`: a real, isolated desktop to look at, to drive and to serve."""

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
  trueline desktop shot screen.png --app mousepad
  trueline desktop tree --app mousepad --format tsv
  trueline desktop serve --port 5000
"""

SUBCOMMANDS = {
    "start": "Start a desktop and keep it until Ctrl-C.",
    "shot": "Start a desktop, open an application and write a picture of it.",
    "tree": "Start a desktop, open an application and write its accessibility tree.",
    "run": "Run a command or action code on a fresh desktop.",
    "serve": "A desktop that speaks OSWorld's protocol.",
    "watch": "See a live desktop in the browser.",
    "video": "Make a film of the frames a broken-off recording left.",
    "bench": "How fast desktops are on this machine.",
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


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(_path(name)) is not None


def _module(name: str) -> CommandModule:
    return cast("CommandModule", importlib.import_module(_path(name)))


def _path(name: str) -> str:
    # A module named `run` would take the place of the function of that name in this package.
    return f"trueline.cli.desktop.{'run_' if name == 'run' else name}"
