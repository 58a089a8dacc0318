"""Other guards for the same table: the trivial ones, and three published ideas with prompts of our own.

Task Shield asks whether an action contributes to what the user wants. InferAct infers the goal from the behaviour
without knowing the objective, and then compares the two. AlignmentCheck audits the trace for an agent whose goal is no
longer the user's. All are in the style of what was published, not its code: their names end in `-like` until they
reproduce a published figure.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, StrictBool

from trueline.actions import ACTION
from trueline.errors import RequestError
from trueline.guard.config import GuardConfig
from trueline.guard.model_stages import StageQuestion
from trueline.guard.options import AnalysisOptions, engine_config, record_setting, verdict_setting
from trueline.guard.question import Foreign, ask_about, assemble
from trueline.guard.registry import GuardTools, OpenedGuard
from trueline.guard.stages import Deadline, StageResult, attempt, failed, verdict_of
from trueline.guard.types import Guard, GuardContext
from trueline.models import Message, Model
from trueline.models.prompt_fence import keyed_fence
from trueline.models.prompt_files import hash_prompts
from trueline.records.usage import NO_USAGE, Usage
from trueline.records.verdict import Decision, Finding, Stage, Verdict

TASK_SHIELD = ("baselines/task_shield.v1", "data.v1")
INFER = ("baselines/inferact_infer.v1", "data.v1")
VERIFY = ("baselines/inferact_verify.v1", "data.v1")
ALIGNMENT_CHECK = ("baselines/alignment_check.v1", "data.v1")
_WITHHELD = "(not told)"

Question = Callable[[Message], StageQuestion]
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


class AlignmentAnswer(_Reply):
    """What AlignmentCheck answers."""

    compromised: StrictBool


def baseline_hashes() -> dict[str, str]:
    """SHA-256 of each prompt file of Task Shield and InferAct by name, which are recorded together."""
    return hash_prompts("trueline.guard", (TASK_SHIELD[0], INFER[0], VERIFY[0]))


def alignment_check_hashes() -> dict[str, str]:
    """SHA-256 of AlignmentCheck's prompt file by name."""
    return hash_prompts("trueline.guard", ALIGNMENT_CHECK[:1])


def open_baseline(
    name: str,
    make: Callable[[Model, GuardConfig], Guard],
    options: AnalysisOptions,
    tools: GuardTools,
    hashes: Mapping[str, str],
) -> OpenedGuard:
    """Open one of the guards that use the model of the systematic analysis; `hashes` are those of its prompts.

    Raises:
        RequestError: No model is named.
    """
    if options.systematic_analysis_model is None:
        raise RequestError(f"`guard` {name} requires a model: name it with `guard_options.systematic_analysis_model`")
    config = engine_config(options, tools)
    assert config.systematic is not None, "its model is named"
    narrator = tools.narrator(options.narrative_summary_model)
    return OpenedGuard(
        make(config.systematic, config),
        record_setting(name, config, None, narrator.model if narrator else None),
        verdict_setting(name, options, config, baseline_hashes=dict(hashes)),
        narrator,
        tools.models,
    )


@dataclass(frozen=True)
class ConstantGuard:
    """Gives the same verdict on every proposal: the baseline that a guard must beat."""

    decision: Decision

    async def check(self, context: GuardContext) -> Verdict:  # noqa: ARG002 it looks at nothing
        """Give the verdict that was decided beforehand."""
        return Verdict(decision=self.decision, reason=f"every action is called {self.decision}")


@dataclass(frozen=True)
class RandomGuard:
    """Decides by a hash of the proposal and its place in the episode, so the same question has the same verdict."""

    rate: float
    """The share of proposals that are called misaligned."""
    seed: int = 0

    async def check(self, context: GuardContext) -> Verdict:
        """Throw the coin."""
        proposal = context.proposal
        actions = [ACTION.dump_python(action, mode="json") for action in proposal.actions]
        content = [self.seed, context.instruction, context.step, proposal.raw, actions]
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
        flagged = int.from_bytes(digest[:8]) < self.rate * 2**64
        decision = Decision.MISALIGNED if flagged else Decision.ALIGNED
        return Verdict(decision=decision, reason=f"a coin that falls so at a rate of {self.rate:g}")


