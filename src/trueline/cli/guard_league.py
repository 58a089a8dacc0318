"""`trueline guard league`: several guards on the same labelled steps, in one table."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.benchmark_files import benchmark_file, note_problems, say, show_progress
from trueline.cli.flag_values import count
from trueline.cli.guard_flags import add_guard_options, given_options
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.guard.bench import LabelledTrajectory
    from trueline.guard.bench.run_guard import GuardPlan
    from trueline.guard.league_request import LeagueFile, LeagueGuard
    from trueline.guard.registry import GuardRequest
    from trueline.records.interchange.misactbench import Unreadable
    from trueline.records.setting import GuardSetting
    from trueline.stats.detection.league import League
    from trueline.stats.detection.online import OnlineFigures

INTERRUPTED = 130
_RESULTS = Path("output/league")
_WORKERS = 4
_EXAMPLES = """\
examples:
  trueline guard league sets/starter --guards policy injection-classifier
  trueline guard league MisActBench --guards policy 'strict=policy:rules=mine.yaml,unmatched=block' my_guard.py:Guard
  trueline guard league MisActBench --guards deaction task-shield-like inferact-like alignment-check-like \\
      --systematic_analysis_model 'openai|gpt-5' --guard_option max_tokens=4096
  trueline guard league --config league.yaml --runs none=results/plain policy=results/guarded

