"""Judge each proposal before it runs: policy stage, fast check, systematic analysis."""

from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.guarded import Blocked, guard_actions, guarded
from trueline.guard.session import Session
from trueline.guard.stages import enforce
from trueline.guard.types import GuardContext

__all__ = [
    "Blocked",
    "DeActionGuard",
    "GuardConfig",
    "GuardContext",
    "Session",
    "enforce",
    "guard_actions",
    "guarded",
]
