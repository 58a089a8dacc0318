"""Judges the episodes after a run and prints the report."""

from __future__ import annotations

import asyncio
import shlex
import sys
from typing import TYPE_CHECKING

from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.judging import RunJudging
    from trueline.runs.request import RunRequest


def judge_episodes(request: RunRequest, spent: float) -> None:
    """Judge what was run, if a model is named; otherwise say how."""
    from trueline.runs.judging import judge_run, judge_words

    later = f"trueline {shlex.join(judge_words(request))}"
    judging = asyncio.run(judge_run(request, spent))
    if judging is None:
        print(f"to judge: {later}", file=sys.stderr)
        return
    _print(judging)
    if not judging.complete:
        print(f"the episodes are recorded; to judge them: {later}", file=sys.stderr)


def _print(judging: RunJudging) -> None:
    """Print on standard error: standard output holds the run's own document."""
    from trueline.cli.guard_flags import with_flags
    from trueline.cli.judge_report import error_lines, report_text

    if judging.report is None:
        print(printable(f"trueline judge: {with_flags(judging.problem)}", 2000), file=sys.stderr)
        return
    print(report_text(judging.report), file=sys.stderr)
    for line in (*error_lines(judging.report), *judging.report.not_written):
        print(printable(f"error: {line}", 2000), file=sys.stderr)
