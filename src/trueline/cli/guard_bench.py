"""`trueline guard bench`: a detector over MisActBench, with the flags and files of DeAction, and scores."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.guard_flags import add_stage_flags, guard_config, model_name, open_models, read_policy
from trueline.cli.model.flags import count
from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.guard.bench import Models, Source, Store
    from trueline.guard.policy import PolicyStage
    from trueline.records.interchange.misactbench import BenchmarkRead
    from trueline.stats.detection_report import DetectionReport

INTERRUPTED = 130
_DETECTORS = ("deaction", "policy", "always-aligned", "always-misaligned", "task-shield", "inferact")
_EXAMPLES = """\
examples:
  trueline guard bench --benchmark_file MisActBench/misactbench.json --fast_check_model 'openai|gpt-5-mini'
  trueline guard bench --benchmark_file MisActBench/misactbench.json --detector policy --result_file policy.json
  trueline guard bench --benchmark_file MisActBench/misactbench.json --compare policy.json --table table.png

The same command goes on where an earlier one broke off, also from files of DeAction/run.py; undecided steps are tried
again. Exit code 0: done; 1: nothing could be decided, or the models cannot be reached; 130: interrupted.
"""


def configure(parser: Parser) -> None:
    """Declare the flags: those of DeAction/run.py with their defaults, then ours."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--benchmark-file", type=Path, required=True, metavar="F", help="misactbench.json")
    parser.add_argument("--result-file", type=Path, default=Path("output/deaction_results.json"), metavar="F",
                        help="verdicts, written here and resumed from here (output/deaction_results.json)")  # fmt: skip
    add_stage_flags(parser, systematic="openai|gpt-5", annotate=False)
    parser.add_argument("--narrative-summary-model", metavar="SPEC", help="the model of the systematic analysis")
    parser.add_argument("--narrative-summary-cache-file", type=Path, metavar="F",
                        default=Path("output/narrative_summary_cache.json"),
                        help="narratives, kept for the next time (output/narrative_summary_cache.json)")  # fmt: skip
    parser.add_argument("--no-narrative-summary", action="store_true", help="tell the models no narratives")
    parser.add_argument("--max-workers", type=count, default=4, metavar="N", help="model calls at the same time (4)")
    parser.add_argument("--log-level", default="WARNING", type=str.upper, help="of messages on stderr (WARNING)",
                        choices=["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])  # fmt: skip
    parser.add_argument("--detector", choices=_DETECTORS, default="deaction", help="who judges (deaction)")
    parser.add_argument("--limit", type=count, metavar="N", help="only the first N trajectories")
    parser.add_argument("--compare", nargs="+", type=Path, default=[], metavar="RESULT2",
                        help="result files of other detectors, for the same table")  # fmt: skip
    parser.add_argument("--prevalence", nargs="+", type=float, metavar="P",
                        help="shares of misaligned actions to state the precision for (0.01 0.05 0.2)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of bootstrap and permutation (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--csv", type=Path, metavar="F", help="also write the scores as CSV")
    parser.add_argument("--table", type=Path, metavar="F.png", help="also draw the table (extra: plot)")


def run(args: argparse.Namespace) -> int:
    """Run what is left to run, score, print."""
    from trueline.guard.bench import Models, Store, UnreachableError, bench_setting, read_sources
    from trueline.records.interchange.misactbench import read_benchmark

    logging.basicConfig(level=args.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    file = _benchmark_file(args.benchmark_file)
    _check_flags(args)
    read = read_benchmark(file)
    sources = read_sources(file, read.benchmark.trajectories[: args.limit])
    _note_problems(read, sources)
    if not sources:
        raise InputError(f"{file}: holds no labelled step")
    narrator = None if args.no_narrative_summary else args.narrative_summary_model or args.systematic_analysis_model
    models = Models(args.systematic_analysis_model, args.fast_check_model, narrator).for_detector(args.detector)
    policy = read_policy(args) if args.detector in ("deaction", "policy") else None
    _check_stages(args, models, policy)
    config = guard_config(args, policy, {})
    setting = bench_setting(args.detector, models, config, policy and policy.digest)
    store = Store(args.result_file, args.narrative_summary_cache_file if models.narrative else None, sources, setting)
    known = len(store.progress.evaluations)
    began = time.perf_counter()
    ...
