"""One check done by OSWorld's functions, as a score of ours."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from trueline.desktop.local import LocalDesktop
from trueline.desktop.osworld.desktop import OSWorldDesktop
from trueline.records.episode import ValueComparison
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.bridge.evaluation import BridgedEvaluation, BridgedTask, RecordedValues
from trueline.tasks.bridge.messages import BridgedAnswer, is_cache_name
from trueline.tasks.bridge.not_scorable import cloud_files, missing_before, missing_part
from trueline.tasks.checkers.values import CheckResult, describe
from trueline.tasks.downloads import DownloadError
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Evaluator
from trueline.tasks.model.evaluator import Check
from trueline.tasks.workspace import Workspace
from trueline.text import printable

Checkers = Literal["native", "bridged", "both", "none"]
"""Who scores: functions of Trueline, OSWorld's own, both, where OSWorld's count, or nobody. By default Trueline's where
it has all that an evaluator names, else OSWorld's."""


@dataclass(frozen=True)
class BridgedEvidence:
    """What OSWorld's getters returned; with it the same evaluator can be scored again without a desktop."""

    checks: tuple[RecordedValues, ...]
    """By check, in order; those after the deciding one, and those that Trueline did, are empty."""
    files: dict[str, bytes]
    """The cache folder afterwards, by name: values name files below `/tmp/cache`."""


@dataclass(frozen=True)
class Bridging:
    """OSWorld's own functions as a way to score one task."""

    bridge: Bridge
    task_id: str = ""
    instruction: str = ""
    keep: Callable[[BridgedEvidence], None] | None = None
    """Called after each evaluation with what it was made of, also when it failed."""


@dataclass
class BridgedChecks:
    """An evaluation in which the checks of one evaluator are done."""

    evaluation: BridgedEvaluation
    values: list[dict[str, JsonValue]] = field(default_factory=list[dict[str, JsonValue]])

    async def run(self, number: int, check: Check) -> CheckResult:
        """Do one check.

        Raises:
            CheckerError: It cannot be scored; the message names the function.
        """
        if missing := missing_before(check):
            raise CheckerError(f"{check.function}: not scorable without {missing}")
        answer = await self.evaluation.check(check)
        self.values[number] = {side: value for side, value in answer.values.items()}  # noqa: C416 - widens the keys
        return result_of(check, answer)


def result_of(check: Check, answer: BridgedAnswer) -> CheckResult:
    """The score that an answer means.

    Raises:
        CheckerError: It means none; the message names the function.
    """
    if missing := missing_part(check, answer):
        raise CheckerError(f"{check.function}: not scorable: it asked for {missing}")
    failure = answer.failure
    if failure is None:
        assert answer.score is not None, "an answer has one of both"
        found, expected = (describe(answer.values.get(side)) for side in ("result", "expected"))
        reason = "" if answer.score == 1 else f"{check.function} gives {answer.score:g}"
        return _compared(check, CheckResult(answer.score, reason), found, expected)
    if failure.phase == "result" and failure.missing_file:
        # OSWorld's rule: what the agent did not leave scores 0.
        return _compared(check, CheckResult(0.0, f"a file is missing: {failure}"), "nothing", "")
    if failure.phase == "metric" and "result" in answer.values and answer.values["result"] is None:
        # Metrics that do not expect a missing file raise; an agent must not escape its score by deleting the file.
        return _compared(check, CheckResult(0.0, f"nothing was found to check: {failure}"), "nothing", "")
    raise CheckerError(f"{check.function}: {failure}")


def _compared(check: Check, checked: CheckResult, found: str, expected: str) -> CheckResult:
    comparison = ValueComparison(
        function=check.function,
        score=checked.score,
        found=found,
        expected=expected,
        reason=printable(checked.reason, 300),
    )
    return CheckResult(checked.score, checked.reason, comparisons=(comparison,))


@asynccontextmanager
async def open_checks(
    evaluator: Evaluator, workspace: Workspace, bridging: Bridging, number: int
) -> AsyncGenerator[BridgedChecks]:
    """Begin an evaluation on the workspace's desktop, with its outputs and downloads in the cache folder.

    Args:
        evaluator: What is checked.
        workspace: The desktop and what set-up steps stored.
        bridging: How.
        number: How many checks there are.

    Raises:
        CheckerError: It cannot be started, or a file from the web cannot be had.
        InputError: OSWorld's functions cannot run on this machine.
    """
    files = {name: content for name, content in workspace.outputs.items() if is_cache_name(name)}
    for name, url in cloud_files(evaluator).items():
        if not is_cache_name(name):
            raise CheckerError(f"cloud_file: {printable(name, 100)} is not a name for a file")
        try:
            files[name] = (await workspace.downloads.fetch(url)).read_bytes()
        except DownloadError as error:
            raise CheckerError(f"cloud_file: not scorable without {error}") from error
    desktop = workspace.desktop
    task = BridgedTask(
        id=bridging.task_id,
        instruction=bridging.instruction,
        evaluator=evaluator.model_dump(mode="json", exclude_unset=True),
        screen=workspace.screen,
        password=workspace.password,
        time_zone=desktop.options.timezone if isinstance(desktop, LocalDesktop) else None,
        rename_chromium=not (isinstance(desktop, OSWorldDesktop) and not desktop.ours),
    )
    async with bridging.bridge.evaluation(desktop, task, files) as evaluation:
        found = BridgedChecks(evaluation, [{} for _ in range(number)])
        try:
            yield found
        finally:
            if bridging.keep is not None:
                bridging.keep(BridgedEvidence(tuple(found.values), await _files(evaluation)))


async def _files(evaluation: BridgedEvaluation) -> dict[str, bytes]:
    try:
        return await evaluation.files()
    except CheckerError:
        return {}  # it broke: what it broke on is in the error that is being raised
