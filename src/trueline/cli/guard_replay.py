"""`trueline guard replay`: the guard in shadow over stored runs."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.guard_live import add_live_flags, open_guard
from trueline.cli.model.flags import count
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.guard.replay import Replay

_EXAMPLES = """\
examples:
  trueline guard replay results/run1
  trueline guard replay results/run1 results/run2 --fast_check_model 'openai|gpt-5-mini' --systematic_analysis_model gpt-5

Every executed action is judged with the history that really came before it; nothing is stopped. Without a model only
the policy stage looks, which needs no key.
"""
_LARGE = 50


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("folders", nargs="+", type=Path, metavar="RESULT_DIR", help="result folders, ours or others'")
    parser.add_argument(
        "--threshold", type=float, default=1.0, metavar="X", help="a score from here on is a success (1.0)"
    )
    parser.add_argument("--max-workers", type=count, default=4, metavar="N", help="checks at the same time (4)")
    parser.add_argument("--limit", type=count, metavar="N", help="only the first N episodes")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    add_live_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Judge, add up, print."""
    from trueline.records.scan import scan

    if not 0 < args.threshold <= 1:
        raise InputError(f"--threshold {args.threshold}: a score above 0 and up to 1")
    folders = dict.fromkeys(Path(trial.folder) for root in args.folders for trial in scan(root))
    if not folders:
        raise InputError(f"{args.folders[0]}: holds no episode; name a folder of results")
    replays, left_out = asyncio.run(_replay(args, list(folders)[: args.limit]))
    ...
