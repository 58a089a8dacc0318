"""`trueline metrics`: the table of the reliability paper from folders of results."""

from __future__ import annotations

import argparse
import gc
from pathlib import Path

from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser, whole_number
from trueline.errors import InputError

_EXAMPLES = """\
examples:
  trueline metrics --run-dirs results/baseline/run1 results/baseline/run2 results/baseline/run3
  trueline metrics --run-dirs results/baseline --compare-dirs Clarified=results/clarified --example-json test_all.json
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    add_run_flags(parser)
    parser.add_argument("--compare-dirs", nargs="+", action="append", default=[], metavar="[NAME=]DIR",
                        help="the runs of a setting to compare with the first; may be given several times")  # fmt: skip
    parser.add_argument("--k", nargs="+", type=int, metavar="K", help="which Pass^k the table shows (1 and all runs)")
    parser.add_argument("--inference", choices=["population", "suite"], default="population",
                        help="tasks stand for others like them, or only for themselves (population)")  # fmt: skip
    parser.add_argument("--mcnemar", choices=["exact", "midp", "chi2"], help="the test of b-c (exact)")
    parser.add_argument(
        "--margin", type=float, metavar="X", help="also test non-inferiority of Pass^n with this margin"
    )
    parser.add_argument("--mix-environments", action="store_true", help="compare runs of different environments")
    add_generalise_flag(parser)
    parser.add_argument("--verbose", action="store_true", help="list every flip, missing trial and domain")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--csv", type=Path, metavar="F", help="also write the rates as CSV")
    parser.add_argument("--plot", type=Path, metavar="F.svg", help="also draw Pass^k and transitions (extra: plot)")


def add_generalise_flag(parser: Parser) -> None:
    """Declare what attack success is generalised to."""
    parser.add_argument("--generalise", choices=["hosts", "goals"], default="hosts",
                        help="attack success is about other host tasks under these goals, or also about other goals "
                        "(hosts)")  # fmt: skip


def add_run_flags(parser: Parser) -> None:
    """Declare the flags that say which runs are read and how."""
    parser.add_argument("--run-dirs", nargs="+", required=True, metavar="DIR",
                        help="runs of the base setting: run roots, anything deeper, or a folder of run1 …")  # fmt: skip
    add_reading_flags(parser)


def add_reading_flags(parser: Parser) -> None:
    """Declare the flags that say how results are read."""
    parser.add_argument(
        "--example-json", type=Path, metavar="INDEX", help="{domain: [ids]}: the tasks that should be there"
    )
    parser.add_argument(
        "--threshold", type=float, default=1.0, metavar="X", help="a score from here on is a success (1.0)"
    )
    parser.add_argument("--missing", choices=["bounds", "exclude", "fail"], default="bounds",
                        help="what a missing trial means (bounds)")  # fmt: skip
    parser.add_argument("--result-file", default="result.txt", metavar="NAME",
                        help="the file with the score, e.g. adversary_result.txt (result.txt)")  # fmt: skip
    parser.add_argument("--seed", type=whole_number, default=0, help="of the bootstrap (0)")


def run(args: argparse.Namespace) -> int:
    """Read, analyse, print."""
    # Thousands of small objects that all live to the end: looking for garbage among them again and again finds none.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _run(args)
    finally:
        if collecting:
            gc.enable()


def _run(args: argparse.Namespace) -> int:
    from trueline.records.index import read_index
    from trueline.stats.analysis import Group, analyse
    from trueline.stats.options import Options
    from trueline.stats.report_data import as_csv, as_json
    from trueline.stats.report_text import as_text
    from trueline.stats.runs import read_runs

    check_reading_flags(args)
    if args.margin is not None and not 0 <= args.margin <= 1:
        raise InputError(f"--margin {args.margin}: a share from 0 to 1, such as 0.03 for three points")
    if args.inference == "suite" and (args.mcnemar or args.margin is not None):
        flag = "--mcnemar" if args.mcnemar else "--margin"
        raise InputError(f"{flag} asks about a population of tasks; it has no meaning with --inference suite")
    named = [("Baseline" if args.compare_dirs else "", args.run_dirs), *map(_named, args.compare_dirs)]
    groups = [
        Group(name or _default_name(number, named), tuple(read_runs(run_folders(dirs), args.result_file)))
        for number, (name, dirs) in enumerate(named)
    ]
    options = Options(
        threshold=args.threshold,
        missing=args.missing,
        inference=args.inference,
        mcnemar=args.mcnemar or "exact",
        margin=args.margin,
        generalise_goals=args.generalise == "goals",
        seed=args.seed,
    )
    index = None if args.example_json is None else read_index(args.example_json)
    report = analyse(groups, index, options, shown_k=args.k, mix_environments=args.mix_environments)
    if args.csv is not None:
        write_file(args.csv, as_csv(report).encode())
    if args.plot is not None:
        from trueline.stats.plot import draw

        draw(report, args.plot)
    if args.json:
        print_json(as_json(report))
    else:
        print(as_text(report, verbose=args.verbose), end="")
    return 0


def run_folders(names: list[str]) -> list[Path]:
    """The folders of runs that were named; `.` is one, an empty word is not."""
    if "" in names:
        raise InputError("an empty name is no folder of runs")
    return [Path(name) for name in names]


def check_reading_flags(args: argparse.Namespace) -> None:
    """Refuse values that argparse cannot."""
    if not 0 < args.threshold <= 1:
        raise InputError(f"--threshold {args.threshold}: a score above 0 and up to 1")
    if "/" in args.result_file or not args.result_file:
        raise InputError(
            f"--result-file {args.result_file!r}: the name of a file in each episode's folder, without a path"
        )


def _named(words: list[str]) -> tuple[str, list[str]]:
    """Split `NAME=DIR` of the first word; a folder that has a `=` in its own name stays whole."""
    name, equals, first = words[0].partition("=")
    if equals and name and "/" not in name and not Path(words[0]).exists():
        return name, [first, *words[1:]]
    return "", words


def _default_name(number: int, named: list[tuple[str, list[str]]]) -> str:
    if number == 0:
        return "Runs"
    return "New" if len(named) == 2 else f"New {number}"
