"""`trueline tasks stand-ins`: generate files in place of those that the selected tasks fetch."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.tasks.progress import count_on_stderr
from trueline.cli.tasks.selection import add_selection_flags, chosen_selection, chosen_suite
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.tasks.stand_ins.folder import Written

_EXAMPLES = """\
examples:
  trueline tasks stand-ins evaluation_examples/test_all.json /data/stand_ins
  trueline tasks check --test_all_meta_path evaluation_examples/test_all.json --mirror /data/stand_ins
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("index", type=Path, metavar="INDEX", help="the same as --test_all_meta_path")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new folder, or one of an earlier call")
    add_selection_flags(parser)
    parser.add_argument("--progress", choices=["auto", "plain", "none"], default="auto")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Write the files and print what is not as its name says; the exit code is 1 if some could not be made."""
    from trueline.tasks.selection import select
    from trueline.tasks.stand_ins.folder import write_stand_ins

    if args.test_all_meta_path not in (None, args.index):
        raise InputError(f"{args.index} and --test_all_meta_path {args.test_all_meta_path}: give only one index")
    args.test_all_meta_path = args.index
    loaded = select(chosen_suite(args), chosen_selection(args))
    show = count_on_stderr(args.progress)
    written = write_stand_ins(
        (each.task for each in loaded.tasks),
        args.folder,
        lambda done, total: show(done, total, f"{done} of {total} files"),
    )
    if args.json:
        print_json(asdict(written))
    else:
        print("\n".join(_lines(written, args.folder)))
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    return 1 if written.failed or loaded.problems else 0


def _lines(written: Written, folder: Path) -> list[str]:
    lines = [f"{written.new} stand-ins written ({written.size >> 10:,} KiB), {written.there} were there before"]
    lines += [f"  {printable(source, 200)}: {printable(note)}" for source, note in written.notes.items()]
    if written.failed:
        lines.append(f"{len(written.failed)} files have no stand-in:")
        lines += [f"  {printable(source, 200)}: {printable(why)}" for source, why in written.failed.items()]
    return [*lines, f"use them with: --mirror {printable(str(folder))} (records then say: stand-in assets)"]
