"""`trueline guard bench`: a guard over MisActBench, with the flags and files of DeAction, and scores."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.benchmark_files import benchmark_file, note_problems, say, show_progress
from trueline.cli.flag_values import count
from trueline.cli.guard_flags import add_guard_flag, add_guard_options, guard_request
from trueline.cli.output import check_place, print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.guard.bench import LabelledTrajectory
    from trueline.guard.bench.run_guard import GuardPlan
    from trueline.guard.registry import GuardRequest
    from trueline.records.interchange.misactbench import Unreadable
    from trueline.records.setting import GuardSetting
    from trueline.stats.detection.report import DetectionReport
    from trueline.stats.detection.rows import Rows

INTERRUPTED = 130
_SYSTEMATIC = "openai|gpt-5"
_EXAMPLES = """\
examples:
  trueline guard bench --benchmark_file MisActBench/misactbench.json --fast_check_model 'openai|gpt-5-mini'
  trueline guard bench --benchmark_file MisActBench/misactbench.json --guard policy --result_file policy.json
  trueline guard bench --benchmark_file MisActBench/misactbench.json --compare policy.json --table table.png

Rerun the same command to resume, also from files of DeAction/run.py; undecided steps are tried again.
Exit code 0: done; 1: nothing could be decided, or the models cannot be reached; 130: interrupted.
"""


def configure(parser: Parser) -> None:
    """Declare the flags: those of DeAction/run.py with their defaults, then ours."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--benchmark-file", type=Path, required=True, metavar="F", help="misactbench.json")
    parser.add_argument("--result-file", type=Path, default=Path("output/deaction_results.json"), metavar="F",
                        help="file to write verdicts to and resume from (output/deaction_results.json)")  # fmt: skip
    add_guard_flag(parser)
    add_guard_options(parser, systematic=_SYSTEMATIC, annotate=False)
    parser.add_argument("--narrative-summary-cache-file", type=Path, metavar="F",
                        default=Path("output/narrative_summary_cache.json"),
                        help="cache of the narratives (output/narrative_summary_cache.json)")  # fmt: skip
    parser.add_argument("--no-narrative-summary", action="store_true", help="give the models no narratives")
    parser.add_argument("--max-workers", type=count, default=4, metavar="N", help="model calls at the same time (4)")
    parser.add_argument("--log-level", default="WARNING", type=str.upper, help="lowest level of logs (WARNING)",
                        choices=["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])  # fmt: skip
    parser.add_argument("--limit", type=count, metavar="N", help="only the first N trajectories with labels")
    parser.add_argument("--compare", nargs="+", type=Path, default=[], metavar="RESULT2",
                        help="result files of other guards, for the same table")  # fmt: skip
    parser.add_argument("--prevalence", nargs="+", type=float, metavar="P",
                        help="shares of misaligned actions to report the precision for (0.01 0.05 0.2)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of the bootstrap and the permutation test (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--csv", type=Path, metavar="F", help="also write the scores as CSV")
    parser.add_argument("--table", type=Path, metavar="F.png", help="also draw the table (extra: plot)")


def run(args: argparse.Namespace) -> int:
    """Run what is left to run, score, print."""
    began = time.perf_counter()
    from trueline.guard.bench import ModelsUnreachableError

    logging.basicConfig(level=args.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    _check_flags(args)
    others = _read_others(args.compare)
    planned = asyncio.run(_plan(args))
    plan = planned.guard
    before = plan.steps_left
    try:
        asyncio.run(_work(args, plan))
    except KeyboardInterrupt:
        print(f"interrupted; rerun the same command to resume from {args.result_file}", file=sys.stderr)
        return INTERRUPTED
    except ModelsUnreachableError as error:
        raise ModelsUnreachableError(f"{error}; rerun the same command to resume from {args.result_file}") from None
    wall = time.perf_counter() - began
    report = _report(args, plan, others)
    run_facts: dict[str, object] = {
        "wall_s": wall,
        "resumed": plan.steps - before,
        "left_out": [
            *({"where": item.where, "problems": [p.what for p in item.problems]} for item in planned.unreadable),
            *({"where": item.entry.trajectory_id, "problems": [item.problem]} for item in planned.not_fetched),
        ],
        "without_screens": [
            {"where": item.entry.trajectory_id, "problem": item.problem} for item in plan.sources if item.problem
        ],
    }
    _show(args, report, run_facts, len(planned.unreadable) + len(planned.not_fetched))
    return 0 if report.scores.counts.undecided < report.scores.counts.n else 1


@dataclass(frozen=True)
class _Plan:
    """The guard's plan, and the trajectories that cannot be read."""

    guard: GuardPlan
    unreadable: Sequence[Unreadable]
    not_fetched: Sequence[LabelledTrajectory]
    """Left out as well: their screens are pointers."""


async def _plan(args: argparse.Namespace) -> _Plan:
    from trueline.guard.bench import read_sources
    from trueline.guard.bench.run_guard import plan_guard
    from trueline.records.interchange.misactbench import read_benchmark

    file = benchmark_file(args.benchmark_file)
    read = read_benchmark(file)
    everything = read_sources(file, read.benchmark.trajectories)
    if not everything:
        raise InputError(f"{file}: contains no labelled steps")
    sources = [source for source in everything if source.fetched][: args.limit]
    not_fetched = [source for source in everything if not source.fetched]
    note_problems(file, read.unreadable, [*not_fetched, *sources])
    if not sources:
        raise InputError(f"{file}: no trajectory can be judged: {not_fetched[0].problem}")

    def cache_file(setting: GuardSetting) -> Path | None:
        return args.narrative_summary_cache_file if setting.narrative_summary_model else None

    plan = await plan_guard(_guard(args), everything, sources, args.result_file, cache_file)
    if plan.store.damaged_lines:
        say(f"{plan.store.damaged_lines} damaged lines in the progress log; their steps are judged again")
    if older := plan.store.progress.older:
        say(f"{older} verdicts of DeAction's own tool are kept; it had no policy stage and other prompts")
    return _Plan(plan, read.unreadable, not_fetched)


async def _work(args: argparse.Namespace, plan: GuardPlan) -> None:
    from trueline.guard.bench.run_guard import run_guard

    # The report's libraries are loaded while the models are waited for.
    loading = asyncio.create_task(asyncio.to_thread(importlib.import_module, "trueline.stats.detection.report"))
    await run_guard(plan, workers=args.max_workers, report=show_progress)
    await loading


def _report(args: argparse.Namespace, plan: GuardPlan, others: list[tuple[str, Rows]]) -> DetectionReport:
    from trueline.guard.registry import GUARDS
    from trueline.stats.detection.report import PREVALENCES, Settings, report_on
    from trueline.stats.detection.rows import rows_of

    prevalences = PREVALENCES if args.prevalence is None else tuple(args.prevalence)
    settings = Settings(on_error=args.guard_on_error, prevalences=prevalences, seed=args.seed)
    mine = {source.entry.trajectory_id for source in plan.sources}
    results = {key: result for key, result in plan.store.results().items() if key in mine}
    return report_on(GUARDS.present_name(args.guard), rows_of(results, str(args.result_file)), others, settings)


def _show(args: argparse.Namespace, report: DetectionReport, run_facts: dict[str, object], left_out: int) -> None:
    from trueline.stats.detection.report_data import as_csv, as_json
    from trueline.stats.detection.report_text import as_text

    if args.json:
        print_json(as_json(report) | run_facts)
    else:
        print(as_text(report), end="")
        print(f"wall clock of this run: {run_facts['wall_s']:.1f} s; {run_facts['resumed']} steps were known before")
        if left_out:
            print(f"left out, in no figure: {left_out} trajectories (the first lines on stderr and --json say why)")
    if report.scores.counts.undecided:
        say(f"{report.scores.counts.undecided} steps are undecided; rerun the same command to judge them again")
    if args.csv is not None:
        write_file(args.csv, as_csv(report).encode())
    if args.table is not None:
        from trueline.stats.detection.picture import draw_table

        draw_table(report, args.table)


def _read_others(files: Sequence[Path]) -> list[tuple[str, Rows]]:
    """Read the files to compare with, before any cost is incurred."""
    if not files:
        return []
    from trueline.records.interchange.misactbench import read_results
    from trueline.stats.detection.rows import rows_of

    found: list[tuple[str, Rows]] = []
    for file in files:
        read = read_results(file)
        if read.problems:
            raise InputError(str(read.problems[0]))
        found.append((str(file), rows_of(read.trajectories, str(file))))
    return found


def _guard(args: argparse.Namespace) -> GuardRequest:
    """The guard with the defaults of DeAction/run.py; `none` leaves a model out."""
    systematic = getattr(args, "systematic_analysis_model", _SYSTEMATIC)
    defaults: dict[str, JsonValue] = {
        "systematic_analysis_model": _SYSTEMATIC,
        "narrative_summary_model": systematic,
        "annotate_actions": False,
    }
    request = guard_request(args, defaults, comparing=True)
    if args.no_narrative_summary:
        kept = {name: value for name, value in request.options.items() if name != "narrative_summary_model"}
        return request.model_copy(update={"options": kept})
    return request


def _check_flags(args: argparse.Namespace) -> None:
    """Check the output flags, before any cost is incurred."""
    for share in args.prevalence or ():
        if not 0 < share < 1:
            raise InputError(f"--prevalence {share}: must be between 0 and 1, such as 0.05")
    if args.table is not None and args.table.suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"{args.table}: --table must name a .png, .svg or .pdf file")
    for file in (args.csv, args.table):
        if file is not None:
            check_place(file)
    if args.table is not None and importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("--table", "plot")
