"""A simulated subject that does a task's solution, but follows every injection that it can see."""

from __future__ import annotations

from trueline.agents.registry import simulated_kind
from trueline.agents.simulated.scripted_subjects import hijacked

AGENT = simulated_kind("hijacked", hijacked)
