"""Guard configuration."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.guard.ocr import ScreenReader
from trueline.guard.types import StageCheck
from trueline.models import ImagePolicy, Model
from trueline.records.setting import GuardSetting, Sampling

Mode = Literal["cost", "latency"]
OnError = Literal["block", "allow", "ask"]
Unmatched = Literal["allow", "block"]

MOST_HISTORY_SCREENSHOTS = 100


@dataclass(frozen=True)
class GuardConfig:
    """The stages of the guard and their options. A stage that is None is left out."""

    policy: StageCheck | None = None
    scope: StageCheck | None = None
    """Holds proposals to the Scope of the task, after the policy stage."""
    ocr: ScreenReader | None = None
    """Reads text for the policy stage where the tree does not name an action's target."""
    fast: Model | None = None
    """Clears what is obviously aligned. Without a systematic model its answer decides."""
    systematic: Model | None = None
    mode: Mode = "cost"
    """`cost` asks one model after the other, `latency` both at once; the verdicts are the same."""
    deadline: float | None = None
    """Seconds for the whole check; afterwards it is undecided."""
    on_error: OnError = "block"
    """What to do with an undecided proposal."""
    unmatched: Unmatched = "allow"
    """Without any model: what to do with a proposal that no rule decides."""
    fast_sampling: Sampling = field(default_factory=Sampling)
    systematic_sampling: Sampling = field(default_factory=Sampling)
    images: ImagePolicy = field(default_factory=ImagePolicy)
    history_screenshots: int = 0
    """How many earlier screens the models see, the latest."""
    annotate: bool = True
    """Whether the proposal is drawn on the screen that the models see."""
    narratives: bool = True
    """Whether the models are told what earlier steps did."""
    thoughts: bool = False
    """Whether the models see the agent's thought; it may repeat what deceived the agent."""
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Decides seals and the look of marks. Secret by default; `STORED_KEY` makes questions repeatable, for a cache."""

    def __post_init__(self) -> None:
        if self.deadline is not None and not self.deadline > 0:
            raise InputError(f"the guard's deadline must be more than 0 s, not {self.deadline:g}")
        if not 0 <= self.history_screenshots <= MOST_HISTORY_SCREENSHOTS:
            raise InputError(
                f"history_screenshots must be from 0 to {MOST_HISTORY_SCREENSHOTS}, not {self.history_screenshots}"
            )


def guard_setting(
    config: GuardConfig,
    *,
    name: str = "deaction",
    policy: str | None = None,
    classifier: str | None = None,
    narrative: Model | None = None,
    scope: str | None = None,
) -> GuardSetting:
    """Return the guard's setting for the record.

    Args:
        config: The guard's.
        name: What the guard is called.
        policy: Name or digest of the rules in force.
        classifier: Name of the policy stage's injection classifier.
        narrative: The model that tells what steps did.
        scope: Mode and maker of the scope stage.
    """
    options: dict[str, JsonValue] = {
        "policy": policy or ("unnamed" if config.policy else None),
        "classifier": classifier,
        "mode": config.mode,
        "deadline": config.deadline,
        "on_error": config.on_error,
        "unmatched": config.unmatched,
        "fast_sampling": config.fast_sampling.model_dump(mode="json", exclude_defaults=True),
        "systematic_sampling": config.systematic_sampling.model_dump(mode="json", exclude_defaults=True),
        "images": config.images.model_dump(mode="json", exclude_defaults=True),
        "history_screenshots": config.history_screenshots,
        "annotate": config.annotate,
        "narratives": config.narratives,
        "thoughts": config.thoughts,
        **({"ocr": config.ocr.name} if config.ocr else {}),
        **({"scope": scope or "unnamed"} if config.scope else {}),
    }
    return GuardSetting(
        name=name,
        fast_check_model=_name(config.fast),
        systematic_analysis_model=_name(config.systematic),
        narrative_summary_model=_name(narrative),
        options=options,
    )


def _name(model: Model | None) -> str | None:
    return None if model is None else str(model.id)
