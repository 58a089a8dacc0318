"""Judge each proposal before it runs: policy stage, fast check, systematic analysis."""

from trueline.guard.config import GuardConfig, guard_setting
from trueline.guard.engine import DeActionGuard
from trueline.guard.guarded import Blocked, guard_actions, guarded
from trueline.guard.narrative import Narrator
from trueline.guard.session import Session
from trueline.guard.stages import enforce
from trueline.guard.types import Guard, GuardContext, PastStep

__all__ = [
    "Blocked",
    "DeActionGuard",
    "Guard",
    "GuardConfig",
    "GuardContext",
    "Narrator",
    "PastStep",
    "Session",
    "enforce",
    "guard_actions",
    "guard_setting",
    "guarded",
]
