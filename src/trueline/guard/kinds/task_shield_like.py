"""In the style of Task Shield: does the action contribute to what the user wants?"""

from __future__ import annotations

from trueline.guard.baselines import TaskShieldGuard, baseline_hashes, open_baseline
from trueline.guard.options import AnalysisOptions
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard


def _open(options: AnalysisOptions, tools: GuardTools) -> OpenedGuard:
    return open_baseline("task-shield-like", TaskShieldGuard, options, tools, baseline_hashes())


GUARD = GuardKind.typed(AnalysisOptions, _open)
