"""Checkers: reading the end state (getters), comparing it (metrics) and scoring it."""

from trueline.tasks.checkers.evaluate import evaluate, scored_by, side_effects
from trueline.tasks.checkers.values import CheckResult

__all__ = ["CheckResult", "evaluate", "scored_by", "side_effects"]
