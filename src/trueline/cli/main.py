"""Find the command, run it, turn its errors into one line and an exit code."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Protocol, cast

from trueline import __version__
from trueline.cli.commands import COMMANDS, Command
from trueline.errors import InputError, RequestError, TruelineError
from trueline.text import printable

if TYPE_CHECKING:
    import argparse

    from trueline.cli.parser import Parser

INTERRUPTED = 130


class CommandModule(Protocol):
    """The interface of each command's module."""

    def configure(self, parser: Parser) -> None:
        """Declare the flags."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Do the work and return the exit code."""
        ...


def main(argv: list[str] | None = None) -> int:
    """Run `trueline` with these arguments and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        if words[:1] == ["help"] and len(words) > 1:
            words = [*words[1:], "--help"]
        if not words or words[0] in ("-h", "--help", "help"):
            print(_overview())
            return 0
        if words[0] in ("-V", "--version"):
            print(f"trueline {__version__}")
            return 0
        return _run(_find(words[0]), words[1:])
    except TruelineError as error:
        place = f"trueline {words[0]}" if words[0] in COMMANDS else "trueline"
        print(f"{place}: {printable(_message(error), limit=2000)}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"trueline {words[0]}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: end quietly, as other programs do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"trueline {words[0]}: {printable(f'{where}{error.strerror or error}')}", file=sys.stderr)
        return 1
    except Exception as error:
        if os.environ.get("TRUELINE_DEBUG"):
            raise
        text = printable(f"{type(error).__name__}: {error}")
        print(f"trueline {words[0]}: internal error: {text} (TRUELINE_DEBUG=1 shows where)", file=sys.stderr)
        return 1


def _message(error: TruelineError) -> str:
    """The message of an error, in which request fields are named by their flags."""
    if not isinstance(error, RequestError):
        return str(error)
    from trueline.cli.guard_flags import with_flags

    return with_flags(str(error))


def _run(command: Command, words: list[str]) -> int:
    from trueline.cli.parser import Parser

    module = cast("CommandModule", importlib.import_module(command.module))
    parser = Parser(prog=f"trueline {command.name}", description=command.summary)
    module.configure(parser)
    return module.run(parser.parse_args(words))


def _find(name: str) -> Command:
    if name in COMMANDS:
        return COMMANDS[name]
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean {near[0]}?" if near else "see trueline --help"
    raise InputError(f"unknown command {name!r}; {hint}")


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS.values()]
    return "\n".join(
        [
            "Trueline measures computer-use agents and keeps them on task.",
            "",
            "usage: trueline COMMAND [flags]    (trueline COMMAND --help explains one)",
            "",
            *lines,
            "",
            "  -h, --help       show this help",
            "  -V, --version    show the version",
            "",
            "Exit codes: 0 done, 1 the work failed, 2 wrong usage or input, 130 interrupted (and resumable).",
        ]
    )
