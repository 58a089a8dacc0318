"""`trueline judge summary`: rates of unsafe and completed by category and model, vector and goal."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.judge import take_paths
from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.judge.judged_episodes import JudgedEpisode
    from trueline.records.episode import TaskKind
    from trueline.records.judgment import JudgedBy
    from trueline.records.layout import Unit
    from trueline.stats.judgments.rows import JudgedRow

LISTS = ("judge_model", "judge_type", "sys_prompt_version")
"""Flags of `add_judge_flags` that take several values."""
_ABOUT = "OS-Harm's tables from judgments: rates of unsafe and completed by category and model, vector and goal."
_EXAMPLES = """\
examples:
  trueline judge summary results
  trueline judge summary results --judge_model gpt-4.1 --index test_misuse.json test_injection.json
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.description, parser.epilog = _ABOUT, _EXAMPLES
    add_judge_flags(parser)
    parser.add_argument("--index", nargs="+", default=[], metavar="[KIND=]FILE",
                        help="index {domain: [ids]} of the expected tasks and their kind")  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="list all missing judgments")


def add_judge_flags(parser: Parser) -> None:
    """Declare the flags that choose judgments and the report format."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="ROOT", help="folders of results")
    parser.add_argument("--judge-model", nargs="+", default=[], metavar="M", help="only these judges (all)")
    parser.add_argument("--judge-type", nargs="+", default=[], metavar="T", help="only these types (all)")
    parser.add_argument("--sys-prompt-version", nargs="+", default=[], metavar="V", help="only these versions (all)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the bootstrap (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--csv", type=Path, metavar="F", help="also write the numbers as CSV")


def run(args: argparse.Namespace) -> int:
    """Read, count, print."""
    from trueline.judge.category import read_kinds
    from trueline.judge.judged_episodes import read_judged_episodes
    from trueline.stats.judgments.summary import summarise
    from trueline.stats.judgments.summary_report import summary_csv, summary_json, summary_text

    take_paths(args, "trueline judge summary", *LISTS, "index")
    kinds, wanted = read_kinds(args.index)
    episodes = read_judged_episodes(args.paths, kinds)
    names = setting_names(episodes)
    summaries = [
        summarise(judge_name(by), [*_rows(episodes, by, names), *_absent(episodes, wanted, names)], args.seed)
        for by in chosen_judges(args, episodes)
    ]
    if args.csv is not None:
        write_file(args.csv, summary_csv(summaries).encode())
    if args.json:
        print_json(summary_json(summaries))
    else:
        print(summary_text(summaries, verbose=args.verbose), end="")
    return 0


def chosen_judges(args: argparse.Namespace, episodes: Sequence[JudgedEpisode]) -> list[JudgedBy]:
    """The judges that the flags select; with `--judge_model human`, one for each reviewer.

    Raises:
        InputError: There is none.
    """
    from trueline.judge.types import HUMAN
    from trueline.records.layout import model_folder_name

    models = [model_folder_name(model) for model in args.judge_model]
    everyone = sorted({by for episode in episodes for by in episode.judgments})
    chosen = [
        by
        for by in everyone
        if (by.judge_model in models if models else by.judge_model != HUMAN)
        and (not args.judge_type or by.judge_type in args.judge_type)
        and (not args.sys_prompt_version or by.version in args.sys_prompt_version)
    ]
    if not chosen:
        there = f"judged by {', '.join(map(judge_name, everyone))}" if everyone else "not judged"
        raise InputError(
            f"{args.paths[0]}: no judgments by the chosen judges; the episodes are {there}; see trueline judge --help"
        )
    return chosen


def judge_name(by: JudgedBy) -> str:
    """Name of a judge: its path below `judgment/`."""
    return "/".join(part for part in by if part)


def setting_names(episodes: Sequence[JudgedEpisode]) -> dict[tuple[str, str, str], str]:
    """The model's name, with the levels above it only where settings would be ambiguous."""
    conditions = sorted({episode.condition for episode in episodes})
    models = [condition.model for condition in conditions]
    return {
        condition: condition.model if models.count(condition.model) == 1 else "/".join(condition)
        for condition in conditions
    }


def _rows(
    episodes: Sequence[JudgedEpisode], by: JudgedBy, names: Mapping[tuple[str, str, str], str]
) -> list[JudgedRow]:
    from trueline.judge.judged_episodes import why_not_judged
    from trueline.stats.judgments.rows import JudgedRow, Rating

    rows: list[JudgedRow] = []
    for episode in episodes:
        judgment = episode.judgments.get(by)
        said = judgment and Rating(judgment.success, judgment.safety, judgment.violation_step)
        missing = "" if judgment else why_not_judged(episode, by)
        rows.append(JudgedRow(episode.name, names[episode.condition], episode.unit, episode.category, said, missing))
    return rows


def _absent(
    episodes: Sequence[JudgedEpisode],
    wanted: Mapping[TaskKind, Sequence[Unit]],
    names: Mapping[tuple[str, str, str], str],
) -> list[JudgedRow]:
    """Tasks of the index without a folder."""
    from trueline.stats.judgments.rows import JudgedRow

    there = {(names[episode.condition], episode.unit.domain, episode.unit.task) for episode in episodes}
    return [
        JudgedRow(str(unit), name, unit, kind, None, "no folder")
        for name in sorted(set(names.values()))
        for kind, units in wanted.items()
        for unit in units
        if (name, unit.domain, unit.task) not in there
    ]
