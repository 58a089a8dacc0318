"""The judge after a run: with what is left of the run's money, and whatever comes of it, the episodes stand."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueline.models.types import ModelId


def judging_models(args: argparse.Namespace) -> Iterator[ModelId]:
    """The models that will be asked to judge.

    Raises:
        SpecError: It is not clear which one is meant.
    """
    from trueline.cli.judge_run import CAPTIONER
    from trueline.judge.request import CAPTIONED
    from trueline.models import parse_spec
    from trueline.models.types import ModelId

    if args.judge_model is None or args.judge_type == "rules":
        return
    for name in (args.judge_model, *((CAPTIONER,) if args.judge_type in CAPTIONED else ())):
        spec = parse_spec(name)
        yield ModelId(provider=spec.provider, model=spec.model)


def judge(args: argparse.Namespace, spent: float) -> None:
    """Judge what was run, if a model is named; otherwise say how."""
    from trueline.cli.main import main

    words = ["judge", str(args.result_dir), "--judge_model", args.judge_model or "MODEL"]
    words += ["--judge_type", args.judge_type, "--sys_prompt_version", args.sys_prompt_version]
    later = f"trueline {shlex.join(words)}"
    if args.judge_model is None:
        print(f"to judge: {later}", file=sys.stderr)
        return
    if args.max_cost is not None:
        left = args.max_cost - spent
        if left <= 0:
            print(f"--max_cost is spent, so nothing is judged; to judge: {later}", file=sys.stderr)
            return
        words += ["--max_cost", f"{left:.6g}"]
    if args.prices:
        words += ["--prices", *map(str, args.prices)]
    # Standard output holds the run's own document.
    with redirect_stdout(sys.stderr):
        if main(words) != 0:
            print(f"the episodes are recorded; to judge them again: {later}", file=sys.stderr)
