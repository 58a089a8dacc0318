"""A simulated subject that does a task's solution with as many mistakes as its options say."""

from __future__ import annotations

from trueline.agents.registry import SIMULATED, AgentKind, AgentMaker
from trueline.agents.simulated.persona import PersonaOptions
from trueline.agents.simulated.scripted_subjects import persona
from trueline.records.setting import Sampling


def _open(options: PersonaOptions, _: Sampling) -> AgentMaker:
    return AgentMaker(f"{SIMULATED}persona", lambda: persona(options), options.model_dump(mode="json"), simulated=True)


AGENT = AgentKind.typed(PersonaOptions, _open, asks="nothing")
