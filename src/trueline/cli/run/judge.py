"""Judges the episodes after a run with what is left of its budget; if judging fails, the episodes still stand."""

from __future__ import annotations

import shlex
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueline.runs.request import RunRequest


def judge(request: RunRequest, spent: float) -> None:
    """Judge what was run, if a model is named; otherwise say how."""
    from trueline.cli.main import main

    words = ["judge", str(request.result_dir), "--judge_model", request.judge_model or "MODEL"]
    words += ["--judge_type", request.judge_type, "--sys_prompt_version", request.sys_prompt_version]
    later = f"trueline {shlex.join(words)}"
    if request.judge_model is None:
        print(f"to judge: {later}", file=sys.stderr)
        return
    if request.max_cost is not None:
        left = request.max_cost - spent
        if left <= 0:
            print(f"--max_cost is spent, so nothing is judged; to judge: {later}", file=sys.stderr)
            return
        words += ["--max_cost", f"{left:.6g}"]
    if request.prices:
        words += ["--prices", *map(str, request.prices)]
    # Standard output holds the run's own document.
    with redirect_stdout(sys.stderr):
        if main(words) != 0:
            print(f"the episodes are recorded; to judge them again: {later}", file=sys.stderr)
