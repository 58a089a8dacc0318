"""A simulated subject that waits until a limit ends the episode."""

from __future__ import annotations

from trueline.agents.registry import simulated_kind
from trueline.agents.simulated.fixed_steps import noop

AGENT = simulated_kind("noop", noop)
