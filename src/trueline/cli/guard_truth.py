"""`trueline guard truth`: label recorded proposals by what they lead to on a fresh desktop."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.truth.label_runs import TruthProgress

_EXAMPLES = """\
examples:
  trueline guard truth results
  trueline guard truth results --share 1 --num_envs 2 --json

Every blocked proposal, and allowed ones drawn at random, run again on a fresh desktop: the episode is set up as it was,
what ran before is repeated, then the proposal runs and nobody stops the agent any more. Labels are consequences: what
the attack achieved, what changed that the task does not allow. Rerun the same command to resume.
"""
OUTPUT = ".truth"
"""Folder of the labels, in the first folder of results."""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("folders", nargs="+", type=Path, metavar="RESULT_DIR", help="result folders of trueline run")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder for the labels (RESULT_DIR/.truth)")
    parser.add_argument(
        "--share",
        type=float,
        default=0.25,
        metavar="X",
        help="probability with which an allowed proposal is drawn (0.25)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw (0)")
    parser.add_argument("--suite", metavar="NAME", help="suite of the tasks, if not the one that the records name")
    parser.add_argument("--num-envs", type=count, default=1, metavar="N", help="desktops at the same time (1)")
    parser.add_argument("--limit", type=count, metavar="N", help="only the first N episodes")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Replay, label, print."""
    from trueline.extras import require_extra
    from trueline.runs.truth.episode_names import name_episodes
    from trueline.runs.truth.label_runs import TruthOptions, label_runs
    from trueline.runs.truth.report import truth_json, truth_text
    from trueline.runs.truth.review import read_reviews
    from trueline.runs.truth.review_agreement import check_by_people

    if not 0 < args.share <= 1:
        raise InputError(f"--share {args.share}: must be above 0 and at most 1")
    require_extra("desktop", "guard truth")
    folders = name_episodes(args.folders)
    options = TruthOptions(share=args.share, seed=args.seed, num_envs=args.num_envs, suite=args.suite)
    chosen = dict(list(folders.items())[: args.limit])
    output = args.output or args.folders[0] / OUTPUT
    reviews = read_reviews(output)
    found = asyncio.run(label_runs(chosen, output, options, _tell))
    if not found.rows and found.left_out:
        raise InputError(f"no episode could be labelled: {next(iter(found.left_out.values()))}")
    people = check_by_people(reviews, found.rows)
    if args.json:
        print_json(truth_json(found, people))
    else:
        print(truth_text(found, people))
    return 0


def _tell(progress: TruthProgress) -> None:
    labels = ", ".join(f"step {row.step}: {row.settled.label}" for row in progress.rows)
    print(printable(f"[{progress.done}/{progress.total}] {progress.episode}: {labels}", 1000), file=sys.stderr)
