"""Typed options of the built-in guards, and their conversion to the engine's configuration and the record."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, ValidationInfo, field_validator

from trueline.errors import InputError, RequestError
from trueline.guard.config import MOST_HISTORY_SCREENSHOTS, GuardConfig, Mode, Unmatched, guard_setting
from trueline.guard.model_stages import FAST_CHECK, SYSTEMATIC
from trueline.guard.narrative import NARRATIVE
from trueline.guard.question import QUESTION
from trueline.models import Model
from trueline.models.prompt_files import hash_prompts
from trueline.models.specs import parse_spec
from trueline.records.base import Record
from trueline.records.setting import GuardSetting, Sampling

if TYPE_CHECKING:
    from trueline.guard.policy import PolicyStage
    from trueline.guard.registry import GuardTools
    from trueline.guard.scope.stage import ScopeStage

_FAST_EFFORT = "medium"
_NO_MODEL = ("", "none")


def _model_name(value: object) -> object:
    """The full name of a model, `provider|model`; `none` and the empty string skip its stage."""
    if not isinstance(value, str):
        return value
    if value.strip().casefold() in _NO_MODEL:
        return None
    try:
        return str(parse_spec(value))
    except InputError as error:
        raise ValueError(str(error)) from None


ModelName = Annotated[str | None, BeforeValidator(_model_name)]


class RuleOptions(Record):
    """Options of the policy stage."""

    rules: tuple[Path, ...] = ()
    """Files with your own rules (`.yaml`) or Cedar policies (`.cedar`; extra: cedar), added to the shipped ones."""
    classifier: bool = False
    """Tell the models which texts on the screen look injected (extra: classifier)."""
    ocr: bool = False
    """Read text from the screenshot where the tree names no target (extra: ocr)."""
    unmatched: Unmatched = "allow"
    """Without models: what to do with actions that no rule decides."""
    deadline: Annotated[float, Field(gt=0)] | None = None
    """Time limit of a check in seconds; then it is undecided."""
    scope: Literal["none", "strict", "evidence"] = "none"
    """Hold actions to what the task may touch: block what is outside, or tell the models."""
    scope_model: ModelName = None
    """Makes the scope from the instruction; rules do without it."""
    scope_file: Path | None = None
    """A scope written by hand, for every task (an oracle condition)."""

    @field_validator("scope_model", "scope_file")
    @classmethod
    def _check_scope(cls, value: object, info: ValidationInfo) -> object:
        if value is not None and info.data.get("scope") == "none":
            raise ValueError("requires scope strict or evidence")
        if value is not None and info.data.get("scope_model") is not None:
            raise ValueError("cannot be combined with scope_model")
        return value


class AnalysisOptions(Record):
    """Options of guards that ask a model about the action and the screen."""

    systematic_analysis_model: ModelName = None
    model_reasoning_effort: str | None = None
    """Reasoning effort of the systematic analysis."""
    annotate_actions: bool = True
    """Whether the action is drawn on the screenshot."""
    add_history_screenshots: bool = False
    """Whether the models see earlier screens."""
    narrative_summary_model: ModelName = None
    """Describes what executed steps did."""
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """Token limit of one answer; by default the limit of the model's client."""
    deadline: Annotated[float, Field(gt=0)] | None = None


class DeActionOptions(RuleOptions, AnalysisOptions):
    """Options of the whole guard."""

    no_policy: bool = False
    """Skip the policy stage."""
    fast_check_model: ModelName = None
    fast_check_reasoning_effort: str | None = None
    mode: Mode = "cost"
    """Ask the models in turn, or both at once; the verdicts are the same."""


def policy_stage(options: RuleOptions, *, shipped: bool = True) -> PolicyStage:
    """The policy stage with these rules; `shipped` rules are among them unless that is false.

    Raises:
        InputError: A file is missing or wrong.
        MissingExtraError: The injection classifier is wanted and not installed.
    """
    from trueline.guard.policy import load_policy

    return load_policy(options.rules, shipped=shipped, classifier=options.classifier)


def scope_stage(options: RuleOptions, tools: GuardTools, policy: PolicyStage | None = None) -> ScopeStage | None:
    """The scope stage with its maker; `None` if it is off.

    Raises:
        InputError: A file is missing or wrong, or the model or its key is missing.
    """
    if options.scope == "none":
        return None
    from trueline.guard.scope.files import read_scope_file
    from trueline.guard.scope.model_maker import ModelMaker
    from trueline.guard.scope.stage import GivenScope, ScopeStage, WordsMaker

    if options.scope_file is not None:
        maker = GivenScope(*read_scope_file(options.scope_file))
    elif options.scope_model is not None:
        maker = ModelMaker(tools.open_model(options.scope_model))
    else:
        maker = WordsMaker()
    asks = isinstance(options, DeActionOptions) and (options.fast_check_model or options.systematic_analysis_model)
    return ScopeStage(
        options.scope,
        maker,
        policy.read if policy else None,
        clears=not asks,
        marked=policy.rules.marked if policy else (),
    )


