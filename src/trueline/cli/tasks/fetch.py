"""`trueline tasks fetch`: download once what the selected tasks need."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.tasks.progress import count_on_stderr
from trueline.cli.tasks.selection import add_mirror_flag, add_selection_flags, chosen_selection, chosen_suite
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.tasks.assets import Fetched, FetchProgress
    from trueline.tasks.suite import SuiteTask

_SHOWN = 20
_EXAMPLES = """\
examples:
  trueline tasks fetch evaluation_examples/test_small.json
  trueline tasks fetch --test_config_base_dir evaluation_examples --domain gimp --mirror /data/osworld_cache
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("index", nargs="?", type=Path, metavar="INDEX", help="the same as --test_all_meta_path")
    add_selection_flags(parser)
    add_mirror_flag(parser)
    parser.add_argument("--at-once", type=count, default=4, metavar="N", help="files at the same time (4)")
    parser.add_argument("--largest", type=count, default=2048, metavar="MIB", help="refuse larger files (2048)")
    parser.add_argument("--most", type=count, default=40_960, metavar="MIB", help="stop after this much (40960)")
    parser.add_argument("--progress", choices=["auto", "plain", "none"], default="auto")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Fetch the files and print what is missing; the exit code is 1 if anything is."""
    from trueline.tasks.assets import fetch_files
    from trueline.tasks.downloads import Downloads, default_folder
    from trueline.tasks.mirror import open_mirror
    from trueline.tasks.needs import needs_of
    from trueline.tasks.selection import select

    if args.index is not None and args.test_all_meta_path not in (None, args.index):
        raise InputError(f"{args.index} and --test_all_meta_path {args.test_all_meta_path}: give only one index")
    args.test_all_meta_path = args.test_all_meta_path or args.index
    loaded = select(chosen_suite(args), chosen_selection(args))
    mirror = None if args.mirror is None else open_mirror(args.mirror)
    downloads = Downloads(default_folder(), mirror=mirror, largest=args.largest << 20)
    urls = [url for task in loaded.tasks for url in needs_of(task.task).downloads]
    report = _progress(args.progress)
    fetched = asyncio.run(fetch_files(urls, downloads, report, at_once=args.at_once, most=args.most << 20))
    if args.json:
        print_json({**asdict(fetched), "tasks_lacking": _lacking(loaded.tasks, fetched)})
    else:
        print("\n".join(_lines(loaded.tasks, fetched)))
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    return 1 if fetched.failed or loaded.problems else 0


def _lacking(tasks: tuple[SuiteTask, ...], fetched: Fetched) -> list[str]:
    from trueline.tasks.needs import needs_of

    return [task.ref.name for task in tasks if any(url in fetched.failed for url in needs_of(task.task).downloads)]


def _lines(tasks: tuple[SuiteTask, ...], fetched: Fetched) -> list[str]:
    lines = [f"{fetched.new} files fetched ({fetched.size >> 10:,} KiB), {fetched.there} were there before"]
    if fetched.failed:
        lacking = _lacking(tasks, fetched)
        lines += [f"{len(fetched.failed)} files could not be had; {len(lacking)} tasks lack some:"]
        lines += [f"  {printable(why, 300)}" for why in list(fetched.failed.values())[:_SHOWN]]
        more = len(fetched.failed) - _SHOWN
        lines += [f"  … and {more} more (--json has all)"] if more > 0 else []
    return lines


def _progress(kind: str) -> Callable[[FetchProgress], None]:
    show = count_on_stderr(kind)
    return lambda now: show(now.done, now.total, f"{now.done} of {now.total} files, {now.size >> 10:,} KiB")
