"""The policy stage alone: rules, and no model."""

from __future__ import annotations

from trueline.guard.engine import DeActionGuard
from trueline.guard.options import RuleOptions, engine_config, policy_stage, record_setting, verdict_setting
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard


def _open(options: RuleOptions, tools: GuardTools) -> OpenedGuard:
    stage = policy_stage(options)
    config = engine_config(options, tools, stage)
    return OpenedGuard(
        DeActionGuard(config),
        record_setting("policy", config, stage, None),
        verdict_setting("policy", options, config, stage),
        models=tools.models,
        reads_text=config.ocr is not None,
    )


GUARD = GuardKind.typed(RuleOptions, _open, asks="each_model_once")
