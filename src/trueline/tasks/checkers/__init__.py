"""Checkers: what a task's evaluator reads, compares and gives as a score."""

from trueline.tasks.checkers.evaluate import ScoredBy, evaluate, scored_by
from trueline.tasks.checkers.values import Outcome

__all__ = ["Outcome", "ScoredBy", "evaluate", "scored_by"]
