"""`trueline judge`: judge episodes; `summary`, `agreement` and `label` are subcommands."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.cli.main import CommandModule

_SUBCOMMANDS = {"summary": "judge_summary", "agreement": "judge_agreement", "label": "judge_label"}


def configure(parser: Parser) -> None:
    """Take all words unparsed: the first one decides which parser reads them."""
    parser.prefix_chars = ""
    parser.add_argument("words", nargs=argparse.REMAINDER)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand, or judge."""
    words: list[str] = args.words
    name = words[0] if words and words[0] in _SUBCOMMANDS else ""
    return _module(name).run(_parser(name).parse_args(words[1:] if name else words))


def parsers() -> dict[str, Parser]:
    """Every parser by the name of its subcommand; the empty name is `trueline judge` itself."""
    return {name: _parser(name) for name in ("", *_SUBCOMMANDS)}


def _parser(name: str) -> Parser:
    parser = Parser(prog=f"trueline judge {name}".rstrip())
    parser.underscores = True
    _module(name).configure(parser)
    return parser


def _module(name: str) -> CommandModule:
    return cast("CommandModule", importlib.import_module(f"trueline.cli.{_SUBCOMMANDS.get(name, 'judge_run')}"))


def take_paths(args: argparse.Namespace, prog: str, *flags: str) -> None:
    """Move folders from flags with several values to `args.paths`, when they follow such a flag directly.

    Raises:
        InputError: No folder is named.
    """
    for flag in flags:
        values: list[str] = getattr(args, flag)
        keep = len(values)
        while not args.paths and keep > 1 and Path(values[keep - 1]).is_dir():
            keep -= 1
        args.paths += [Path(value) for value in values[keep:]]
        setattr(args, flag, values[:keep])
    if not args.paths:
        raise InputError(f"no folder is named; see {prog} --help")
