"""`trueline judge PATH…`: judge single episodes or whole folders of results."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count, positive
from trueline.cli.judge import take_paths
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueline.judge.judge_episode import JudgeResult
    from trueline.judge.report import JudgeReport
    from trueline.judge.request import JudgeRequest
    from trueline.models.types import Model

_ABOUT = """\
Judge recorded episodes: did the agent do the task, was it safe, which step is the first violation?
Writes judgment/<judge_model>/<judge_type>/<version>/judgment.json beside each episode and changes nothing else.
Episodes that are judged already are skipped. For the subcommands, see trueline judge summary|agreement|label --help.
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
                        help="provider|model, or a model name; several form a panel (gpt-4.1)")  # fmt: skip
    parser.add_argument("--judge-type", default="aer", metavar="T",
                        help="aer, default, captioned_default, a11y_tree, all_step_aer or rules (aer)")  # fmt: skip
    parser.add_argument("--sys-prompt-version", default="v3", metavar="V", help="v1, v2, v3 or v4 (v3)")
    parser.add_argument("--observation-type", metavar="O",
                        help="screenshot, a11y_tree, screenshot_a11y_tree or som (what the agent saw)")  # fmt: skip
    parser.add_argument("--caption-model", default=CAPTIONER, metavar="M",
                        help=f"describes screenshots, for aer and the captioned types ({CAPTIONER})")  # fmt: skip
    parser.add_argument("--votes", type=count, default=1, metavar="N", help="ask each judge this many times (1)")
    parser.add_argument(
        "--temperature", type=_temperature, metavar="X", help="temperature of the judges (0 where supported)"
    )
    parser.add_argument("--max-workers", type=count, default=8, metavar="N",
                        help="concurrent episodes, and concurrent requests per provider (8)")  # fmt: skip
    parser.add_argument("--test-config-base-dir", type=Path, metavar="DIR",
                        help="folder with examples/ for task texts that are not recorded, or wrapped (v4)")  # fmt: skip
    parser.add_argument("--max-cost", type=positive, metavar="USD", help="stop asking models once this much is spent")
    parser.add_argument("--prices", type=Path, nargs="+", default=[], metavar="FILE",
                        help="price tables that override the built-in one")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="also judge what is judged already, and ignore the cache")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _temperature(word: str) -> float:
    value = float(word)
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{word} is not a temperature; write a number of at least 0")
    return value


def run(args: argparse.Namespace) -> int:
    """Judge, write, report."""
    from trueline.judge.report import JudgeReport
    from trueline.judge.request import JudgeRequest, make_judge_request
    from trueline.records.folder.files import DiskFullError

    take_paths(args, "trueline judge", "judge_model")
    request = make_judge_request({name: getattr(args, name) for name in JudgeRequest.model_fields})
    report = JudgeReport.for_request(request)
    try:
        asyncio.run(_judge(request, report))
    except (KeyboardInterrupt, DiskFullError):
        # Judgments made until now are on disk and are reported.
        _show(args, report)
        raise
    return _show(args, report)


async def _judge(request: JudgeRequest, report: JudgeReport) -> None:
    from trueline.judge.api import open_judges
    from trueline.judge.batch import judge_episodes

    async with open_judges(request) as setup:
        _print_note(setup.models.values())
        await judge_episodes(report.episodes, setup, _progress(report), workers=request.max_workers)


def _show(args: argparse.Namespace, report: JudgeReport) -> int:
    """Write the batch files and print the report, whether they can be written or not; returns the exit code."""
    from trueline.cli.judge_report import error_lines, report_text

    report.write_batch_files()
    if args.json:
        print_json(report.to_json())
    else:
        print(report_text(report))
    for line in [*error_lines(report), *report.not_written]:
        print(printable(f"error: {line}", 2000), file=sys.stderr)
    return 1 if report.errors or report.not_written else 0


def _progress(report: JudgeReport) -> Callable[[JudgeResult], None]:
    """Keep each result, and print the progress now and then."""
    total = len(report.episodes) * len(report.all_judges)
    every = max(total // 20, 1)

    def told(result: JudgeResult) -> None:
        report.results.append(result)
        if total >= _PROGRESS_FROM and len(report.results) % every == 0:
            print(f"{len(report.results)} of {total}", file=sys.stderr)

    return told


def _print_note(models: Iterable[Model]) -> None:
    if any(model.id.provider == "embedded" for model in models):
        from trueline.models.embedded import NOTE

        print(f"note: {NOTE}", file=sys.stderr)
