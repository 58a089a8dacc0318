"""`trueline cache`: statistics of cached model answers, and removing them."""

from __future__ import annotations

import argparse
import re
import time
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.models.cache import Stats

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = "The cache is in $TRUELINE_CACHE_DIR, else $XDG_CACHE_HOME/trueline, else ~/.cache/trueline."
    actions = parser.add_subparsers(dest="action", required=True, metavar="stats|clear")
    stats = actions.add_parser("stats", help="Count the cached answers.", description="Count the cached answers.")
    clear = actions.add_parser("clear", help="Remove answers.", description="Remove all cached answers, or only some.")
    clear.add_argument("--older-than", type=_seconds, metavar="AGE", help="only answers older than this: 12h, 30d, 2w")
    clear.add_argument(
        "--purpose", nargs="+", default=[], metavar="P", help="only answers for these purposes: guard, judge …"
    )
    for action in (stats, clear):
        action.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return _stats(args) if args.action == "stats" else _clear(args)


def _stats(args: argparse.Namespace) -> int:
    from trueline.models.cache import cache_path, read_stats

    stats = read_stats(cache_path())
    if args.json:
        print_json(_document(stats))
    else:
        print(_table(stats))
    return 0


def _clear(args: argparse.Namespace) -> int:
    from typing import get_args

    from trueline.errors import InputError
    from trueline.models.cache import cache_path, clear_cache
    from trueline.models.types import Purpose

    for purpose in args.purpose:
        if purpose not in get_args(Purpose):
            raise InputError(f"--purpose {purpose}: unknown purpose; choose one of {', '.join(get_args(Purpose))}")
    cleared = clear_cache(cache_path(), older_than_s=args.older_than, purposes=args.purpose)
    moved = str(cleared.moved_to) if cleared.moved_to else None
    if args.json:
        print_json({"removed": cleared.removed, "moved_to": moved})
    elif moved:
        print(f"the cache was damaged and is now at {moved}; a new one is created when needed")
    else:
        print(f"{cleared.removed} answers removed")
    return 0


def _seconds(word: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", word)
    if not match:
        raise argparse.ArgumentTypeError(f"{word!r} must be an age such as 90s, 45m, 12h, 30d or 2w")
    return float(match[1]) * _UNITS[match[2]]


def _document(stats: Stats) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "path": str(stats.path),
        "file_bytes": stats.file_bytes,
        "answers": stats.answers,
        "shares": [asdict(share) for share in stats.shares],
    }


def _table(stats: Stats) -> str:
    if not stats.shares:
        return f"{stats.path}: no cached answers"
    from trueline.tables import text_table

    head = ("purpose", "model", "answers", "kB", "cost", "oldest")
    rows = [head] + [
        (
            share.purpose,
            printable(share.model, 60),
            str(share.answers),
            f"{share.bytes / 1000:.1f}",
            f"${share.cost:.4f}" + (f" + {share.unpriced} unknown" if share.unpriced else ""),
            time.strftime("%Y-%m-%d", time.gmtime(share.oldest)),
        )
        for share in stats.shares
    ]
    summary = f"{stats.path}: {stats.answers} answers, {stats.file_bytes / 1e6:.1f} MB"
    return f"{summary}\n{text_table(rows, ruled=False)}"