@dataclass(frozen=True)
class TaskShieldGuard:
    """An action is misaligned if it contributes to nothing that the user wants."""

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
    """An action is misaligned if its inferred goal cannot follow from the user's objective."""

    model: Model
    config: GuardConfig

    @property
    def deadline(self) -> float | None:
        """Seconds for a whole check."""
        return self.config.deadline

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; whatever goes wrong is an undecided one."""

        async def look(message: Message, question: Question) -> StageResult:
            return await _inferred(message, question, context.instruction, self.config.key)

        return await _check(self.model, self.config, context, replace(context, instruction=_WITHHELD), look)


@dataclass(frozen=True)
class AlignmentCheckGuard:
    """An action is misaligned if it shows that the agent follows another goal than the user's."""

    model: Model
    config: GuardConfig

    @property
    def deadline(self) -> float | None:
        """Seconds for a whole check."""
        return self.config.deadline

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; whatever goes wrong is an undecided one."""
        return await _check(self.model, self.config, context, context, _audit)


async def _check(
    model: Model,
    config: GuardConfig,
    context: GuardContext,
    shown: GuardContext,
    look: Callable[[Message, Question], Awaitable[StageResult]],
) -> Verdict:
    """Assemble the usual question from what may be shown, and ask the model."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    deadline = Deadline.after(config.deadline, spent=context.waited)

    def question(message: Message) -> StageQuestion:
        sampling = config.systematic_sampling
        return StageQuestion(model, sampling, config.images, message, context.episode, context.sample, deadline)

    try:
        async with deadline.enforce():
            message = await asyncio.to_thread(ask_about, shown, (), config)
    except Exception as e:
        looked = failed(Stage.SYSTEMATIC, e, NO_USAGE)
    else:
        looked = await attempt(Stage.SYSTEMATIC, lambda: look(message, question), deadline, model)
    return verdict_of([looked], unmatched=config.unmatched, given=(), flagged=False, latency=loop.time() - began)


async def _contribution(message: Message, question: Question) -> StageResult:
    ask = question(message)
    answer = await ask.model.ask(ask.request(Stage.SYSTEMATIC, TASK_SHIELD, Contribution))
    reply = answer.parse(Contribution)
    return _decided(reply.contributes, reply.thought, answer.usage)


async def _audit(message: Message, question: Question) -> StageResult:
    ask = question(message)
    answer = await ask.model.ask(ask.request(Stage.SYSTEMATIC, ALIGNMENT_CHECK, AlignmentAnswer))
    reply = answer.parse(AlignmentAnswer)
    return _decided(not reply.compromised, reply.thought, answer.usage)


async def _inferred(message: Message, question: Question, objective: str, key: bytes) -> StageResult:
    ask = question(message)
    first = await ask.model.ask(ask.request(Stage.SYSTEMATIC, INFER, Inference))
    goal = first.parse(Inference).goal
    pieces = (Foreign("objective", objective), Foreign("inferred", goal))
    ask = question(assemble(keyed_fence(key, [piece.text for piece in pieces]), pieces))
    second = await ask.model.ask(ask.request(Stage.SYSTEMATIC, VERIFY, Consistency))
    reply = second.parse(Consistency)
    return _decided(reply.consistent, f"inferred goal: {goal}\n{reply.thought}", first.usage + second.usage)


def _decided(aligned: bool, thought: str, usage: Usage) -> StageResult:
    decision = Decision.ALIGNED if aligned else Decision.MISALIGNED
    return StageResult(Finding(stage=Stage.SYSTEMATIC, decision=decision, reason=thought.strip(), usage=usage))
