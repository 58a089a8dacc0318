"""`trueline run`: tasks on desktops, with an agent, repeats, attacks and a guard."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import TYPE_CHECKING, NamedTuple

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.run.flags import add_flags
from trueline.cli.run.idle import refuse_idle
from trueline.cli.run.like import fill
from trueline.extras import require_extra

if TYPE_CHECKING:
    from trueline.cli.run.assemble import Assembled
    from trueline.runs.batch.types import BatchResult

_ABOUT = """\
Run tasks on real desktops with an agent: repeated, under attack, with a guard in front. Resumable: rerun the same
command to continue.

examples:
  trueline run --suite starter --agent oracle --limit 2
  trueline run --suite starter --agent prompt --model 'openai|gpt-5' --repeats 3 --num_envs 4
  trueline run --suite starter --agent claude --model claude-sonnet-4-5 --inject --guard policy
  trueline run --test_all_meta_path evaluation_examples/test_misuse.json --like osharm --model gpt-4.1
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.usage = "trueline run [flags]    (- and _ are the same in flags)"
    parser.description = _ABOUT
    parser.underscores = True
    add_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Run what the flags describe."""
    from trueline.cli.run.judging import judge
    from trueline.cli.run.manifest import reproduced

    args = reproduced(args, parsed) if args.reproduce else args
    played = _played(args)
    if played is None:
        return 0
    code = _report(args, played.result)
    judge(args, played.spent)
    return code


def parsed(words: list[str]) -> argparse.Namespace:
    """The flags that these words are."""
    parser = Parser(prog="trueline run")
    configure(parser)
    return parser.parse_args(words)


def play_words(words: list[str]) -> BatchResult:
    """Run what these words describe, for commands that run something on the way."""
    played = _played(parsed(words))
    assert played is not None, "it was no dry run"
    return played.result


class _Played(NamedTuple):
    """What came of a run, and the dollars it took."""

    result: BatchResult
    spent: float


def _played(args: argparse.Namespace) -> _Played | None:
    refuse_idle(args)
    fill(args)
    if not args.dry_run:
        require_extra("desktop", "running tasks")
    if args.log_level is not None:
        logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
        # Only what Trueline itself says: the clients of models log whole questions and answers.
        logging.getLogger("trueline").setLevel(args.log_level)
    return asyncio.run(_run(args))


async def _run(args: argparse.Namespace) -> _Played | None:
    """Run the episodes; `None` when it was only asked what would be run."""
    from trueline.cli.run.assemble import assemble
    from trueline.cli.run.manifest import write_manifest

    async with assemble(args) as made:
        if args.rerun:
            anew = sum(job.rerun for job in made.jobs)
            print(f"--rerun: {anew} of {len(made.jobs)} episodes match", file=sys.stderr)
        if args.dry_run:
            _dry(args, made)
            return None
        if made.note:
            print(made.note, file=sys.stderr)
        write_manifest(args, made)
        return _Played(await _play(args, made), made.ledger.spent)


async def _play(args: argparse.Namespace, made: Assembled) -> BatchResult:
    from trueline.cli.run.ask import asks
    from trueline.cli.run.progress import progress
    from trueline.runs.batch.run import run_batch

    # A bar that is drawn anew all the time and a question cannot share a terminal.
    kind = "plain" if args.progress in ("auto", "rich") and asks(args) else args.progress
    with progress(kind) as tell:
        try:
            return await run_batch(made.jobs, made.open_desktop, made.options, tell)
        except asyncio.CancelledError:
            print("interrupted; the same command goes on where this one stopped", file=sys.stderr)
            raise


def _dry(args: argparse.Namespace, made: Assembled) -> None:
    from trueline.cli.run.estimate import estimate, estimate_text

    found = estimate(args, made)
    if args.json:
        print_json(found)
    else:
        print(estimate_text(found))


def _report(args: argparse.Namespace, result: BatchResult) -> int:
    from trueline.cli.run.report import document, text
    from trueline.records.end import Unscored

    found = document(result, args.result_dir)
    if args.json:
        print_json(found)
    else:
        print(text(found))
    missing = any(record.unscored not in (None, Unscored.UNSUPPORTED) for record in result.records.values())
    return 1 if missing or result.stopped else 0
