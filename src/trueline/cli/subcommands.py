"""Commands that are made of commands: each has a file of its own."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from trueline.cli.parser import Parser
from trueline.extras import require_extra

if TYPE_CHECKING:
    from trueline.cli.main import CommandModule


class Subcommand(NamedTuple):
    """One of them."""

    module: str
    """Its file, as it is imported."""
    summary: str
    extras: tuple[str, ...] = ()
    """Optional dependencies that it requires."""


def configure_all(parser: Parser, table: Mapping[str, Subcommand]) -> None:
    """Declare all subcommands of a table."""
    actions = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(table))
    for name, subcommand in table.items():
        about = subcommand.summary
        added = actions.add_parser(name, help=about, description=about)
        added.underscores = parser.underscores
        _module(subcommand).configure(added)


def run_one(args: argparse.Namespace, table: Mapping[str, Subcommand]) -> int:
    """Run the one that was named.

    Raises:
        MissingExtraError: It cannot do without an optional dependency that is not installed.
    """
    subcommand = table[args.subcommand]
    for extra in subcommand.extras:
        require_extra(extra, args.subcommand)
    return _module(subcommand).run(args)


def _module(subcommand: Subcommand) -> CommandModule:
    return cast("CommandModule", importlib.import_module(f"trueline.cli.{subcommand.module}"))
