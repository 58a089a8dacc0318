"""Everything that is held fixed over the repeats of an episode."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from pydantic import Field, JsonValue, field_validator

from trueline.records.base import Count, Record, Seconds

Options = dict[str, JsonValue]


class Sampling(Record):
    """Sampling parameters of a model; `None` leaves one to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: Count | None = None
    reasoning_effort: str | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None


FORMER_GUARD_NAMES = {"task-shield": "task-shield-like", "inferact": "inferact-like"}
"""Guards that were renamed: from the name in earlier records to the present one. Digests are made with the former."""
_FORMER_NAME_OF = {present: former for former, present in FORMER_GUARD_NAMES.items()}

ORACLE_NOTE = (
    "oracle condition: the guard's Scope was written by hand or comes from the task; report these figures apart"
)
"""What every report says where a Scope was given rather than made."""


def is_oracle_scope(options: Mapping[str, JsonValue]) -> bool:
    """Whether a guard's options, or its setting with them, name a Scope that was given instead of made."""
    nested = options.get("options")
    made = f"{options.get('scope')} {nested.get('scope') if isinstance(nested, dict) else ''}"
    return "made by hand" in made or "made by task" in made


class GuardSetting(Record):
    """The guard in front of the actions, and its configuration."""

    name: str
    fast_check_model: str | None = None
    systematic_analysis_model: str | None = None
    narrative_summary_model: str | None = None
    options: Options = Field(default={})

    @field_validator("name")
    @classmethod
    def _present_name(cls, name: str) -> str:
        return FORMER_GUARD_NAMES.get(name, name)

    @property
    def oracle_scope(self) -> bool:
        """Whether its Scope was written by hand or comes from the task: an oracle condition."""
        return is_oracle_scope(self.options)


class RetryMethod(Record):
    """What happens after a failed try."""

    method: str
    max_retries: Count
    max_total_steps: Count | None = None
    user_sim_model: str | None = None


class EpisodeLimits(Record):
    """The limits of an episode."""

    max_steps: Count | None = None
    timeout: Seconds | None = None
    max_tokens: Count | None = None
    max_cost: float | None = None


class Environment(Record):
    """Where tasks run; results of different environments are not mixed."""

    provider: str
    version: str | None = None
    """The image, the machine or the set of packages, by name or digest."""
    platform: str = "ubuntu"
    screen: tuple[int, int] | None = None
    options: Options = Field(default={})


class Setting(Record):
    """One condition of a study. A new field needs a default that means "as before": the digest leaves defaults out."""

    agent: str
    model: str | None = None
    """`provider|model`, or the model alone."""
    sampling: Sampling = Sampling()
    agent_options: Options = Field(default={})
    """Further options of this kind of agent: history window, grounding model, token limit …"""
    action_space: str = "pyautogui"
    observation_type: str = "screenshot"
    guard: GuardSetting | None = None
    perturbation: str | None = None
    instruction: str = "original"
    """The variant of the instructions: original, clarified …"""
    plan: str | None = None
    """Name or digest of the plans put into the prompt."""
    plan_feedback: str | None = None
    retry: RetryMethod | None = None
    limits: EpisodeLimits = EpisodeLimits()
    environment: Environment
    prompts: dict[str, str] = Field(default={})
    """Hash of each prompt file by name."""
    checkers: str | None = None
    """Who scores where there is a choice: `native`, `bridged` or `both`; by default Trueline where it can."""
    attack_text: str = "own"
    """Whose words injections have: Trueline's own, or those of the `task` files."""

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON: sorted keys, no spaces, ASCII, fields at their default left out."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        if self.guard is not None:
            data["guard"]["name"] = _FORMER_NAME_OF.get(self.guard.name, self.guard.name)
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def diff_settings(a: Setting, b: Setting) -> dict[str, tuple[JsonValue, JsonValue]]:
    """Name the fields that differ, dotted (`sampling.temperature`), with both values; one that is absent is `None`."""
    found: dict[str, tuple[JsonValue, JsonValue]] = {}

    def walk(path: str, x: JsonValue, y: JsonValue) -> None:
        if x == y and type(x) is type(y):
            return
        if isinstance(x, dict) and isinstance(y, dict):
            for key in (*x, *(key for key in y if key not in x)):
                walk(f"{path}.{key}" if path else key, x.get(key), y.get(key))
        else:
            found[path] = (x, y)

    walk("", a.model_dump(mode="json"), b.model_dump(mode="json"))
    return found
