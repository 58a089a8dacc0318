"""The flags that select tasks, for every command that takes them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.parser import FlagGroup, whole_number
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.tasks.selection import Selection
    from trueline.tasks.suite import Suite

KINDS = ("benign", "misuse", "injection", "accident")


def add_selection_flags(
    parser: argparse.ArgumentParser, *, title: str = "which tasks", common: FlagGroup | None = None
) -> None:
    """Declare the seeds' flags and ours; `--seed` is also the seed of whatever else a command draws.

    Args:
        parser: Where.
        title: Of the group.
        common: Where the suite goes, if it is not to be in this group.
    """
    group = parser.add_argument_group(title)
    (common or group).add_argument(
        "--suite", metavar="NAME", help="a suite of Trueline's own, or a folder with an index.json (starter)"
    )
    group.add_argument("--test-all-meta-path", type=Path, metavar="INDEX", help="index file {domain: [ids]}")
    group.add_argument(
        "--test-config-base-dir", type=Path, metavar="DIR", help="folder that holds examples/ (default: the index's)"
    )
    group.add_argument(
        "--examples-dir", default="examples", metavar="NAME", help="folder of the task files below that (examples)"
    )
    group.add_argument("--domain", default="all", metavar="D", help="only this domain (all)")
    group.add_argument("--only", nargs="+", default=[], metavar="GLOB", help="only tasks whose id or domain/id matches")
    group.add_argument("--kind", nargs="+", default=[], choices=KINDS, metavar="KIND", help=f"only {', '.join(KINDS)}")
    group.add_argument("--sample", type=whole_number, metavar="N", help="N of them, drawn at random by the seed")
    group.add_argument("--seed", type=whole_number, default=0, metavar="N", help="seed of all random choices (0)")
    group.add_argument("--limit", type=whole_number, metavar="N", help="the first N tasks, however often each is run")


def chosen_suite(args: argparse.Namespace) -> Suite:
    """The suite the flags name.

    Raises:
        InputError: They name none, or two.
    """
    from trueline.tasks.suite import load_suite

    own = args.test_all_meta_path is not None or args.test_config_base_dir is not None
    if args.suite is not None and own:
        raise InputError("--suite cannot be combined with --test_all_meta_path and --test_config_base_dir")
    return load_suite(args.suite, args.test_all_meta_path, args.test_config_base_dir, args.examples_dir)


def chosen_selection(args: argparse.Namespace) -> Selection:
    """What the flags say to take of it."""
    from trueline.tasks.model import Kind
    from trueline.tasks.selection import Selection

    return Selection(
        domain=args.domain,
        only=tuple(args.only),
        kinds=tuple(Kind(kind) for kind in args.kind),
        sample=args.sample,
        seed=args.seed,
        limit=args.limit,
    )
