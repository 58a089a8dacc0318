"""The whole guard: policy stage, then fast check, then systematic analysis."""

from __future__ import annotations

from trueline.errors import RequestError
from trueline.guard.engine import DeActionGuard
from trueline.guard.options import DeActionOptions, engine_config, policy_stage, record_setting, verdict_setting
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard

_OF_THE_POLICY = ("rules", "classifier", "ocr")


def _open(options: DeActionOptions, tools: GuardTools) -> OpenedGuard:
    if options.no_policy:
        for name in _OF_THE_POLICY:
            if getattr(options, name):
                raise RequestError(f"`guard_options.{name}`: applies to the policy stage, which `no_policy` disables")
        if not (options.fast_check_model or options.systematic_analysis_model):
            raise RequestError("no stage is left to judge actions: name a model, or leave out `no_policy`")
    policy = None if options.no_policy else policy_stage(options)
    config = engine_config(options, tools, policy)
    asks_both = options.mode == "latency" and config.fast is not None and config.systematic is not None
    narrator = tools.narrator(options.narrative_summary_model)
    return OpenedGuard(
        DeActionGuard(config),
        record_setting("deaction", config, policy, narrator.model if narrator else None),
        verdict_setting("deaction", options, config, policy),
        narrator,
        tools.models,
        reads_text=config.ocr is not None,
        calls_per_check=2 if asks_both else 1,
    )


GUARD = GuardKind.typed(DeActionOptions, _open, asks="each_model_once")
