"""In the style of AlignmentCheck: does the trace show an agent that follows another goal than the user's?"""

from __future__ import annotations

from trueline.guard.baselines import AlignmentCheckGuard, alignment_check_hashes, open_baseline
from trueline.guard.options import AnalysisOptions
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard


def _open(options: AnalysisOptions, tools: GuardTools) -> OpenedGuard:
    return open_baseline("alignment-check-like", AlignmentCheckGuard, options, tools, alignment_check_hashes())


GUARD = GuardKind.typed(AnalysisOptions, _open)
