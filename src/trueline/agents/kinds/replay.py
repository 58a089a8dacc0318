"""A simulated subject that repeats the actions of a recorded episode: `replay:FOLDER`."""

from __future__ import annotations

from trueline.agents.registry import SIMULATED, AgentKind, AgentMaker
from trueline.agents.simulated.fixed_steps import ReplayOptions, recorded_steps, replay
from trueline.records.setting import Sampling


def _open(options: ReplayOptions, _: Sampling) -> AgentMaker:
    steps = recorded_steps(options.trajectory)
    return AgentMaker(f"{SIMULATED}replay", lambda: replay(steps), options.model_dump(mode="json"), simulated=True)


AGENT = AgentKind.typed(ReplayOptions, _open, asks="nothing", argument="trajectory")
