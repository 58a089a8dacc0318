"""`trueline desktop run`: one command, or one piece of action code, on a fresh desktop."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.desktop.common import add_application_flags, add_desktop_flags, open_desktop_with, safe_lines
from trueline.cli.output import check_place, print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError
from trueline.text import named

if TYPE_CHECKING:
    from trueline.desktop.local import LocalDesktop
    from trueline.desktop.types import Change

_EXAMPLES = """\
examples:
  trueline desktop run -- sh -c 'echo hello > Desktop/note.txt'
  trueline desktop run --root -- sh -c 'echo password | sudo -S useradd -m ada'
  trueline desktop run --app mousepad --python "import pyautogui; pyautogui.write('hello')" --shot after.png
"""


@dataclass(frozen=True)
class ProgramResult:
    """The result of the command or code."""

    returncode: int
    stdout: str
    stderr: str
    truncated: bool
    changes: tuple[Change, ...]
    picture: bytes | None


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("command", nargs="*", metavar="-- ARGV", help="the command line to run, without a shell")
    parser.add_argument("--python", metavar="FILE|CODE", help="action code to run instead; it may use pyautogui")
    parser.add_argument("--shot", type=Path, metavar="OUT.png", help="write a picture of the screen afterwards")
    parser.add_argument(
        "--time-limit",
        type=_seconds,
        default=30.0,
        metavar="S",
        help="time limit of the command or code in seconds (30)",
    )
    add_application_flags(parser)
    add_desktop_flags(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Run it and say what came of it; 1 when it failed."""
    if bool(args.command) == bool(args.python):
        raise InputError("give either a command after -- or --python (see trueline desktop run --help)")
    if args.shot is not None:
        check_place(args.shot)
    outcome = asyncio.run(_run(args, _source(args.python) if args.python else None))
    if args.shot is not None and outcome.picture is not None:
        write_file(args.shot, outcome.picture)
    if args.json:
        print_json(
            {
                "returncode": outcome.returncode,
                "stdout": outcome.stdout,
                "stderr": outcome.stderr,
                "truncated": outcome.truncated,
                "changes": [{"path": named(change.path), "kind": change.kind} for change in outcome.changes],
            }
        )
    else:
        sys.stdout.write(safe_lines(outcome.stdout))
        sys.stderr.write(safe_lines(outcome.stderr))
        sys.stdout.flush()
        for change in outcome.changes:
            print(f"{change.kind} {safe_lines(repr(change.path))}", file=sys.stderr)
        if outcome.returncode:
            print(f"it ended with {outcome.returncode}", file=sys.stderr)
    return 1 if outcome.returncode else 0


def _source(given: str) -> str:
    """The code itself, or that of the file it names."""
    if _is_file(given):
        try:
            return Path(given).read_text("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{given}: is not UTF-8 text") from None
    if given.endswith(".py"):
        raise InputError(f"{given}: there is no such file")
    return given


def _is_file(given: str) -> bool:
    try:
        return "\n" not in given and Path(given).is_file()
    except (OSError, ValueError):
        return False  # too long for a name


async def _run(args: argparse.Namespace, source: str | None) -> ProgramResult:
    from trueline.desktop.types import Settled
    from trueline.records import ObservationSpec

    async with open_desktop_with(args) as now:
        desktop = now.desktop
        returncode, stdout, stderr, truncated = (
            await _command(desktop, args) if source is None else await _code(desktop, source, args.time_limit)
        )
        picture = None
        if args.shot is not None:
            await desktop.wait_for(Settled())
            picture = (await desktop.observe(ObservationSpec())).png()
        changes = (*await desktop.diff(), *await desktop.system_diff())
        return ProgramResult(returncode, stdout, stderr, truncated, changes, picture)


async def _command(desktop: LocalDesktop, args: argparse.Namespace) -> tuple[int, str, str, bool]:
    done = await desktop.run(tuple(args.command), time_limit=args.time_limit)
    return done.returncode, done.text, done.stderr.decode("utf-8", "replace"), done.truncated


async def _code(desktop: LocalDesktop, source: str, seconds: float) -> tuple[int, str, str, bool]:
    from trueline.actions import Code

    done = await desktop.act(Code(source=source), id="code", code_limit=seconds)
    return done.returncode or 0, done.output or "", "", done.truncated


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"must be above 0 and at most 86400 seconds, not {text!r}")
    return seconds
