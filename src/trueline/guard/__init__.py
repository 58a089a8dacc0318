"""Judge each proposal before it runs: policy stage, fast check, systematic analysis."""

from trueline.guard.config import GuardConfig, guard_setting
from trueline.guard.engine import DeActionGuard
from trueline.guard.guarded import Blocked, guard_actions, guarded
from trueline.guard.narrative import BackgroundNarrator, Narrator
from trueline.guard.options import prompt_hashes
from trueline.guard.session import Session
from trueline.guard.types import Guard, GuardContext, PastStep, Rejection, StageCheck
from trueline.guard.verdicts import Enforcement, enforce, extra_spend, usage_of
from trueline.models.prompt_fence import STORED_KEY

__all__ = [
    "STORED_KEY",
    "BackgroundNarrator",
    "Blocked",
    "DeActionGuard",
    "Enforcement",
    "Guard",
    "GuardConfig",
    "GuardContext",
    "Narrator",
    "PastStep",
    "Rejection",
    "Session",
    "StageCheck",
    "enforce",
    "extra_spend",
    "guard_actions",
    "guard_setting",
    "guarded",
    "prompt_hashes",
    "usage_of",
]
