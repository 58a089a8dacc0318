"""The words that can follow `trueline`, taken from the argument parsers."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from trueline.cli.commands import COMMANDS
from trueline.cli.parser import Parser

Takes = Literal["nothing", "one", "many"]
_FILE_WORDS = re.compile(
    r"\b(FILE|DIR|RESULT_DIR|PATH|INDEX|ROOT|SRC|SUITE|F|OUT|RULES|FRAMES|BASE|NEW|RESULT2?|MANIFEST)\b"
)
"""Metavars of arguments that are files although their type does not say so."""


@dataclass(frozen=True)
class Flag:
    """A flag, with all its spellings."""

    names: tuple[str, ...]
    """As the help shows them."""
    takes: Takes
    values: tuple[str, ...]
    """The only values there are, if they are few."""
    files: bool
    """Whether its values are files or folders."""
    about: str


@dataclass(frozen=True)
class CompletedCommand:
    """A command or subcommand."""

    path: tuple[str, ...]
    """The words that name it, without `trueline`."""
    about: str
    flags: tuple[Flag, ...]
    words: tuple[str, ...]
    """What may stand there without a flag: subcommands, or the few values of an argument."""
    files: bool
    """Whether files or folders may stand there."""


def completed_commands() -> tuple[CompletedCommand, ...]:
    """Return every command and subcommand; the first one is `trueline` itself."""
    top = CompletedCommand((), "", _top_flags(), (*COMMANDS, "help"), files=False)
    return (top, *(found for name in COMMANDS for found in _commands(name)))


def _top_flags() -> tuple[Flag, ...]:
    show = {"--help": "show the help", "--version": "show the version"}
    return tuple(Flag((name,), "nothing", (), files=False, about=about) for name, about in show.items())


def _commands(name: str) -> Iterator[CompletedCommand]:
    command = COMMANDS[name]
    module: Any = importlib.import_module(command.module)
    if hasattr(module, "parsers"):
        # A command that chooses its parser by its first word.
        parsers = cast("Callable[[], dict[str, Parser]]", module.parsers)()
        subcommands = tuple(filter(None, parsers))
        for sub, parser in parsers.items():
            path, words = ((name, sub), ()) if sub else ((name,), subcommands)
            yield _command(parser, path, parser.description or command.summary, words)
        return
    parser = Parser(prog=f"trueline {name}", description=command.summary)
    module.configure(parser)
    subparsers = _subparsers(parser)
    yield _command(parser, (name,), command.summary, tuple(subparsers))
    for sub, subparser in subparsers.items():
        yield _command(subparser, (name, sub), subparser.description or "", ())


def _command(parser: Parser, path: tuple[str, ...], about: str, words: tuple[str, ...]) -> CompletedCommand:
    flags = tuple(_flag(parser, action) for action in _actions(parser) if action.option_strings)
    arguments = [action for action in _actions(parser) if not action.option_strings and not _holds_parsers(action)]
    values = tuple(value for action in arguments for value in _values(action))
    return CompletedCommand(path, about, flags, (*words, *values), files=any(map(_takes_files, arguments)))


def _actions(parser: Parser) -> list[argparse.Action]:
    actions = parser._actions  # pyright: ignore[reportPrivateUsage]: argparse tells in no other way
    return [action for action in actions if action.help != argparse.SUPPRESS]


def _holds_parsers(action: argparse.Action) -> bool:
    return isinstance(action, argparse._SubParsersAction)  # pyright: ignore[reportPrivateUsage]: see above


def _subparsers(parser: Parser) -> dict[str, Parser]:
    for action in _actions(parser):
        if _holds_parsers(action):
            return cast("dict[str, Parser]", action.choices)
    return {}


def _flag(parser: Parser, action: argparse.Action) -> Flag:
    names = tuple(parser.spelled(name) for name in action.option_strings)
    takes: Takes = "nothing" if action.nargs == 0 else "many" if action.nargs in ("+", "*") else "one"
    about = parser.spelled((action.help or "").replace("%%", "%"))
    return Flag(names, takes, _values(action), files=_takes_files(action), about=about)


def _values(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


def _takes_files(action: argparse.Action) -> bool:
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest
    return (
        action.choices is None
        and action.nargs != 0
        and (action.type is Path or _FILE_WORDS.search(metavar) is not None)
    )
