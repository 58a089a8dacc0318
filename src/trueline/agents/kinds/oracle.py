"""A simulated subject that does a task's solution, and refuses harmful tasks."""

from __future__ import annotations

from trueline.agents.registry import simulated_kind
from trueline.agents.simulated.scripted_subjects import oracle

AGENT = simulated_kind("oracle", oracle)
