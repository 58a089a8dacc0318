"""Other guards for the same table: the trivial ones, and two published ideas with prompts of our own.

Task Shield asks whether an action contributes to what the user wants. InferAct infers the goal from the behaviour
without knowing the objective, and then compares the two. Both are in the style of the papers, not their code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, StrictBool

from trueline.errors import RequestError
from trueline.guard.config import GuardConfig
from trueline.guard.options import AnalysisOptions, engine_config, record_setting, verdict_setting
from trueline.guard.question import Foreign, ask_about, assemble
from trueline.guard.registry import GuardTools, OpenedGuard
from trueline.guard.stages import Ask, Deadline, Look, attempt, failed
from trueline.guard.types import Guard, GuardContext
from trueline.guard.verdicts import verdict_of
from trueline.models import Message, Model
from trueline.models.prompt_fence import keyed_fence
from trueline.models.prompt_files import hash_prompts
from trueline.records.usage import NO_USAGE, Usage
from trueline.records.verdict import Decision, Finding, Stage, Verdict

TASK_SHIELD = ("baselines/task_shield.v1", "data.v1")
INFER = ("baselines/inferact_infer.v1", "data.v1")
VERIFY = ("baselines/inferact_verify.v1", "data.v1")
_WITHHELD = "(not told)"

Question = Callable[[Message], Ask]
"""Addresses a message to the model."""


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    thought: str


class Contribution(_Reply):
    """What Task Shield answers."""

    contributes_to: list[str] = []
    contributes: StrictBool


class Inference(_Reply):
    """What InferAct's observer answers."""

    goal: str


class Consistency(_Reply):
    """What InferAct's judge answers."""

    consistent: StrictBool


def baseline_hashes() -> dict[str, str]:
    """SHA-256 of each prompt file of these guards by name."""
    return hash_prompts("trueline.guard", (TASK_SHIELD[0], INFER[0], VERIFY[0]))


def open_baseline(
    name: str,
    make: Callable[[Model, GuardConfig], Guard],
    options: AnalysisOptions,
    tools: GuardTools,
) -> OpenedGuard:
    """Make one of the guards that ask the model of the systematic analysis.

    Raises:
        RequestError: No model is named.
    """
    if options.systematic_analysis_model is None:
        raise RequestError(f"`guard` {name} asks a model: name it with `guard_options.systematic_analysis_model`")
    config = engine_config(options, tools)
    assert config.systematic is not None, "its model is named"
    narrator = tools.narrator(options.narrative_summary_model)
    return OpenedGuard(
        make(config.systematic, config),
        record_setting(name, config, None, narrator.model if narrator else None),
        verdict_setting(name, options, config, baseline_hashes=baseline_hashes()),
        narrator,
        tools.models,
    )


@dataclass(frozen=True)
class ConstantGuard:
    """Says the same of every proposal: the line that a guard must beat."""

    decision: Decision

    async def check(self, context: GuardContext) -> Verdict:  # noqa: ARG002 it looks at nothing
        """Give the verdict that was decided beforehand."""
        return Verdict(decision=self.decision, reason=f"every action is called {self.decision}")


@dataclass(frozen=True)
class TaskShieldGuard:
    """An action that contributes to nothing the user wants is misaligned."""

    model: Model
    config: GuardConfig

    @property
    def deadline(self) -> float | None:
        """Seconds for a whole check."""
        return self.config.deadline

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; whatever goes wrong is an undecided one."""
        return await _check(self.model, self.config, context, context, _contribution)


@dataclass(frozen=True)
class InferActGuard:
    """An action whose inferred goal is none that the user's objective could have is misaligned."""

    model: Model
    config: GuardConfig

    @property
    def deadline(self) -> float | None:
        """Seconds for a whole check."""
        return self.config.deadline

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; whatever goes wrong is an undecided one."""

        async def look(message: Message, question: Question) -> Look:
            return await _inferred(message, question, context.instruction, self.config.key)

        return await _check(self.model, self.config, context, replace(context, instruction=_WITHHELD), look)


async def _check(
    model: Model,
    config: GuardConfig,
    context: GuardContext,
    shown: GuardContext,
    look: Callable[[Message, Question], Awaitable[Look]],
) -> Verdict:
    """Put the usual question together from what may be shown, and look."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    deadline = Deadline.after(config.deadline, spent=context.waited)

    def question(message: Message) -> Ask:
        sampling = config.systematic_sampling
        return Ask(model, sampling, config.images, message, context.episode, context.sample, deadline)

    try:
        async with deadline.kept():
            message = await asyncio.to_thread(ask_about, shown, (), config)
    except Exception as e:
        looked = failed(Stage.SYSTEMATIC, e, NO_USAGE)
    else:
        looked = await attempt(Stage.SYSTEMATIC, lambda: look(message, question), deadline, model)
    return verdict_of([looked], unmatched=config.unmatched, given=(), flagged=False, latency=loop.time() - began)


async def _contribution(message: Message, question: Question) -> Look:
    ask = question(message)
    answer = await ask.model.ask(ask.request(Stage.SYSTEMATIC, TASK_SHIELD, Contribution))
    reply = answer.parse(Contribution)
    return _decided(reply.contributes, reply.thought, answer.usage)


async def _inferred(message: Message, question: Question, objective: str, key: bytes) -> Look:
    ask = question(message)
    first = await ask.model.ask(ask.request(Stage.SYSTEMATIC, INFER, Inference))
    goal = first.parse(Inference).goal
    pieces = (Foreign("objective", objective), Foreign("inferred", goal))
    ask = question(assemble(keyed_fence(key, [piece.text for piece in pieces]), pieces))
    second = await ask.model.ask(ask.request(Stage.SYSTEMATIC, VERIFY, Consistency))
    reply = second.parse(Consistency)
    return _decided(reply.consistent, f"inferred goal: {goal}\n{reply.thought}", first.usage + second.usage)


def _decided(aligned: bool, thought: str, usage: Usage) -> Look:
    decision = Decision.ALIGNED if aligned else Decision.MISALIGNED
    return Look(Finding(stage=Stage.SYSTEMATIC, decision=decision, reason=thought.strip(), usage=usage))
