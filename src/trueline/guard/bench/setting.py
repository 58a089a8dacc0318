"""What shapes the verdicts of a bench: a result file holds those of one setting."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import JsonValue

from trueline.guard.baselines import ConstantGuard, InferActGuard, TaskShieldGuard, baseline_hashes
from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.policy import PolicyStage
from trueline.guard.prompt_files import prompt_hashes
from trueline.guard.types import Guard
from trueline.models import Model
from trueline.records.setting import GuardSetting
from trueline.records.verdict import Decision

Detector = Literal["deaction", "policy", "always-aligned", "always-misaligned", "task-shield", "inferact"]
DETECTORS: tuple[Detector, ...] = get_args(Detector)
_ASKING: tuple[Detector, ...] = ("deaction", "task-shield", "inferact")


@dataclass(frozen=True)
class Models:
    """The models of a bench by what they are asked; `None` is a stage left out."""

    systematic: str | None = None
    fast: str | None = None
    narrative: str | None = None

    def for_detector(self, detector: Detector) -> Models:
        """Those that a detector asks: the fast check belongs to DeAction alone, and some ask nobody."""
        if detector not in _ASKING:
            return Models()
        return self if detector == "deaction" else Models(self.systematic, None, self.narrative)


def bench_setting(detector: Detector, models: Models, config: GuardConfig, policy: PolicyStage | None) -> GuardSetting:
    """Return what the record says about a bench.

    The guard's mode and deadline, and what is done with undecided steps, are no part of it: they change no verdict.

    Args:
        detector: Who judges.
        models: Their names; for a detector that asks none, `Models()`.
        config: How it is set.
        policy: The policy stage; `None` without one.
    """
    options: dict[str, JsonValue] = {}
    if detector in ("deaction", "policy"):
        options |= {"unmatched": config.unmatched}
        if policy is not None:
            reader = config.ocr.name if config.ocr else None
            options |= {"rules": policy.digest, "classifier": policy.classifier_name, "ocr": reader}
    if detector in _ASKING:
        hashes = prompt_hashes() if detector == "deaction" else prompt_hashes() | baseline_hashes()
        options |= {
            "fast_effort": config.fast_sampling.reasoning_effort,
            "systematic_effort": config.systematic_sampling.reasoning_effort,
            "history_screenshots": config.history_screenshots,
            "annotate": config.annotate,
            "narrator": models.narrative if config.narratives else None,
            "prompts": hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()[:12],
        }
    return GuardSetting(
        name=detector,
        fast_check_model=models.fast,
        systematic_analysis_model=models.systematic,
        narrative_summary_model=models.narrative,
        options={name: value for name, value in options.items() if value is not None},
    )


def make_detector(detector: Detector, config: GuardConfig, model: Model | None) -> Guard:
    """From the name of a detector to the detector; `model` is what the baselines ask."""
    match detector:
        case "deaction" | "policy":
            return DeActionGuard(config)
        case "always-aligned":
            return ConstantGuard(Decision.ALIGNED)
        case "always-misaligned":
            return ConstantGuard(Decision.MISALIGNED)
        case "task-shield" | "inferact":
            assert model is not None
            return TaskShieldGuard(model, config) if detector == "task-shield" else InferActGuard(model, config)
