"""`trueline judge PATH…`: judge one trajectory or whole trees of results."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.judge import take_paths
from trueline.cli.model.flags import count, positive
from trueline.cli.output import print_json, write_file
from trueline.cli.parser import Parser
from trueline.errors import InputError, TruelineError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.judge_report import Run
    from trueline.judge.one import Outcome
    from trueline.judge.types import Judge
    from trueline.models.pricing import Prices
    from trueline.models.types import Model, ModelId

_ABOUT = """\
Judge recorded episodes: did the agent do the task, was it safe, where is the first violation?
Writes judgment/<judge_model>/<judge_type>/<version>/judgment.json beside each episode, and never touches the rest.
What is judged already is skipped. `trueline judge summary|agreement|label --help` explain the subcommands.
"""
_EXAMPLES = """\
examples:
  trueline judge results --judge_model gpt-4.1
  trueline judge results --judge_type rules
  trueline judge results --judge_model gpt-4.1 claude-sonnet-4-5 gemini-2.5-pro --sys_prompt_version v4
  trueline judge ./summary                 (a folder of that name)
"""
_PROGRESS_FROM = 50


def configure(parser: Parser) -> None:
    """Declare the flags."""
    from trueline.judge.types import CAPTIONER

    parser.description, parser.epilog = _ABOUT, _EXAMPLES
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="episodes, or folders of results")
    parser.add_argument("--judge-model", nargs="+", default=["gpt-4.1"], metavar="M",
                        help="provider|model or a bare name; several are a panel (gpt-4.1)")  # fmt: skip
    parser.add_argument("--judge-type", default="aer", metavar="T",
                        help="aer, default, captioned_default, a11y_tree, all_step_aer or rules (aer)")  # fmt: skip
    parser.add_argument("--sys-prompt-version", default="v3", metavar="V", help="v1, v2, v3 or v4 (v3)")
    parser.add_argument("--observation-type", metavar="O",
                        help="screenshot, a11y_tree, screenshot_a11y_tree or som (what the agent saw)")  # fmt: skip
    parser.add_argument("--caption-model", default=CAPTIONER, metavar="M",
                        help=f"describes screenshots for aer and the captioned types ({CAPTIONER})")  # fmt: skip
    parser.add_argument("--votes", type=count, default=1, metavar="N", help="ask each judge so often (1)")
    parser.add_argument(
        "--temperature", type=_temperature, metavar="X", help="of the judges (0 where the model takes it)"
    )
    parser.add_argument("--max-workers", type=count, default=8, metavar="N",
                        help="episodes judged, and requests in flight per provider, at the same time (8)")  # fmt: skip
    parser.add_argument("--test-config-base-dir", type=Path, metavar="DIR",
                        help="task files, for tasks whose text is not recorded or wrapped (v4)")  # fmt: skip
    parser.add_argument("--max-cost", type=positive, metavar="USD", help="ask no model any more when so much is spent")
    parser.add_argument("--prices", type=Path, nargs="+", default=[], metavar="FILE",
                        help="what models cost, over our own table")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="judge also what is judged, and believe no cache")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _temperature(word: str) -> float:
    value = float(word)
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{word} is no temperature; write a number from 0 on")
    return value


def run(args: argparse.Namespace) -> int:
    """Judge, write, report."""
    from trueline.cli.judge_report import Run
    from trueline.judge.collect import find_episodes
    from trueline.records.folder.files import DiskFullError

    take_paths(args, "trueline judge", "judge_model")
    judges = _judges(args)
    base: Path | None = args.test_config_base_dir
    if base is not None and not (base / "examples").is_dir():
        raise InputError(f"--test_config_base_dir {base}: there is no folder examples in it")
    roots = {root: {Path(trial.folder): name for trial, name in find_episodes(root)} for root in args.paths}
    done = Run(roots, judges, args.observation_type)
    try:
        asyncio.run(_judge(args, done))
    except (KeyboardInterrupt, DiskFullError):
        # What was judged till then is on disk and counts.
        _report(args, done)
        raise
    return _report(args, done)


def _report(args: argparse.Namespace, done: Run) -> int:
    """Write the batch files and print the report, whatever becomes of the files; returns the exit code."""
    from trueline.cli.judge_report import batches, error_lines, run_document, run_text
    from trueline.judge.batch_file import batch_file_name, dump_batch

    not_written: list[str] = []
    for batch in batches(done):
        try:
            write_file(batch.root / batch_file_name(batch.judge), dump_batch(batch))
        except TruelineError as error:
            not_written.append(str(error))
    if args.json:
        print_json(run_document(done))
    else:
        print(run_text(done))
    for line in [*error_lines(done), *not_written]:
        print(printable(f"error: {line}", 2000), file=sys.stderr)
    return 1 if done.errors or not_written else 0


def _judges(args: argparse.Namespace) -> tuple[Judge, ...]:
    from trueline.judge.types import JUDGE_TYPES, OBSERVATION_TYPES, PROMPT_VERSIONS, model_judges, rules_judge

    for flag, value, known in (
        ("judge_type", args.judge_type, JUDGE_TYPES),
        ("sys_prompt_version", args.sys_prompt_version, PROMPT_VERSIONS),
        ("observation_type", args.observation_type or OBSERVATION_TYPES[0], OBSERVATION_TYPES),
    ):
        if value not in known:
            raise InputError(f"--{flag} {value}: there is no such one; known are {', '.join(known)}")
    if args.judge_type == "rules":
        return (rules_judge(),)
    judge_type = args.judge_type
    if judge_type == "default" and args.observation_type == "a11y_tree":
        judge_type = "a11y_tree"
    return model_judges(args.judge_model, judge_type, args.sys_prompt_version, args.votes)


async def _judge(args: argparse.Namespace, done: Run) -> None:
    from trueline.judge.batch import judge_all
    from trueline.judge.bench import Bench, no_originals, task_originals

    told = _progress(done)
    if args.judge_type == "rules":
        await judge_all(done.episodes, Bench(done.judges, again=args.again), told, workers=args.max_workers)
        return
    from trueline.judge.captions import Captioner
    from trueline.judge.request import CAPTIONED
    from trueline.models.build import Config, open_model
    from trueline.models.cache import Cache, CachedModel, cache_path
    from trueline.models.ledger import Ledger
    from trueline.models.limits import Limiters, Limits
    from trueline.models.pricing import load_prices

    config = Config(
        ledger=Ledger(args.max_cost),
        limiters=Limiters(Limits(in_flight=args.max_workers)),
        prices=load_prices(*args.prices),
    )
    captioner = args.caption_model if done.judges[0].judge_type in CAPTIONED else None
    base = args.test_config_base_dir
    cache = Cache(cache_path())
    opened: dict[str, Model] = {}
    try:
        for name in args.judge_model:
            opened[name] = open_model(name, config=config)
        if captioner and captioner not in opened:
            try:
                opened[captioner] = open_model(captioner, config=config)
            except InputError as error:
                raise InputError(f"{error} (for the captioner; --caption_model names another)") from None
        if args.max_cost is not None:
            _require_prices(config.prices, [model.id for model in opened.values()])
        _check_temperature(args, opened)
        _warn_of(opened)
        cached: dict[str, Model] = {name: CachedModel(model, cache) for name, model in opened.items()}
        bench = Bench(
            judges=done.judges,
            models=cached,
            fresh=opened,
            captioner=Captioner(captioner, cached[captioner]) if captioner else None,
            caption_model=captioner,
            observation_type=args.observation_type,
            temperature=args.temperature,
            again=args.again,
            originals=no_originals if base is None else task_originals(base),
        )
        await judge_all(done.episodes, bench, told, workers=args.max_workers)
    finally:
        for model in opened.values():
            await model.close()
        await cache.close()


def _progress(done: Run) -> Callable[[Outcome], None]:
    """Keep each outcome, and say now and then how far it is."""
    total = len(done.episodes) * len(done.asked)
    every = max(total // 20, 1)

    def told(outcome: Outcome) -> None:
        done.outcomes.append(outcome)
        if total >= _PROGRESS_FROM and len(done.outcomes) % every == 0:
            print(f"{len(done.outcomes)} of {total}", file=sys.stderr)

    return told


def _require_prices(prices: Prices, models: list[ModelId]) -> None:
    """Refuse a budget that could not be enforced."""
    from trueline.models.errors import UnpricedError
    from trueline.models.pricing import require_price

    for model in models:
        try:
            require_price(prices, model)
        except UnpricedError:
            raise UnpricedError(
                f"--max_cost: cannot be enforced, the price of {model} is unknown; add it to a table for --prices, or "
                "leave the flag out"
            ) from None


def _check_temperature(args: argparse.Namespace, models: Mapping[str, Model]) -> None:
    """See that every judge takes the temperature, if one was given."""
    from trueline.models.families import fit_sampling
    from trueline.records.setting import Sampling

    if args.temperature is None:
        return
    for name in args.judge_model:
        fitted = fit_sampling(models[name].id, Sampling(temperature=args.temperature))
        for misfit in fitted.misfits:
            raise InputError(
                f"--temperature {args.temperature:g}: {models[name].id} does not take it: {misfit.reason}; "
                "leave the flag out"
            )


def _warn_of(models: Mapping[str, Model]) -> None:
    if any(model.id.provider == "embedded" for model in models.values()):
        from trueline.models.embedded import NOTE

        print(f"note: {NOTE}", file=sys.stderr)
