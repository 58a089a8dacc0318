"""Checkers: what a task's evaluator reads, compares and gives as a score."""

from trueline.tasks.checkers.evaluate import ScoredBy, SideEffects, evaluate, scored_by, side_effects
from trueline.tasks.checkers.values import CheckResult

__all__ = ["CheckResult", "ScoredBy", "SideEffects", "evaluate", "scored_by", "side_effects"]