def engine_config(
    options: RuleOptions | AnalysisOptions, tools: GuardTools, policy: PolicyStage | None = None
) -> GuardConfig:
    """The engine's configuration, with the models opened.

    Raises:
        InputError: A model or its key is missing, or it does not take the effort that was chosen.
        MissingExtraError: OCR is wanted and not installed.
    """
    from trueline.guard.ocr import ScreenReader

    whole = DeActionOptions(**options.model_dump(exclude_unset=True))
    limit = {"max_tokens": whole.max_tokens}
    scope = scope_stage(options, tools, policy) if isinstance(options, RuleOptions) else None
    if policy is not None and scope is not None:
        policy.scope_of = scope.scope_of
    fast, systematic = tools.open_model(whole.fast_check_model), tools.open_model(whole.systematic_analysis_model)
    return GuardConfig(
        policy=policy,
        scope=scope,
        ocr=ScreenReader() if whole.ocr else None,
        fast=fast,
        systematic=systematic,
        mode=whole.mode,
        deadline=whole.deadline,
        unmatched=whole.unmatched,
        fast_sampling=_sampling(
            fast, "fast_check_reasoning_effort", whole.fast_check_reasoning_effort, _FAST_EFFORT
        ).model_copy(update=limit),
        systematic_sampling=_sampling(
            systematic, "model_reasoning_effort", whole.model_reasoning_effort, None
        ).model_copy(update=limit),
        history_screenshots=MOST_HISTORY_SCREENSHOTS if whole.add_history_screenshots else 0,
        annotate=whole.annotate_actions,
        key=tools.key,
    )


def record_setting(name: str, config: GuardConfig, policy: PolicyStage | None, narrator: Model | None) -> GuardSetting:
    """The whole configuration of a built-in guard, for the record of a run."""
    return guard_setting(
        config,
        name=name,
        policy=policy.digest if policy else None,
        classifier=policy.classifier_name if policy else None,
        narrative=narrator,
        scope=scope_name(config),
    )


def scope_name(config: GuardConfig) -> str | None:
    """Mode and maker of the scope stage."""
    stage = config.scope
    return None if stage is None else str(stage)


def verdict_setting(
    name: str,
    options: RuleOptions | AnalysisOptions | Record,
    config: GuardConfig,
    policy: PolicyStage | None = None,
    baseline_hashes: dict[str, str] | None = None,
) -> GuardSetting:
    """The options that shape verdicts, without those that only change their speed (mode, deadline).

    Args:
        name: The guard's.
        options: Its options.
        config: How the engine is set.
        policy: The policy stage; `None` without one.
        baseline_hashes: Hashes of the prompts that it has beside the engine's.
    """
    found: dict[str, JsonValue] = {}
    if isinstance(options, RuleOptions):
        found["unmatched"] = config.unmatched
        if policy is not None:
            reader = config.ocr.name if config.ocr else None
            found |= {"rules": policy.digest, "classifier": policy.classifier_name, "ocr": reader}
        found["scope"] = scope_name(config)
    asking = options if isinstance(options, AnalysisOptions) else None
    if asking is not None:
        hashes = prompt_hashes() | (baseline_hashes or {})
        found |= {
            "fast_effort": config.fast_sampling.reasoning_effort,
            "systematic_effort": config.systematic_sampling.reasoning_effort,
            "history_screenshots": config.history_screenshots,
            "annotate": config.annotate,
            "max_tokens": asking.max_tokens,
            "narrator": asking.narrative_summary_model,
            "prompts": hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()[:12],
        }
    return GuardSetting(
        name=name,
        fast_check_model=options.fast_check_model if isinstance(options, DeActionOptions) else None,
        systematic_analysis_model=asking.systematic_analysis_model if asking else None,
        narrative_summary_model=asking.narrative_summary_model if asking else None,
        options={key: value for key, value in found.items() if value is not None},
    )


def _sampling(model: Model | None, option: str, chosen: str | None, default: str | None) -> Sampling:
    """Sampling of a stage's model; a default effort is left out where the model takes none."""
    from trueline.models.families import fit_sampling

    asked = Sampling(reasoning_effort=chosen or default)
    if model is None:
        return asked
    fitted = fit_sampling(model.id, asked)
    if chosen and fitted.misfits:
        raise RequestError(f"`guard_options.{option}` {chosen}: {model.id} takes no reasoning effort; leave it out")
    return fitted.sampling


def prompt_hashes() -> dict[str, str]:
    """SHA-256 of each prompt file by name, for `Setting.prompts`."""
    return hash_prompts("trueline.guard", {*FAST_CHECK, *SYSTEMATIC, *NARRATIVE, QUESTION}, whole_file=True)
