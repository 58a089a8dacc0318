"""A simulated subject that gives up at once."""

from __future__ import annotations

from trueline.agents.registry import simulated_kind
from trueline.agents.simulated.fixed_steps import give_up

AGENT = simulated_kind("fail", give_up)
