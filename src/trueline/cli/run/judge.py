"""Judges the episodes after a run with what is left of its budget; if judging fails, the episodes still stand."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from trueline.errors import TruelineError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.request import RunRequest


def judge_episodes(request: RunRequest, spent: float) -> None:
    """Judge what was run, if a model is named; otherwise say how."""
    words = ["judge", str(request.result_dir), "--judge_model", request.judge_model or "MODEL"]
    words += ["--judge_type", request.judge_type, "--sys_prompt_version", request.sys_prompt_version]
    later = f"trueline {shlex.join(words)}"
    if request.judge_model is None:
        print(f"to judge: {later}", file=sys.stderr)
        return
    left = None if request.max_cost is None else request.max_cost - spent
    if left is not None and left <= 0:
        print(f"--max_cost is spent, so nothing is judged; to judge: {later}", file=sys.stderr)
        return
    if not _judge(request, left):
        print(f"the episodes are recorded; to judge them again: {later}", file=sys.stderr)


def _judge(request: RunRequest, max_cost: float | None) -> bool:
    """Whether all episodes were judged."""
    from trueline.cli.guard_flags import with_flags
    from trueline.cli.judge_report import error_lines, report_text
    from trueline.judge.api import judge

    assert request.result_dir is not None and request.judge_model is not None, "complete"
    try:
        report = judge(
            request.result_dir,
            judge_model=request.judge_model,
            judge_type=request.judge_type,
            sys_prompt_version=request.sys_prompt_version,
            max_cost=max_cost,
            prices=request.prices,
        )
    except TruelineError as error:
        print(printable(f"trueline judge: {with_flags(str(error))}", 2000), file=sys.stderr)
        return False
    # Standard output holds the run's own document.
    print(report_text(report), file=sys.stderr)
    for line in (*error_lines(report), *report.not_written):
        print(printable(f"error: {line}", 2000), file=sys.stderr)
    return not report.errors and not report.not_written
