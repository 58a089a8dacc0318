"""`trueline guard replay`: run the guard in shadow over stored runs."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.guard_flags import add_guard_flag, add_guard_options, guard_request
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.guard_replay_report import ReplayReport
    from trueline.guard.allow_rules import ProposedRules
    from trueline.guard.replay import LeftOut, Replay

_EXAMPLES = """\
examples:
  trueline guard replay results/run1
  trueline guard replay results/run1 results/run2 --fast_check_model 'openai|gpt-5-mini' --json
  trueline guard replay osworld/results --test_config_base_dir osworld/evaluation_examples

Every executed action is judged with the history that really came before it; nothing is stopped. Without a model only
the policy stage looks, which needs no key.
"""
_LARGE = 50
"""Progress is shown for at least this many episodes."""
_MOST_KEPT = 50
"""Stopped episodes, good and others, to keep in memory for proposing rules."""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="RESULT_DIR", help="result folders of Trueline, OSWorld or OS-Harm"
    )
    parser.add_argument(
        "--threshold", type=float, default=1.0, metavar="X", help="lowest score that counts as success (1.0)"
    )
    parser.add_argument("--max-workers", type=count, default=4, metavar="N", help="checks at the same time (4)")
    parser.add_argument("--limit", type=count, metavar="N", help="only the first N episodes")
    parser.add_argument("--test-config-base-dir", type=Path, metavar="DIR",
                        help="folder with examples/<domain>/<id>.json: what the user wanted and what was open, for "
                        "episodes that do not record it (OSWorld)")  # fmt: skip
    parser.add_argument("--no-trees", dest="trees", action="store_false",
                        help="judge as if no accessibility tree had been recorded")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of the bootstrap (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    add_guard_flag(parser)
    add_guard_options(parser)


def run(args: argparse.Namespace) -> int:
    """Judge, add up, print."""
    from trueline.records.scan import scan

    if not 0 < args.threshold <= 1:
        raise InputError(f"--threshold {args.threshold}: must be above 0 and at most 1")
    base: Path | None = args.test_config_base_dir
    if base is not None and not (base / "examples").is_dir():
        raise InputError(f"--test_config_base_dir {base}: has no folder examples")
    folders = dict.fromkeys(Path(trial.folder) for root in args.folders for trial in scan(root))
    if not folders:
        raise InputError(f"{args.folders[0]}: holds no episode; name a folder of results")
    replays, left_out = asyncio.run(_replay(args, list(folders)[: args.limit]))
    if not replays:
        for item in left_out:
            _say(f"left out: {item.detail}")
        raise InputError("no episode could be judged")
    from trueline.cli.guard_replay_report import as_json, as_text, sum_up

    report = sum_up(replays, left_out, threshold=args.threshold, seed=args.seed)
    proposed = _proposed_rules(args, report)
    if args.json:
        print_json(as_json(report, proposed))
    else:
        print(as_text(report, proposed), end="")
    return 0


def _proposed_rules(args: argparse.Namespace, report: ReplayReport) -> list[ProposedRules]:
    """Rules that would allow false stops; none without the policy stage, where they would have no effect."""
    from trueline.guard.allow_rules import propose_rules
    from trueline.guard.options import DeActionOptions, RuleOptions
    from trueline.guard.policy import load_rules
    from trueline.guard.registry import guard_options

    options = guard_options(guard_request(args))
    if not isinstance(options, RuleOptions) or (isinstance(options, DeActionOptions) and options.no_policy):
        return []
    asks = isinstance(options, DeActionOptions) and (options.fast_check_model or options.systematic_analysis_model)
    return propose_rules(
        report.good.flagged,
        report.rest.flagged,
        load_rules(options.rules),
        unmatched_runs=not asks and options.unmatched == "allow",
    )


async def _replay(args: argparse.Namespace, folders: Sequence[Path]) -> tuple[list[Replay], list[LeftOut]]:
    """Judge the episodes, a limited number at a time; they are read lazily."""
    from trueline.cli.guard_replay_report import is_good
    from trueline.guard.registry import open_guard
    from trueline.guard.replay import LeftOut, Replayer
    from trueline.models.prompt_fence import STORED_KEY
    from trueline.records.task_texts import no_task_files, task_files_below

    found: dict[Path, Replay] = {}
    left_out: dict[Path, LeftOut] = {}
    base: Path | None = args.test_config_base_dir
    task_files = no_task_files if base is None else task_files_below(base)
    kept: Counter[bool] = Counter()
    waiting = iter(folders)

    def keep(replay: Replay) -> Replay:
        """Keep the contexts of the first stopped episodes, good and others, to measure rules on."""
        good = is_good(replay, args.threshold)
        kept[good] += bool(replay.stops)
        return replay if kept[good] <= _MOST_KEPT else replay.without_contexts()

    async with open_guard(guard_request(args), key=STORED_KEY) as opened:
        limit = asyncio.Semaphore(args.max_workers)
        replayer = Replayer(opened.guard, opened.narrator, args.guard_on_error, limit, task_files, args.trees)

        async def worker() -> None:
            for folder in waiting:
                replay = await replayer.replay(folder)
                if isinstance(replay, LeftOut):
                    left_out[folder] = replay
                else:
                    found[folder] = keep(replay)
                _show_progress(len(found) + len(left_out), len(folders))

        async with asyncio.TaskGroup() as group:
            for _ in range(args.max_workers):
                group.create_task(worker())
    return [found[folder] for folder in folders if folder in found], [left_out[f] for f in folders if f in left_out]


def _show_progress(done: int, total: int) -> None:
    if total >= _LARGE and done % max(total // 20, 1) == 0:
        _say(f"episodes: {done} of {total}")


def _say(text: str) -> None:
    print(printable(text, 1000), file=sys.stderr)
