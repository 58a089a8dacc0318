"""Which sampling parameters a model takes, from a table of model families, and how a request is fitted to that."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

from trueline.models.errors import UnsupportedError
from trueline.models.providers import PROVIDERS
from trueline.models.types import ModelId
from trueline.records.setting import Sampling

Parameter = Literal["temperature", "top_p"]

_BEDROCK = re.compile(r"^(?:.*[./])?anthropic\.(?=claude)")


class Family(BaseModel):
    """What the models of one family take. The fields are explained at the top of families.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    name: str
    models: tuple[str, ...] = ()
    fixed: Mapping[Parameter, float] = {}
    free_at_effort: str | None = None
    one_of: tuple[Parameter, ...] = ()
    max_temperature: float | None = None
    limit: Literal["max_completion_tokens"] | None = None
    stop: bool = True
    effort: bool = True
    thinking: Mapping[Parameter, float] = {}

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches the names of its models."""
        return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(self.models)})(?![a-z0-9.])")

    def fixed_for(self, effort: str | None) -> Mapping[Parameter, float]:
        """Return the parameters that cannot be chosen with this reasoning effort, each with its only value."""
        if self.free_at_effort is not None and effort == self.free_at_effort:
            return {}
        return {**self.fixed, **(self.thinking if effort not in (None, "none") else {})}


UNKNOWN = Family(name="unknown")
"""The family of a model that is in none: it is sent what was asked for."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    family: tuple[Family, ...]


@cache
def _families() -> tuple[Family, ...]:
    text = resources.files("trueline.models").joinpath("families.toml").read_text(encoding="utf-8")
    return _Table.model_validate(tomllib.loads(text)).family


@cache
def family_of(provider: str, model: str) -> Family:
    """Return the family of a model.

    Prefixes of gateways (`openai/`), of Bedrock (`us.anthropic.`) and of fine-tuned models (`ft:`) do not matter. A
    deployment on Azure has any name: one that contains the name of a model counts as that model.
    """
    name = _BEDROCK.sub("", model.lower()).rpartition("/")[2].removeprefix("ft:")
    deployments = provider in PROVIDERS and PROVIDERS.find(provider).deployments
    for family in _families():
        found = family.pattern.search(name) if deployments else family.pattern.match(name)
        if found:
            return family
    return UNKNOWN


@dataclass(frozen=True)
class Misfit:
    """A parameter that was asked for and that the model does not take."""

    parameter: str
    value: object
    reason: str
    """What the model takes instead, as the end of a sentence: `only 1`."""

    def __str__(self) -> str:
        """Show it in one line."""
        return f"{self.parameter} {self.value} ({self.reason})"


@dataclass(frozen=True)
class Fitted:
    """A sampling as a model takes it."""

    sampling: Sampling
    misfits: tuple[Misfit, ...] = ()
    """What was left out although its value is not the model's own: it makes a difference."""
    unsent: Mapping[str, object] = field(default_factory=dict[str, object])
    """Everything that was left out, by name, with the value that was asked for."""


def fit_sampling(model: ModelId, asked: Sampling, defaults: Collection[str] = ()) -> Fitted:
    """Leave out what a model does not take.

    Args:
        model: The model.
        asked: How it is to answer.
        defaults: Names of the fields of `asked` that nobody chose; between parameters that exclude each other, a
            chosen one stays.
    """
    family = family_of(model.provider, model.model)
    misfits: list[Misfit] = []
    unsent: dict[str, object] = {}

    def leave_out(name: str, value: object, reason: str = "") -> None:
        unsent[name] = value
        if reason:
            misfits.append(Misfit(name, value, reason))

    effort = asked.reasoning_effort
    if effort is not None and not family.effort:
        leave_out("reasoning_effort", effort, "" if effort == "none" else "the model does not support it")
    for name, only in family.fixed_for(effort).items():
        value = getattr(asked, name)
        if value is not None:
            free = f", or any with reasoning effort {family.free_at_effort}" if family.free_at_effort else ""
            leave_out(name, value, "" if value == only else f"the model works with {only:g} only{free}")
    highest = family.max_temperature
    if highest is not None and asked.temperature is not None and asked.temperature > highest:
        leave_out("temperature", asked.temperature, f"the highest of the model is {highest:g}")
    rivals = [name for name in family.one_of if getattr(asked, name) is not None and name not in unsent]
    # A chosen one before a default, then in the family's order; but 1 is what the model does without being told.
    rivals.sort(key=lambda name: (name in defaults, name not in defaults and getattr(asked, name) == 1))
    for name in rivals[1:]:
        reason = f"the model takes only one of {' and '.join(family.one_of)}"
        leave_out(name, getattr(asked, name), "" if getattr(asked, name) == 1 else reason)
    return Fitted(asked.model_copy(update=dict.fromkeys(unsent)), tuple(misfits), unsent)


def require_fitting(model: ModelId, asked: Sampling) -> Sampling:
    """Return the sampling as it is sent: a value that is the model's own is left out.

    Raises:
        UnsupportedError: A value is one that the model does not take.
    """
    effort = asked.reasoning_effort
    fitted = fit_sampling(model, asked)
    # An effort is left to the server: which models reason changes more often than this table.
    misfits = [misfit for misfit in fitted.misfits if misfit.parameter != "reasoning_effort"]
    if misfits:
        raise UnsupportedError(f"{model} does not take {'; '.join(map(str, misfits))}; leave it out")
    return fitted.sampling.model_copy(update={"reasoning_effort": effort})
