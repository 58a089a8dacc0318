"""`trueline tasks check`: whether the selected tasks can be read, run and scored here."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.tasks.selection import (
    ABOUT_CHECKERS,
    CHECKERS,
    add_mirror_flag,
    add_network_flag,
    add_selection_flags,
    chosen_selection,
    chosen_suite,
)
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.tasks.report import TaskReport

_SHOWN = 50


def configure(parser: Parser) -> None:
    """Declare the flags."""
    add_selection_flags(parser)
    add_network_flag(parser)
    add_mirror_flag(parser)
    parser.add_argument("--checkers", choices=CHECKERS, help=ABOUT_CHECKERS)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Read the tasks and print a report; the exit code is 1 if a file is invalid."""
    from trueline.tasks.downloads import Downloads, default_folder
    from trueline.tasks.facilities import local_facilities
    from trueline.tasks.mirror import open_mirror
    from trueline.tasks.report import report
    from trueline.tasks.selection import select

    downloads = Downloads(default_folder(), mirror=None if args.mirror is None else open_mirror(args.mirror))
    facilities = local_facilities(network=args.network == "open")
    found = report(select(chosen_suite(args), chosen_selection(args)), facilities, downloads, args.checkers)
    if args.json:
        print_json(asdict(found))
    else:
        print("\n".join(_lines(found)))
    return 1 if found.errors else 0


def _lines(found: TaskReport) -> list[str]:
    from trueline.tables import count_lines

    lines = [
        f"{found.total} tasks, {found.loaded} read, {found.runnable} can run on the local desktop",
        "scored by: " + ", ".join(f"{who} {number}" for who, number in found.scored_by.items()),
    ]
    if found.files:
        lacking = f"; {found.missing_files} are not here, {found.lacking_files} tasks need them: trueline tasks fetch"
        lines.append(f"files to download: {found.files}{lacking if found.missing_files else ', all are here'}")
    if found.no_bridge:
        lines.append(f"OSWorld's own functions cannot be used: {printable(found.no_bridge, 300)}")
    lines += count_lines((f"not scorable without {printable(n)}", number) for n, number in found.not_scorable.items())
    if found.unsupported:
        lines += ["", "cannot run because of (a task may have several reasons):"]
        lines += count_lines((printable(why), number) for why, number in Counter(found.unsupported).most_common())
    if found.errors:
        lines += ["", f"{len(found.errors)} problems in {found.total - found.loaded} files:"]
        lines += [f"  {problem}" for problem in found.errors[:_SHOWN]]
        lines += [f"  … and {len(found.errors) - _SHOWN} more (--json has all)"] if len(found.errors) > _SHOWN else []
    return lines
