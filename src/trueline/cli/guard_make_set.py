"""`trueline guard make-set`: runs of simulated subjects become a set of labelled steps."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.tasks.selection import add_selection_flags
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.studies.made_set.play import PlayedSet
    from trueline.studies.made_set.trials import SetCondition
    from trueline.studies.made_set.write import MadeSet

_RUNS = "runs"
_SHOWN = 5
_EXAMPLES = """\
examples:
  trueline guard make-set sets/starter --num_envs 2
  trueline guard make-set sets/small --only 'text_editor/*' --perturbations none --instruction clarified
  trueline guard make-set sets/mine --runs results/attacked audits/may

Rerun the same command to resume. A label says what the script was doing, and is given only where the episode came out
as the script meant it; attacked agents are simulated, so recall on such a set is recall against a scripted hijack.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("out", type=Path, metavar="DIR", help="folder of the set")
    parser.add_argument(
        "--runs", nargs="+", type=Path, default=[], metavar="FOLDER",
        help="recorded runs or audits to take instead of playing; with --play as well",
    )  # fmt: skip
    parser.add_argument("--play", action="store_true", help="play episodes also where --runs is given")
    add_selection_flags(parser)
    group = parser.add_argument_group("what is varied")
    group.add_argument("--repeats", type=count, default=1, metavar="N",
                       help="repeats of each episode in each condition, with other values (1)")  # fmt: skip
    group.add_argument("--instruction", nargs="+", choices=["original", "clarified"], default=["original", "clarified"],
                       metavar="W", help="wordings of the tasks: original, clarified (both)")  # fmt: skip
    group.add_argument("--perturbations", nargs="+", default=["none", "1"], metavar="SET",
                       help="looks of the desktop: none, the name of a set, or a .yaml file (none 1)")  # fmt: skip
    parser.add_argument("--num-envs", type=count, default=1, metavar="N", help="number of parallel desktops (1)")
    parser.add_argument("--offline", action="store_true", help="download nothing")
    parser.add_argument("--progress", choices=["auto", "rich", "plain", "json", "none"], default="auto")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Play, label, write; the exit code is 1 if playing stopped early."""
    from trueline.studies.made_set.write import write_set

    if args.out.exists() and not args.out.is_dir():
        raise InputError(f"{args.out}: is a file; name a folder for the set")
    plays = args.play or not args.runs
    conditions = _conditions(args)
    played = asyncio.run(_play(args, conditions)) if plays else None
    own = [args.out / _RUNS] if plays else []
    made = write_set([*args.runs, *own], args.out, link=not args.runs, tell=_tell)
    if args.json:
        print_json(_document(made, played))
    else:
        print("\n".join(_lines(made, played)))
    return 1 if played is not None and played.stopped else 0


def _conditions(args: argparse.Namespace) -> list[SetCondition]:
    from trueline.desktop.perturbations import load_set
    from trueline.studies.made_set.trials import SetCondition

    looks: list[str | None] = [None if look == "none" else look for look in dict.fromkeys(args.perturbations)]
    for look in looks:
        if look is not None:
            load_set(look)
    found = [SetCondition(words, look) for look in looks for words in dict.fromkeys(args.instruction)]
    twice = [name for name, times in Counter(condition.folder for condition in found).items() if times > 1]
    if twice:
        raise InputError(f"--perturbations: two files are both named {twice[0].partition('-')[2]}; rename one")
    return found


async def _play(args: argparse.Namespace, conditions: Sequence[SetCondition]) -> PlayedSet:
    from trueline.cli.run.progress import progress
    from trueline.extras import require_extra
    from trueline.runs.request import RunRequest
    from trueline.studies.made_set.play import play_set
    from trueline.tasks.model import Kind

    require_extra("desktop", "make-set")
    request = RunRequest(
        suite=args.suite,
        test_all_meta_path=args.test_all_meta_path,
        test_config_base_dir=args.test_config_base_dir,
        examples_dir=args.examples_dir,
        domain=args.domain,
        only=tuple(args.only),
        kind=tuple(Kind(kind) for kind in args.kind),
        sample=args.sample,
        seed=args.seed,
        limit=args.limit,
        agent="oracle",
        num_envs=args.num_envs,
        offline=args.offline,
    )
    with progress(args.progress, agent=True) as tell:
        return await play_set(request, conditions, args.repeats, args.out / _RUNS, tell)


def _tell(done: int, total: int) -> None:
    if total >= 50 and (done % max(total // 10, 1) == 0 or done == total):
        print(f"written: {done} of {total} episodes", file=sys.stderr)


def _document(made: MadeSet, played: PlayedSet | None) -> dict[str, object]:
    found: dict[str, object] = {
        "file": str(made.file),
        "episodes": made.episodes,
        "labelled": made.labelled,
        "steps": made.steps,
        "without_tree": made.without_tree,
        "simulated": made.simulated,
        "left_out": [asdict(one) for one in made.left_out],
    }
    return found | {"played": None if played is None else asdict(played)}


def _lines(made: MadeSet, played: PlayedSet | None) -> list[str]:
    from trueline.tables import count_lines

    lines = [
        f"{made.labelled} labelled steps of {made.episodes} episodes: {made.file}",
        *count_lines(made.steps.items()),
    ]
    if made.without_tree:
        lines.append(f"{made.without_tree} of them have no accessibility tree")
    if made.simulated:
        lines.append("agents were simulated: hijacks and mistakes are scripted")
    if made.left_out:
        reasons = Counter(one.why for one in made.left_out)
        lines.append(f"{len(made.left_out)} episodes are left out:")
        lines += count_lines(reasons.most_common(_SHOWN))
    if played is not None and played.stopped:
        lines.append(f"stopped early, {played.not_run} episodes are missing: {played.stopped}")
    return [printable(line, 500) for line in lines]
