"""`trueline rescore`: score recorded episodes again from what their checkers read."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.tables import text_table
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.rescore import Rescored

_ABOUT = """\
Score recorded episodes again with the checkers of this version, without a desktop, and list which scores change. What
the checkers compared is kept in the folder `checker` of each episode.

examples:
  trueline rescore results
  trueline rescore results --out rescored
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.description = _ABOUT
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS", help="result folders or episode folders")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="write a copy with the new scores; the old folder is never changed")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Score and print."""
    from trueline.errors import InputError
    from trueline.runs.rescore import copy_rescored, find_episodes

    if args.out is not None and len(args.results) > 1:
        raise InputError("--out: takes the episodes of one result folder; name one")
    folders = find_episodes(args.results)
    if args.out is not None and args.out.exists():
        raise InputError(f"--out {args.out}: already exists; name a new folder")
    found = asyncio.run(_rescore(folders))
    if args.out is not None:
        copy_rescored(found, args.out)
    counts = Counter(one.outcome for one in found)
    if args.json:
        print_json(
            {
                "episodes": len(found),
                "same": counts["same"],
                "changed": counts["changed"],
                "left_out": counts["left out"],
                "rows": [one.to_json() for one in found],
                "out": None if args.out is None else str(args.out),
            }
        )
    else:
        print(report_text(found))
        if args.out is not None:
            print(f"written to {args.out}")
    return 0


async def _rescore(folders: list[Path]) -> list[Rescored]:
    from trueline.runs.rescore import rescore_episodes

    found: list[Rescored] = []
    shown = len(folders) >= _LARGE
    async for one in rescore_episodes(folders):
        found.append(one)
        if shown and len(found) % _LARGE == 0:
            print(f"{len(found)} of {len(folders)} episodes", file=sys.stderr)
    return found


_LARGE = 50
"""Progress is shown for at least this many episodes, and each time after as many."""


def report_text(found: list[Rescored]) -> str:
    """The changed scores as a table, and why others could not be scored again."""
    counts = Counter(one.outcome for one in found)
    lines = [
        f"{len(found)} episodes: {counts['same']} keep their score, {counts['changed']} change, "
        f"{counts['left out']} left out"
    ]
    changed = [one for one in found if one.outcome == "changed"]
    if changed:
        rows = [("episode", "before", "after", "reason")]
        rows += [
            (printable("/".join(one.folder.parts[-2:]), 80), _score(one.before), _score(one.after and one.after.score),
             printable(one.after.reason if one.after else "", 100))
            for one in changed
        ]  # fmt: skip
        lines += ["", text_table(rows)]
    why = Counter(printable(one.left_out, 200) for one in found if one.outcome == "left out")
    lines += [f"left out: {number} x {reason}" for reason, number in why.most_common()]
    return "\n".join(lines)


def _score(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
