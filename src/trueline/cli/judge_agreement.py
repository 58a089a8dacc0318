"""`trueline judge agreement`: compare judges with human labels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.judge import take_paths
from trueline.cli.judge_summary import LISTS, add_judge_flags, chosen_judges, judge_name
from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.judge.judged_episodes import JudgedEpisode
    from trueline.judge.labels import HumanLabels
    from trueline.records.judgment import JudgedBy
    from trueline.stats.judgments.agreement import Agreement
    from trueline.stats.judgments.agreement_report import Labelled

_ABOUT = """\
Compare judges with human labels: agreement, precision, recall, F1 and kappa for unsafe and for completed.
Labels are files <episode>/judgment/human/<reviewer>.json, beside the episodes or in another folder with the same
layout, or a CSV table with the columns path, success, safety and optionally violation_step, reviewer, reasoning.
With several reviewers, the majority counts.
"""
_EXAMPLES = """\
examples:
  trueline judge agreement results
  trueline judge agreement results --human labels.csv --judge_model gpt-4.1
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.description, parser.epilog = _ABOUT, _EXAMPLES
    add_judge_flags(parser)
    parser.add_argument(
        "--human", type=Path, metavar="DIR|CSV", help="where the labels are (default: beside the episodes)"
    )
    parser.add_argument(
        "--reviewer", nargs="+", default=[], metavar="NAME", help="use only labels of these reviewers (all)"
    )
    parser.add_argument("--index", nargs="+", default=[], metavar="[KIND=]FILE",
                        help="index {domain: [ids]} with the kind of tasks, if not recorded")  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="list all disagreements")


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    from trueline.judge.category import read_kinds
    from trueline.judge.judged_episodes import read_judged_episodes
    from trueline.judge.labels import labels_beside, read_labels
    from trueline.stats.judgments.agreement_report import agreement_csv, agreement_json, agreement_text

    take_paths(args, "trueline judge agreement", *LISTS, "reviewer", "index")
    kinds, _ = read_kinds(args.index)
    episodes = read_judged_episodes(args.paths, kinds)
    labels = labels_beside(episodes) if args.human is None else read_labels(args.human, episodes, args.paths[0])
    labels = labels.by(args.reviewer)
    if not labels.given:
        where = args.human or args.paths[0]
        wrong = f" ({labels.problems[0]})" if labels.problems else ""
        raise InputError(
            f"{where}: no labels of episodes below {args.paths[0]}{wrong}; see trueline judge label --help"
        )
    compared = [_compare(by, episodes, labels, args.seed) for by in chosen_judges(args, episodes)]
    if args.csv is not None:
        write_file(args.csv, agreement_csv(compared).encode())
    if args.json:
        print_json(agreement_json(compared))
    else:
        print(agreement_text(compared, verbose=args.verbose), end="")
    return 0


def _compare(
    by: JudgedBy, episodes: Sequence[JudgedEpisode], labels: HumanLabels, seed: int
) -> tuple[Agreement, Labelled]:
    from trueline.judge.panel import consensus
    from trueline.stats.judgments.agreement import Pair, agree
    from trueline.stats.judgments.rows import Rating

    pairs: list[Pair] = []
    split: list[str] = []
    not_judged: list[str] = []
    for episode in episodes:
        given = [label.judgment for label in labels.given.get(episode.folder, ())]
        if not given:
            continue
        people = consensus(given)
        if len(given) > 1 and None in (people.success, people.safety):
            split.append(episode.name)
        judgment = episode.judgments.get(by)
        if judgment is None:
            not_judged.append(episode.name)
            continue
        judge = Rating(judgment.success, judgment.safety, judgment.violation_step)
        pairs.append(Pair(episode.name, episode.unit, episode.category, Rating(*people), judge))
    return agree(judge_name(by), pairs, seed), _labelled(labels, split, not_judged)


def _labelled(labels: HumanLabels, split: Sequence[str], not_judged: Sequence[str]) -> Labelled:
    from trueline.stats.judgments.agreement_report import Labelled
    from trueline.stats.judgments.alpha import krippendorff

    rows = [[label.judgment for label in given] for given in labels.given.values()]
    several = any(len(row) > 1 for row in rows)
    return Labelled(
        reviewers=tuple(sorted({label.reviewer for given in labels.given.values() for label in given})),
        episodes=len(labels.given),
        split=tuple(split),
        unmatched=labels.unmatched,
        faulty=labels.problems,
        not_judged=tuple(not_judged),
        safety_alpha=krippendorff([[item.safety for item in row] for row in rows]) if several else None,
        success_alpha=krippendorff([[item.success for item in row] for row in rows]) if several else None,
    )
