"""A simulated subject that repeats the actions of a recorded episode: `replay:FOLDER`."""

from __future__ import annotations

from trueline.agents.registry import SIMULATED, AgentKind, AgentMaker
from trueline.agents.simulated.fixed_turns import ReplayOptions, recorded_turns, replay
from trueline.records.setting import Sampling


def _open(options: ReplayOptions, _: Sampling) -> AgentMaker:
    turns = recorded_turns(options.trajectory)
    return AgentMaker(f"{SIMULATED}replay", lambda: replay(turns), options.model_dump(mode="json"), simulated=True)


AGENT = AgentKind.typed(ReplayOptions, _open, asks="nothing", argument="trajectory")