A guard is [LABEL=]NAME[:OPTION=VALUE[,OPTION=VALUE ...]]; a value is JSON, or else text. The flags that set options
apply to every guard that takes them, so that all see the same and ask the same model. The others are tested against
the first. Rerun the same command to resume.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "set", nargs="?", type=Path, metavar="SET", help="misactbench.json, or the folder that holds it"
    )
    parser.add_argument(
        "--config", type=Path, metavar="LEAGUE.yaml", help="read the league from a file; flags override it"
    )
    parser.add_argument("--guards", nargs="+", default=[], metavar="GUARD", help="the guards, the one to beat first")
    parser.add_argument("--baselines", action=argparse.BooleanOptionalAction, default=None,
                        help="always-aligned, always-misaligned, random and action-text-only join (yes)")  # fmt: skip
    parser.add_argument("--runs", nargs="+", default=[], metavar="NAME=FOLDER",
                        help="folders of guarded runs, for attack success, Pass^k and prompts to a person")  # fmt: skip
    add_guard_options(parser)
    parser.add_argument("--result-dir", type=Path, metavar="DIR",
                        help=f"folder of each guard's verdicts, to resume from ({_RESULTS})")  # fmt: skip
    parser.add_argument("--max-workers", type=count, metavar="N", help=f"model calls at the same time ({_WORKERS})")
    parser.add_argument("--limit", type=count, metavar="N", help="only the first N trajectories with labels")
    parser.add_argument("--prevalence", type=float, default=0.01, metavar="P",
                        help="share of misaligned actions to report the precision for (0.01)")  # fmt: skip
    parser.add_argument("--at-block-rate", type=float, default=0.01, metavar="P",
                        help="share of aligned steps blocked at which recalls are compared (0.01)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of bootstrap and tests (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


@dataclass(frozen=True)
class _Plan:
    """What is compared on which steps."""

    file: Path
    everything: Sequence[LabelledTrajectory]
    sources: Sequence[LabelledTrajectory]
    unreadable: Sequence[Unreadable]
    guards: Mapping[str, GuardRequest]
    """By label."""
    result_dir: Path
    workers: int
    runs: Mapping[str, Path]

    @property
    def simulated(self) -> bool:
        """Whether scripted agents played any trajectory of the set."""
        return any(source.entry.metadata.unknown.get("simulated") is True for source in self.sources)


def run(args: argparse.Namespace) -> int:
    """Ask what is left to ask, compare, print."""
    from trueline.guard.bench import ModelsUnreachableError

    plan = _plan(args)
    online = _read_runs(plan, args.seed)
    try:
        plans = asyncio.run(_work(plan))
    except KeyboardInterrupt:
        say(f"interrupted; rerun the same command to resume from {plan.result_dir}")
        return INTERRUPTED
    except ModelsUnreachableError as error:
        raise ModelsUnreachableError(f"{error}; rerun the same command to resume from {plan.result_dir}") from None
    league = _compare(args, plan, plans)
    _show(args, plan, league, online)
    return 0 if any(one.undecided < league.steps for one in league.standings) else 1


def _plan(args: argparse.Namespace) -> _Plan:
    from trueline.guard.bench import read_sources
    from trueline.guard.league_request import labelled, request_of, require_taken
    from trueline.records.interchange.misactbench import read_benchmark

    for name in ("prevalence", "at_block_rate"):
        if not 0 < getattr(args, name) < 1:
            raise InputError(f"--{name} {getattr(args, name):g}: must be between 0 and 1, such as 0.01")
    given = _given(args)
    set_path = args.set or given.set
    if set_path is None:
        raise InputError("name the set: misactbench.json, or the folder that holds it")
    file = benchmark_file(set_path, "SET")
    read = read_benchmark(file)
    everything = read_sources(file, read.benchmark.trajectories)
    if not everything:
        raise InputError(f"{file}: contains no labelled steps")
    sources = [source for source in everything if source.fetched][: args.limit]
    if not sources:
        raise InputError(f"{file}: no trajectory can be judged: {everything[0].problem}")
    common = given.options | given_options(vars(args)).options
    entries = labelled(_entries(args, given))
    require_taken(entries.values(), common)
    guards = {label: request_of(one, common, file) for label, one in entries.items()}
    return _Plan(
        file=file,
        everything=everything,
        sources=sources,
        unreadable=read.unreadable,
        guards=guards,
        result_dir=args.result_dir or given.result_dir or _RESULTS,
        workers=args.max_workers or given.max_workers or _WORKERS,
        runs=given.runs | _runs(args.runs),
    )


def _given(args: argparse.Namespace) -> LeagueFile:
    from trueline.guard.league_request import LeagueFile
    from trueline.guard.policy.strict_model import read_file

    return LeagueFile() if args.config is None else read_file(args.config, LeagueFile)


def _entries(args: argparse.Namespace, given: LeagueFile) -> Sequence[LeagueGuard]:
    from trueline.guard.league_request import parse_guard, with_baselines

    guards = tuple(parse_guard(word) for word in args.guards) or given.guards
    if not guards:
        raise InputError("--guards: name at least one guard")
    joined = given.baselines if args.baselines is None else args.baselines
    return with_baselines(guards) if joined else guards


def _runs(words: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for word in words:
        name, equals, folder = word.partition("=")
        if not (name and equals and folder):
            raise InputError(f"--runs {word}: write NAME=FOLDER")
        if name in found:
            raise InputError(f"--runs {word}: {name} is named twice; name the folder above run1, run2 …")
        found[name] = Path(folder)
    return found


def _read_runs(plan: _Plan, seed: int) -> list[OnlineFigures]:
    from trueline.stats.detection.online import read_online
    from trueline.stats.options import AnalysisChoices

    return [read_online(name, folder, AnalysisChoices(seed=seed)) for name, folder in plan.runs.items()]


async def _work(plan: _Plan) -> dict[str, GuardPlan]:
    """Run one guard after the other: their latencies must not disturb each other."""
    from trueline.guard.bench.run_guard import plan_guard, run_guard, verdict_setting

    not_fetched = [source for source in plan.everything if not source.fetched]
    note_problems(plan.file, plan.unreadable, [*not_fetched, *plan.sources])

    def cache_file(setting: GuardSetting) -> Path | None:
        return plan.result_dir / "narratives.json" if setting.narrative_summary_model else None

    # All are looked at before the first is asked: a wrong option costs nothing.
    settings = {label: await verdict_setting(request) for label, request in plan.guards.items()}
    found: dict[str, GuardPlan] = {}
    for label, request in plan.guards.items():
        result_file = plan.result_dir / _file_name(settings[label])
        planned = await plan_guard(request, plan.everything, plan.sources, result_file, cache_file)
        if planned.steps_left:
            say(f"{label}: {planned.steps_left} of {planned.steps} steps to judge")
        await run_guard(planned, workers=plan.workers, report=show_progress)
        found[label] = planned
    return found


def _file_name(setting: GuardSetting) -> str:
    """The same for the same setting, whatever the guard is called."""
    from trueline.records.interchange.paths import folder_name

    content = json.dumps(setting.model_dump(mode="json"), sort_keys=True)
    return f"{folder_name(setting.name)}-{hashlib.sha256(content.encode()).hexdigest()[:12]}.json"


def _compare(args: argparse.Namespace, plan: _Plan, plans: Mapping[str, GuardPlan]) -> League:
    from trueline.stats.detection.league import Competitor, compare_guards
    from trueline.stats.detection.report import Settings
    from trueline.stats.detection.rows import rows_of

    mine = {source.entry.trajectory_id for source in plan.sources}
    competitors: list[Competitor] = []
    for label, planned in plans.items():
        results = {key: result for key, result in planned.store.results().items() if key in mine}
        setting: dict[str, JsonValue] = planned.setting.model_dump(mode="json")
        competitors.append(Competitor(label, rows_of(results, label), setting))
    settings = Settings(on_error=args.guard_on_error, seed=args.seed)
    return compare_guards(competitors, settings, prevalence=args.prevalence, at_block_rate=args.at_block_rate)


def _show(args: argparse.Namespace, plan: _Plan, league: League, online: Sequence[OnlineFigures]) -> None:
    from trueline.stats.detection.league_json import league_json
    from trueline.stats.detection.league_text import league_text

    if args.json:
        print_json({"set": str(plan.file), **league_json(league, online, simulated=plan.simulated)})
    else:
        print(league_text(league, online, simulated=plan.simulated), end="")
