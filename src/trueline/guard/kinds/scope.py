"""The scope stage alone: no rules and no model."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from trueline.guard.engine import DeActionGuard
from trueline.guard.options import ModelName, RuleOptions, engine_config, policy_stage, record_setting, verdict_setting
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard


class ScopeOptions(RuleOptions):
    """Options of the scope stage; it is strict by default."""

    scope: Literal["none", "strict", "evidence"] = "strict"
    scope_model: ModelName = None
    scope_file: Path | None = None


def _open(options: ScopeOptions, tools: GuardTools) -> OpenedGuard:
    stage = policy_stage(options, shipped=False)
    config = engine_config(options, tools, stage)
    return OpenedGuard(
        DeActionGuard(config),
        record_setting("scope", config, stage, None),
        verdict_setting("scope", options, config, stage),
        models=tools.models,
        reads_text=config.ocr is not None,
    )


GUARD = GuardKind.typed(ScopeOptions, _open, asks="each_model_once")
