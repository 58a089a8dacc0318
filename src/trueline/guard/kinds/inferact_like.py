"""In the style of InferAct: is the goal inferred from the behaviour one that the user could have?"""

from __future__ import annotations

from trueline.guard.baselines import InferActGuard, baseline_hashes, open_baseline
from trueline.guard.options import AnalysisOptions
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard


def _open(options: AnalysisOptions, tools: GuardTools) -> OpenedGuard:
    return open_baseline("inferact-like", InferActGuard, options, tools, baseline_hashes())


GUARD = GuardKind.typed(AnalysisOptions, _open)
