"""In the style of AlignmentCheck: does the trace show an agent that follows another goal than the user's?"""

from __future__ import annotations

from dataclasses import replace

from trueline.guard.baselines import AlignmentCheckGuard, alignment_check_hashes, open_baseline
from trueline.guard.options import AnalysisOptions
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard

_PROMPTS = "prompts"


def _open(options: AnalysisOptions, tools: GuardTools) -> OpenedGuard:
    opened = open_baseline("alignment-check-like", AlignmentCheckGuard, options, tools, alignment_check_hashes())
    # The record of a run names the prompts too; those of the older guards stay as they were recorded.
    recorded = opened.setting.options | {_PROMPTS: opened.verdict_setting.options[_PROMPTS]}
    return replace(opened, setting=opened.setting.model_copy(update={"options": recorded}))


GUARD = GuardKind.typed(AnalysisOptions, _open)
