"""`trueline run`: tasks on desktops, with an agent, repeats, attacks and a guard."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import TYPE_CHECKING

from trueline.cli.output import check_place, print_json, write_file
from trueline.cli.parser import Parser
from trueline.cli.run.flags import add_flags
from trueline.extras import require_extra

if TYPE_CHECKING:
    from trueline.cli.run.request import ParsedRequest
    from trueline.runs.prepare import Run
    from trueline.runs.request import RunRequest
    from trueline.runs.result import RunResult

_ABOUT = """\
Run tasks on real desktops with an agent: repeated, under attack, with a guard in front. Resumable: rerun the same
command to continue.

examples:
  trueline run --suite starter --agent oracle --limit 2
  trueline run --suite starter --agent prompt --model 'openai|gpt-5' --repeats 3 --num_envs 4
  trueline run --suite starter --agent claude --model claude-sonnet-4-5 --inject --guard policy
  trueline run --test_all_meta_path evaluation_examples/test_misuse.json --like osharm --model gpt-4.1
  trueline run --config run.yaml --repeats 5
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.usage = "trueline run [flags]    (- and _ are the same in flags)"
    parser.description = _ABOUT
    parser.underscores = True
    add_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Run what the flags describe."""
    from trueline.cli.run.judge import judge_episodes
    from trueline.cli.run.report import report_text

    asked = parse_request(args.given_words)
    if args.save_config is not None:
        _save(args, asked)
    if not args.dry_run:
        require_extra("desktop", "running tasks")
    if args.log_level is not None:
        logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
        # Only what Trueline itself says: the clients of models log whole questions and answers.
        logging.getLogger("trueline").setLevel(args.log_level)
    with asked.placing_errors():
        if args.dry_run:
            return asyncio.run(_show(args, asked))
        completed, result = asyncio.run(_play(args, asked))
    found = result.to_json()
    if args.json:
        print_json(found)
    else:
        print(report_text(found))
    judge_episodes(completed, result.spent)
    return 0 if result.complete else 1


def parse_request(words: list[str]) -> ParsedRequest:
    """The request that these flags make."""
    from trueline.cli.run.request import parse_given, request_of

    parser = Parser(prog="trueline run")
    configure(parser)
    args, given = parse_given(parser, words)
    return request_of(args, given, parser)


def _save(args: argparse.Namespace, asked: ParsedRequest) -> None:
    from trueline.runs.request_file import request_yaml

    check_place(args.save_config)
    write_file(args.save_config, request_yaml(asked.request).encode())


async def _show(args: argparse.Namespace, asked: ParsedRequest) -> int:
    """Print what would be run."""
    from trueline.cli.run.confirm import confirmation_for
    from trueline.cli.run.report import estimate_text
    from trueline.runs.estimate import estimate
    from trueline.runs.manifest import require_same
    from trueline.runs.prepare import open_run

    async with open_run(asked.request, dry=True, ask=confirmation_for(asked.request)) as run:
        if asked.reproduces:
            require_same(*asked.reproduces, run)
        _report_reruns(run)
        found = estimate(run)
    if args.json:
        print_json(found)
    else:
        print(estimate_text(found))
    return 0


async def _play(args: argparse.Namespace, asked: ParsedRequest) -> tuple[RunRequest, RunResult]:
    """Run the episodes; returns the request with its defaults, and the result."""
    from trueline.cli.run.confirm import confirmation_for
    from trueline.cli.run.progress import progress
    from trueline.runs.manifest import require_same
    from trueline.runs.play import play
    from trueline.runs.prepare import open_run
    from trueline.runs.result import RunResult

    ask = confirmation_for(asked.request)
    async with open_run(asked.request, ask=ask) as run:
        if asked.reproduces:
            require_same(*asked.reproduces, run)
        _report_reruns(run)
        if run.note:
            print(run.note, file=sys.stderr)
        # A bar that is drawn anew all the time and a question cannot share a terminal.
        kind = "plain" if args.progress in ("auto", "rich") and ask else args.progress
        with progress(kind) as report:
            try:
                return run.request, RunResult.from_batch(run, await play(asked.request, run, report))
            except asyncio.CancelledError:
                print("interrupted; rerun the same command to resume", file=sys.stderr)
                raise


def _report_reruns(run: Run) -> None:
    if run.request.rerun:
        again = sum(job.rerun for job in run.jobs)
        print(f"--rerun: {again} of {len(run.jobs)} episodes match", file=sys.stderr)
