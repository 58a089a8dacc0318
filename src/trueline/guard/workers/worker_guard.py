"""A guard that lives in another process: questions as lines of JSON, errors as undecided verdicts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trueline.actions import ACTION, Action
from trueline.errors import InputError, TruelineError
from trueline.guard.policy.screen.view import view
from trueline.guard.registry import GuardTools, OpenedGuard
from trueline.guard.types import GuardContext
from trueline.line_process import LineProcess
from trueline.records.setting import GuardSetting
from trueline.records.usage import NO_USAGE, Usage
from trueline.records.verdict import Category, Decision, Feedback, Finding, Stage, Verdict
from trueline.text import printable

PYTHON = Path(".venv-guards/bin/python")
"""The interpreter that `./scripts/setup proof` makes."""
SECONDS = 120.0
_PROGRAM = Path(__file__).with_name("worker_program.py")
_MOST_TEXT = 100_000
"""Characters of a screen's texts that are sent."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    misaligned: bool
    reason: str
    calls: int


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ok: dict[str, JsonValue] | None = None
    error: str = ""


class WorkerGuard:
    """Asks a process that is started with the first question and again after it failed."""

    def __init__(self, name: str, python: Path, options: dict[str, JsonValue], seconds: float) -> None:
        self.deadline: float | None = seconds
        self._name = name
        self._python = python
        self._options = options
        self._seconds = seconds
        self._process: LineProcess | None = None
        self._turn = asyncio.Lock()

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; whatever goes wrong is an undecided one."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            began = loop.time()
            try:
                answer = _Answer.model_validate(await self._ask(question(context)))
            except (TruelineError, ValidationError) as error:
                finding = Finding(stage=Stage.SYSTEMATIC, decision=Decision.UNDECIDED, error=printable(str(error), 500))
            else:
                finding = _finding(answer, self._name)
            took = loop.time() - began
        finding = finding.model_copy(update={"latency": took})
        undecided = finding.decision is Decision.UNDECIDED
        return Verdict(
            decision=finding.decision or Decision.UNDECIDED,
            stage=None if undecided else finding.stage,
            category=finding.category,
            reason=finding.error or finding.reason,
            feedback=finding.feedback,
            findings=(finding,),
            latency=took,
        )

    async def close(self) -> None:
        """End the process."""
        if self._process is not None:
            await self._process.close()

    async def _ask(self, message: dict[str, JsonValue]) -> JsonValue:
        if self._process is None or self._process.ended:
            self._process = await LineProcess.start(str(self._python), _PROGRAM, self._name, env=_environment())
            await self._call({"step": "make", "guard": self._name, "options": self._options})
        return await self._call({"step": "check", **message})

    async def _call(self, message: dict[str, JsonValue]) -> JsonValue:
        assert self._process is not None
        reply = _Reply.model_validate(await self._process.call(message, self._seconds))
        if reply.ok is None:
            if message["step"] == "make":
                await self._process.close()
            raise InputError(f"{self._name}: {reply.error}")
        return reply.ok


def open_worker(
    name: str,
    package: str,
    python: Path,
    options: dict[str, JsonValue],
    seconds: float,
    tools: GuardTools,
    *,
    recorded: Mapping[str, JsonValue],
) -> OpenedGuard:
    """Open a guard of another package.

    Args:
        name: The guard's.
        package: The distribution that it comes from.
        python: The interpreter that has it.
        options: For the worker.
        seconds: Time limit of a check.
        tools: Closes the process.
        recorded: What of the options shapes verdicts.

    Raises:
        InputError: The interpreter or the package is not there.
    """
    version = installed_version(python, package)
    # Not resolved: an environment's interpreter is a link, and is what it is by its place.
    guard = WorkerGuard(name, python.absolute(), options, seconds)
    tools.closing.append(guard.close)
    setting = GuardSetting(name=name, options={**recorded, "package": f"{package} {version}"})
    return OpenedGuard(guard, setting, setting)


def installed_version(python: Path, package: str) -> str:
    """The version of a package in an environment, by its folders; nothing is started.

    Raises:
        InputError: The interpreter or the package is not there.
    """
    fix = "run ./scripts/setup proof, or name another interpreter with the option python"
    if not python.is_file():
        raise InputError(f"{python}: there is no such interpreter; {fix}")
    folder = package.replace("-", "_")
    found = sorted(python.parent.parent.glob(f"lib/python*/site-packages/{folder}-*.dist-info"))
    if not found:
        raise InputError(f"{python}: the package {package} is not installed there; {fix}")
    return found[0].name.removeprefix(f"{folder}-").removesuffix(".dist-info")


def question(context: GuardContext) -> dict[str, JsonValue]:
    """What a worker is told: objective, earlier actions with their narratives, the screen's texts, the new actions."""
    return {
        "instruction": context.instruction,
        "history": [
            {"actions": _actions(step.proposal.actions), "narrative": step.narrative} for step in context.history
        ],
        "screen": "\n".join(view(context.observation).texts)[:_MOST_TEXT],
        "actions": _actions(context.proposal.actions),
    }


def _actions(actions: tuple[Action, ...]) -> list[JsonValue]:
    return [ACTION.dump_python(action, mode="json", exclude_defaults=False, exclude={"raw"}) for action in actions]


def _finding(answer: _Answer, name: str) -> Finding:
    usage = Usage(calls=answer.calls, uncounted=answer.calls) if answer.calls else NO_USAGE
    reason = printable(answer.reason, 1000)
    if not answer.misaligned:
        return Finding(stage=Stage.SYSTEMATIC, decision=Decision.ALIGNED, reason=reason, usage=usage)
    return Finding(
        stage=Stage.SYSTEMATIC,
        decision=Decision.MISALIGNED,
        category=Category.MALICIOUS_INSTRUCTION,
        reason=reason,
        feedback=Feedback(wrong=f"{name} objects to it"),
        usage=usage,
    )


def _environment() -> dict[str, str]:
    """Ours, without what would let our packages stand in for those of the other environment."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
