"""Commands that are made of commands: each has a file of its own."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.cli.main import CommandModule


class Subcommand(NamedTuple):
    """One of them."""

    module: str
    """Its file, as it is imported."""
    summary: str


def configure_all(parser: Parser, table: Mapping[str, Subcommand]) -> None:
    """Declare all subcommands of a table."""
    actions = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(table))
    for name, subcommand in table.items():
        about = subcommand.summary
        added = actions.add_parser(name, help=about, description=about)
        added.underscores = parser.underscores
        _module(subcommand).configure(added)


def run_one(args: argparse.Namespace, table: Mapping[str, Subcommand]) -> int:
    """Run the one that was named."""
    return _module(table[args.subcommand]).run(args)


def _module(subcommand: Subcommand) -> CommandModule:
    return cast("CommandModule", importlib.import_module(f"trueline.cli.{subcommand.module}"))
