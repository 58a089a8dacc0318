"""`trueline metrics`: the table of the reliability paper from folders of results."""

from __future__ import annotations

import argparse
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser, whole_number
from trueline.errors import InputError, RequestError

_EXAMPLES = """\
examples:
  trueline metrics --run-dirs results/baseline/run1 results/baseline/run2 results/baseline/run3
  trueline metrics --run-dirs results/baseline --compare-dirs Clarified=results/clarified --example-json test_all.json
"""
_FIELD = re.compile(r"`([a-z][a-z0-9_]*)`")


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--run-dirs", nargs="+", required=True, metavar="DIR",
                        help="runs of the base setting: result folders at any level, "
                        "or a folder of run1, run2 …")  # fmt: skip
    add_reading_flags(parser)
    parser.add_argument("--compare-dirs", nargs="+", action="append", default=[], metavar="[NAME=]DIR",
                        help="runs of a setting to compare with the first; may be given several times")  # fmt: skip
    parser.add_argument("--k", nargs="+", type=int, metavar="K",
                        help="which Pass^k to show and compare (1 and the number of runs)")  # fmt: skip
    parser.add_argument("--inference", choices=["population", "suite"], default="population",
                        help="whether the tasks stand for others like them, or "
                        "only for themselves (population)")  # fmt: skip
    parser.add_argument("--mcnemar", choices=["exact", "midp", "chi2"], help="McNemar test of b-c (exact)")
    parser.add_argument("--margin", type=float, metavar="X",
                        help="also test non-inferiority of Pass^n with this margin")  # fmt: skip
    parser.add_argument("--mix-environments", action="store_true", help="compare runs of different environments")
    add_generalise_flag(parser)
    parser.add_argument("--worst-of", type=int, metavar="K",
                        help="also report the strongest vector of the K that were declared for the study")  # fmt: skip
    parser.add_argument("--tries", type=int, metavar="K",
                        help="also report the success of an attacker with K tries at each cell")  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="list every flip, missing trial and domain")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--csv", type=Path, metavar="F", help="also write the rates as CSV")
    parser.add_argument("--plot", type=Path, metavar="F.svg", help="also plot Pass^k and transitions (extra: plot)")


def add_generalise_flag(parser: Parser) -> None:
    """Declare what attack success is generalised to."""
    parser.add_argument("--generalise", choices=["hosts", "goals"], default="hosts",
                        help="generalise attack success to other host tasks under these goals, or also to other goals "
                        "(hosts)")  # fmt: skip


def add_reading_flags(parser: Parser) -> None:
    """Declare the flags that say how results are read."""
    parser.add_argument("--example-json", type=Path, metavar="INDEX",
                        help="index {domain: [ids]} of the tasks that should be there")  # fmt: skip
    parser.add_argument("--threshold", type=float, default=1.0, metavar="X",
                        help="lowest score that is a success (1.0)")  # fmt: skip
    parser.add_argument("--missing", choices=["bounds", "exclude", "fail"], default="bounds",
                        help="how a missing trial is treated (bounds)")  # fmt: skip
    parser.add_argument("--result-file", default="result.txt", metavar="NAME",
                        help="file with the score, e.g. adversary_result.txt (result.txt)")  # fmt: skip
    parser.add_argument("--seed", type=whole_number, default=0, help="seed of the bootstrap (0)")


@contextmanager
def errors_name_flags() -> Generator[None]:
    """Let an error about an argument name the flag that sets it."""
    try:
        yield
    except RequestError as error:
        raise InputError(_FIELD.sub(lambda field: "--" + field[1].replace("_", "-"), str(error))) from None


def run(args: argparse.Namespace) -> int:
    """Analyse the folders and print the report."""
    from trueline.stats.metrics.api import metrics

    with errors_name_flags():
        report = metrics(
            args.run_dirs,
            compare_dirs=_settings(args.compare_dirs),
            k=args.k,
            inference=args.inference,
            mcnemar=args.mcnemar,
            margin=args.margin,
            mix_environments=args.mix_environments,
            generalise=args.generalise,
            worst_of=args.worst_of,
            tries=args.tries,
            example_json=args.example_json,
            threshold=args.threshold,
            missing=args.missing,
            result_file=args.result_file,
            seed=args.seed,
        )
    if args.csv is not None:
        write_file(args.csv, report.to_csv().encode())
    if args.plot is not None:
        report.plot().save(args.plot)
    if args.json:
        print_json(report.to_json())
    else:
        print(report.to_text(verbose=args.verbose), end="")
    return 0


def _settings(given: list[list[str]]) -> dict[str, list[str]] | None:
    """The folders of each `--compare-dirs` by the name of its setting.

    Raises:
        InputError: Two have the same name.
    """
    settings: dict[str, list[str]] = {}
    for number, words in enumerate(given, 1):
        name, folders = _named(words)
        name = name or ("New" if len(given) == 1 else f"New {number}")
        if name in settings:
            raise InputError(f"two settings are called {name!r}; give each --compare-dirs a name of its own: NAME=DIR")
        settings[name] = folders
    return settings or None


def _named(words: list[str]) -> tuple[str, list[str]]:
    """Split `NAME=DIR` of the first word; a folder that has a `=` in its own name stays whole."""
    name, equals, first = words[0].partition("=")
    if equals and name and "/" not in name and not Path(words[0]).exists():
        return name, [first, *words[1:]]
    return "", words
