"""Adapter from `predict(instruction, obs)` to the `Agent` protocol."""

from __future__ import annotations

import asyncio
import base64
import sys
import time
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from trueline.actions import Action, SafetyCheck
from trueline.actions.decoded import well_formed
from trueline.agents.conversation import MAX_ACTIONS, ProposalIds, feedback_message, why_dropped
from trueline.agents.predict.agent_process import AgentProcess, text_of
from trueline.agents.prompt.observation_message import ObservationType
from trueline.agents.safety_checks import SafetyPolicy, hold
from trueline.agents.types import AgentContext, AgentError
from trueline.errors import InputError
from trueline.models.types import Json
from trueline.records.base import Count, Record
from trueline.records.folder.action_text import decode_action, pending_checks
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.setting import Sampling
from trueline.records.step import ActionResult
from trueline.records.usage import Usage
from trueline.records.verdict import Feedback

EMULATED = "revise=emulated"
"""The note on a proposal that was revised by asking again with the feedback in the instruction."""
START_SECONDS = 180.0


class PredictOptions(Record):
    """How to run an OSWorld-style agent; `arguments` go to its constructor."""

    python: str = ""
    """Python interpreter with the agent's packages; empty for the current one."""
    path: tuple[str, ...] = ()
    """Folders to import from, before the interpreter's own."""
    observation_type: ObservationType = "screenshot"
    """What the agent gets; for `som` it draws its marks itself."""
    action_space: str = "pyautogui"
    model: str = ""
    """Name of the model as the agent takes it; the agent calls it by itself."""
    max_trajectory_length: Count = 3
    a11y_tree_max_tokens: Count = 10_000
    client_password: str = "password"  # noqa: S105 - what every OSWorld machine has
    max_steps: Count = 15
    timeout: Annotated[float, Field(gt=0)] = 600.0
    """Seconds for one prediction."""
    safety_checks: SafetyPolicy = "stop"
    arguments: dict[str, JsonValue] = Field(default={})
    """Further arguments of the constructor, over the usual ones."""


