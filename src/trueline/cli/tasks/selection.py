"""The flags that select tasks, for all commands."""

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
CHECKERS = ("native", "bridged", "both", "none")
ABOUT_CHECKERS = "who scores: Trueline, OSWorld's own functions, both, or nobody (Trueline, else OSWorld's)"


def add_selection_flags(
    parser: argparse.ArgumentParser, *, title: str = "which tasks", common: FlagGroup | None = None
) -> None:
    """Declare the selection flags; `--seed` is the seed of everything that the command draws.

    Args:
        parser: The parser of the command.
        title: Title of the group of flags.
        common: The group for `--suite`; by default the same group.
    """
    group = parser.add_argument_group(title)
    (common or group).add_argument(
        "--suite", metavar="NAME", help="name of a built-in suite, or a folder with an index.json (starter)"
    )
    group.add_argument("--test-all-meta-path", type=Path, metavar="INDEX", help="index file: {domain: [ids]}")
    group.add_argument(
        "--test-config-base-dir",
        type=Path,
        metavar="DIR",
        help="folder that contains examples/ (default: the folder of the index)",
    )
    group.add_argument(
        "--examples-dir", default="examples", metavar="NAME", help="name of the folder of task files in it (examples)"
    )
    group.add_argument("--domain", default="all", metavar="D", help="only this domain (all)")
    group.add_argument(
        "--only", nargs="+", default=[], metavar="GLOB", help="only tasks whose id or domain/id matches a pattern"
    )
    group.add_argument(
        "--kind",
        nargs="+",
        default=[],
        choices=KINDS,
        metavar="KIND",
        help=f"only tasks of these kinds: {', '.join(KINDS)}",
    )
    group.add_argument("--sample", type=whole_number, metavar="N", help="a random sample of N tasks, drawn with --seed")
    group.add_argument("--seed", type=whole_number, default=0, metavar="N", help="seed of all random choices (0)")
    group.add_argument("--limit", type=whole_number, metavar="N", help="only the first N tasks, not counting repeats")


def add_network_flag(group: FlagGroup) -> None:
    """Declare the flag for what local desktops reach."""
    group.add_argument(
        "--network",
        choices=("none", "open"),
        default="none",
        help="what local desktops reach: only themselves, or also live web sites (none)",
    )


def add_mirror_flag(group: FlagGroup) -> None:
    """Declare the flag for where files of tasks are looked for first."""
    group.add_argument(
        "--mirror",
        metavar="DIR|URL",
        help="look for files of tasks here first: a folder such as OSWorld's cache, or a web address",
    )


def chosen_suite(args: argparse.Namespace) -> Suite:
    """The suite that the flags name.

    Raises:
        InputError: There is no such suite, or the flags name two.
    """
    from trueline.tasks.suite import load_suite

    own = args.test_all_meta_path is not None or args.test_config_base_dir is not None
    if args.suite is not None and own:
        raise InputError("--suite cannot be combined with --test_all_meta_path and --test_config_base_dir")
    return load_suite(args.suite, args.test_all_meta_path, args.test_config_base_dir, args.examples_dir)


def chosen_selection(args: argparse.Namespace) -> Selection:
    """The selection that the flags make."""
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
