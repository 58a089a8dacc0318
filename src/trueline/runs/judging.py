"""Judges the episodes after a run with what is left of its budget; if judging fails, the episodes still stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.errors import TruelineError

if TYPE_CHECKING:
    from trueline.judge.report import JudgeReport
    from trueline.runs.request import RunRequest


@dataclass(frozen=True)
class RunJudging:
    """What judging the episodes of a run came to."""

    report: JudgeReport | None = None
    """`None` if nothing was judged; see `problem`."""
    problem: str = ""
    """Why nothing was judged."""

    @property
    def complete(self) -> bool:
        """Whether all episodes were judged and all judgments were written."""
        return self.report is not None and not self.report.errors and not self.report.not_written


def judge_words(request: RunRequest) -> list[str]:
    """The arguments of `trueline` that judge the episodes of a run later."""
    words = ["judge", str(request.result_dir), "--judge_model", request.judge_model or "MODEL"]
    return [*words, "--judge_type", request.judge_type, "--sys_prompt_version", request.sys_prompt_version]


async def judge_run(request: RunRequest, spent: float) -> RunJudging | None:
    """Judge the episodes of a run; `None` if the request names no judge.

    Args:
        request: The run's request with its defaults filled in.
        spent: US dollars that the run spent; the judges may spend what is left of `max_cost`.
    """
    if request.judge_model is None:
        return None
    from trueline.judge.api import judge_async

    left = None if request.max_cost is None else request.max_cost - spent
    if left is not None and left <= 0:
        return RunJudging(problem="`max_cost` is spent, so nothing is judged")
    assert request.result_dir is not None, "complete"
    try:
        report = await judge_async(
            request.result_dir,
            judge_model=request.judge_model,
            judge_type=request.judge_type,
            sys_prompt_version=request.sys_prompt_version,
            max_cost=left,
            prices=request.prices,
        )
    except TruelineError as error:
        return RunJudging(problem=str(error))
    return RunJudging(report)
