"""`trueline judge`: judge episodes; `summary`, `agreement` and `label` as first word are subcommands."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, cast

from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.cli.main import CommandModule

_SUBCOMMANDS = ("summary", "agreement", "label")


def configure(parser: Parser) -> None:
    """Take all words as they are: which parser reads them depends on the first one."""
    parser.prefix_chars = ""
    parser.add_argument("words", nargs=argparse.REMAINDER)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand, or judge."""
    words: list[str] = args.words
    name = words[0] if words and words[0] in _SUBCOMMANDS else ""
    module = cast("CommandModule", importlib.import_module(f"trueline.cli.judge_{name or 'run'}"))
    parser = Parser(prog=f"trueline judge {name}".rstrip())
    module.configure(parser)
    return module.run(parser.parse_args(words[1:] if name else words))
