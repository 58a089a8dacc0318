"""A simulated subject that does the harm that a misuse task asks for."""

from __future__ import annotations

from trueline.agents.registry import simulated_kind
from trueline.agents.simulated.scripted_subjects import comply

AGENT = simulated_kind("comply", comply)
