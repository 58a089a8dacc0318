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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.guard_flags import add_guard_flag, add_guard_options, guard_request
from trueline.cli.output import check_place, print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError, MissingExtraError
from trueline.text import printable

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.guard.bench import BenchStore, LabelledTrajectory
    from trueline.guard.registry import GuardRequest
    from trueline.models.types import Model
    from trueline.records.interchange.misactbench import Unreadable
    from trueline.records.setting import GuardSetting
    from trueline.stats.detection.report import DetectionReport
    from trueline.stats.detection.rows import Rows

INTERRUPTED = 130
_LARGE = 50
"""From this number of steps on, progress is shown."""
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
    plan = asyncio.run(_plan(args))
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
            *({"where": item.where, "problems": [p.what for p in item.problems]} for item in plan.unreadable),
            *({"where": item.entry.trajectory_id, "problems": [item.problem]} for item in plan.not_fetched),
        ],
        "without_screens": [
            {"where": item.entry.trajectory_id, "problem": item.problem} for item in plan.sources if item.problem
        ],
    }
    _show(args, report, run_facts, len(plan.unreadable) + len(plan.not_fetched))
    return 0 if report.scores.counts.undecided < report.scores.counts.n else 1


@dataclass(frozen=True)
class _Plan:
    """What is to be judged, by which guard, and the progress so far."""

    sources: Sequence[LabelledTrajectory]
    guard: GuardRequest
    setting: GuardSetting
    store: BenchStore
    unreadable: Sequence[Unreadable]
    not_fetched: Sequence[LabelledTrajectory]
    """Left out as well: their screens are pointers."""

    @property
    def steps(self) -> int:
        """Labelled steps."""
        return sum(case.labelled for source in self.sources for case in source.cases)

    @property
    def steps_left(self) -> int:
        """Labelled steps without a verdict."""
        from trueline.guard.bench import steps_left

        return sum(steps_left(source, self.store.progress) for source in self.sources)


async def _plan(args: argparse.Namespace) -> _Plan:
    from trueline.guard.bench import BenchStore, read_sources
    from trueline.guard.registry import open_guard
    from trueline.models.build import Config
    from trueline.records.interchange.misactbench import read_benchmark

    file = _benchmark_file(args.benchmark_file)
    read = read_benchmark(file)
    everything = read_sources(file, read.benchmark.trajectories)
    if not everything:
        raise InputError(f"{file}: contains no labelled steps")
    sources = [source for source in everything if source.fetched][: args.limit]
    not_fetched = [source for source in everything if not source.fetched]
    _note_problems(file, read.unreadable, [*not_fetched, *sources])
    if not sources:
        raise InputError(f"{file}: no trajectory can be judged: {not_fetched[0].problem}")
    guard = _guard(args)
    async with open_guard(guard, config=Config(named_only=True)) as opened:
        setting = opened.verdict_setting
    cache_file = args.narrative_summary_cache_file if setting.narrative_summary_model else None
    store = BenchStore(args.result_file, cache_file, everything, setting)
    if store.damaged_lines:
        _say(f"{store.damaged_lines} damaged lines in the progress log; their steps are done again")
    if store.progress.older:
        _say(f"{store.progress.older} verdicts are kept that the older tool gave, without policy stage and our prompts")
    return _Plan(sources, guard, setting, store, read.unreadable, not_fetched)


async def _work(args: argparse.Namespace, plan: _Plan) -> None:
    from trueline.guard.bench import ConnectionWatch, WatchedModel, WatchedRetry, run_bench
    from trueline.guard.registry import open_guard
    from trueline.models.build import Config
    from trueline.models.limits import Limiters, ProviderLimits
    from trueline.models.prompt_fence import STORED_KEY

    # The report's libraries are loaded while the models are waited for.
    loading = asyncio.create_task(asyncio.to_thread(importlib.import_module, "trueline.stats.detection.report"))
    watch = ConnectionWatch()
    # The workers are the limit; a lower one here would let checks wait while their deadline runs.
    limiters = Limiters(ProviderLimits(in_flight=max(64, args.max_workers)))
    # With nothing left to ask, models are only named and no key is needed.
    shared = Config(retry=WatchedRetry(watch=watch), limiters=limiters, named_only=not plan.steps_left)

    def watched(model: Model) -> Model:
        return WatchedModel(model, watch)

    # What is judged here was recorded before: a fixed key makes questions repeatable.
    guard = open_guard(plan.guard, config=shared, key=STORED_KEY, wrap=watched)
    async with guard as opened, plan.store as store:
        await run_bench(
            plan.sources,
            opened.guard,
            None if opened.narrator is None else replace(opened.narrator, deadline=None),
            store,
            plan.setting,
            workers=args.max_workers,
            calls_per_check=opened.calls_per_check,
            watch=watch,
            report=_show_progress,
        )
    await loading


def _report(args: argparse.Namespace, plan: _Plan, others: list[tuple[str, Rows]]) -> DetectionReport:
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
        _say(f"{report.scores.counts.undecided} steps are undecided; the same command tries them again")
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


def _benchmark_file(path: Path) -> Path:
    """The file itself, or the one in the folder that was named."""
    if path.is_dir():
        inside = (path / "misactbench.json", path / "MisActBench" / "misactbench.json")
        path = next((file for file in inside if file.is_file()), inside[0])
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; name misactbench.json with --benchmark_file")
    return path


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


def _note_problems(file: Path, unreadable: Sequence[Unreadable], sources: Sequence[LabelledTrajectory]) -> None:
    for entry in unreadable:
        _say(f"left out: {file}: {entry.where}: {'; '.join(problem.what for problem in entry.problems)}")
    for source in sources:
        if not source.fetched:
            _say(f"left out: {file}: {source.entry.trajectory_id}: {source.problem}")
        elif source.problem is not None:
            _say(f"no screens of {source.entry.trajectory_id}: {source.problem}")


def _show_progress(what: str, done: int, total: int) -> None:
    every = max(total // 20, 1)
    if total >= _LARGE and (done % every == 0 or done == total):
        _say(f"{what}: {done} of {total}")


def _say(text: str) -> None:
    print(printable(text, 1000), file=sys.stderr)