class PredictAgent:
    """Runs an agent in a process of its own, where it may block, print, crash and use its own packages."""

    revises: Literal["emulated"] = "emulated"

    def __init__(self, target: str, options: PredictOptions | None = None, sampling: Sampling | None = None) -> None:
        """Name the class as `package.module:Class`."""
        self._target = target
        self._options = options or PredictOptions()
        self._sampling = sampling or Sampling()
        self._ids = ProposalIds()
        self._process: AgentProcess | None = None
        self._instruction = ""
        self._seen: Observation | None = None

    @property
    def wants(self) -> ObservationSpec:
        """What the agent must see."""
        kind = self._options.observation_type
        return ObservationSpec(screenshot=kind != "a11y_tree", tree=kind != "screenshot")

    async def reset(self, ctx: AgentContext) -> None:
        """Start an episode; the agent is constructed once and reset for each episode, as in OSWorld."""
        if self._process is None or self._process.ended:
            await self._start(ctx)
        await self._call("reset", {}, START_SECONDS)
        self._instruction = f"{ctx.instruction}\n\n{ctx.plan}" if ctx.plan else ctx.instruction
        self._seen = None

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Call `predict`. The agent sees the effect of its actions on the screen; it is told if they were dropped."""
        proposal = await self._predict(obs, "\n\n".join(filter(None, (self._instruction, why_dropped(last)))))
        self._seen = obs
        return proposal

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        """Call `predict` again on the same screen, with the feedback appended to the instruction."""
        self._ids.require_last(rejected)
        if self._seen is None:
            raise InputError("nothing to revise: the agent has not proposed anything yet")
        proposal = await self._predict(self._seen, f"{self._instruction}\n\n{feedback_message(feedback)}")
        return proposal.model_copy(update={"notes": (*proposal.notes, EMULATED)})

    async def close(self) -> None:
        """End the agent's process."""
        if self._process is not None:
            await self._process.close()

    async def _start(self, ctx: AgentContext) -> None:
        options = self._options
        self._process = await AgentProcess.start(options.python or sys.executable, self._target)
        message: Json = {
            "target": self._target,
            "path": [*options.path, *([] if options.python else sys.path)],
            "usual": self._osworld_arguments(ctx),
            "options": options.arguments,
        }
        try:
            made = await self._call("make", message, START_SECONDS)
        except AgentError as error:
            # It cannot even be made: that is not the doing of an agent, something was set wrongly.
            await self._process.close()
            raise InputError(str(error)) from None
        taken = made.get("taken")
        if options.model and isinstance(taken, list) and "model" not in taken:
            # A record that names a model which was never asked would be a lie.
            await self._process.close()
            raise InputError(
                f"{self._target}: its constructor has no parameter model; leave out --model and the option model"
            )

    def _osworld_arguments(self, ctx: AgentContext) -> Json:
        """Arguments that OSWorld's runners pass; an agent gets those that its constructor names."""
        options, sampling = self._options, self._sampling
        usual: Json = {
            "platform": ctx.platform,
            "model": options.model or None,
            "max_tokens": sampling.max_tokens,
            "top_p": sampling.top_p,
            "temperature": sampling.temperature,
            "action_space": options.action_space,
            "observation_type": options.observation_type,
            "max_trajectory_length": options.max_trajectory_length,
            "a11y_tree_max_tokens": options.a11y_tree_max_tokens,
            "client_password": options.client_password,
            "max_steps": options.max_steps,
            "screen_width": ctx.screen.width,
            "screen_height": ctx.screen.height,
            "screen_size": list(ctx.screen),
        }
        return {name: value for name, value in usual.items() if value is not None}

    async def _predict(self, obs: Observation, instruction: str) -> Proposal:
        message = await asyncio.to_thread(_message, obs, instruction, self.wants)
        began = time.perf_counter()
        given = await self._call("predict", message, self._options.timeout)
        actions, checks = self._read(given.get("actions"))
        raw = well_formed(text_of(given.get("response")))
        proposal = Proposal(
            id=self._ids.next(),
            thought=raw or None,
            actions=actions,
            raw=raw,
            safety_checks=checks,
            notes=() if actions else ("the agent gave no actions",),
            usage=_usage(given.get("response")),
            latency=time.perf_counter() - began,
        )
        return hold(proposal, self._options.safety_checks)

    def _read(self, given: JsonValue) -> tuple[tuple[Action, ...], tuple[SafetyCheck, ...]]:
        items = given if isinstance(given, list) else [given]
        actions: list[Action] = []
        checks: list[SafetyCheck] = []
        for item in items:
            found, problem = decode_action(item)
            if problem:
                raise AgentError(f"{self._target}: predict() returned an action that cannot be parsed: {problem}")
            actions += found
            checks += pending_checks(item)
        if len(actions) > MAX_ACTIONS:
            raise AgentError(f"{self._target}: predict() returned {len(actions)} actions; the limit is {MAX_ACTIONS}")
        return tuple(actions), tuple(checks)

    async def _call(self, step: str, message: Json, time_limit: float) -> Json:
        if self._process is None:
            raise InputError("the agent has no task yet; call reset first")
        return await self._process.call(step, message, time_limit)


def _message(obs: Observation, instruction: str, wants: ObservationSpec) -> Json:
    """Return the observation as OSWorld's agents get it, limited to what this one wants."""
    png = obs.png() if wants.screenshot else None
    return {
        "instruction": instruction,
        "screenshot": None if png is None else base64.b64encode(png).decode("ascii"),
        "accessibility_tree": obs.tree_xml if wants.tree else None,
        "terminal": obs.terminal,
    }


def _usage(response: JsonValue) -> Usage | None:
    """Tokens as the agent reports them; the cost of its model is unknown."""
    said = response.get("model_usage") if isinstance(response, dict) else None
    if not isinstance(said, dict):
        return None
    sent, received = said.get("prompt_tokens"), said.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(received, int) or min(sent, received) < 0:
        return None
    return Usage(input_tokens=sent, output_tokens=received, calls=1)
