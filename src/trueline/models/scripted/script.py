"""The file of a scripted model: rules that are tried in order, and what each of them answers."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, ValidationError, model_validator

from trueline.errors import InputError
from trueline.models.types import Frozen, Json, Purpose, Stop
from trueline.records.usage import Usage
from trueline.validation import describe_validation_error

FORMATS = (".toml", ".json")

ErrorName = Literal["rate_limited", "server", "connection", "timeout", "malformed", "rejected", "auth"]
"""The faults of a provider that a rule can play."""


class ScriptError(InputError):
    """The file of a scripted model is wrong."""


class UnmatchedError(InputError):
    """No rule of the file answers a request."""


def _as_list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _checked_regex(value: str) -> str:
    try:
        re.compile(value)
    except re.error as e:
        raise ValueError(f"must be a regular expression: {e}") from None
    return value


Positive = Annotated[int, Field(ge=1)]
Regex = Annotated[str, AfterValidator(_checked_regex)]


class RuleCondition(Frozen):
    """Conditions that a request must meet for a rule to apply; all that are given must hold."""

    purpose: Annotated[tuple[Purpose, ...], BeforeValidator(_as_list)] = ()
    """One of these."""
    stage: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = ()
    """One of these."""
    text: str = ""
    """A text that the last message contains."""
    text_regex: Regex = ""
    """A pattern that is found in the last message."""
    system: str = ""
    """A text that the system prompt contains."""
    system_regex: Regex = ""
    """A pattern that is found in the system prompt."""
    images: Annotated[int, Field(ge=0)] | None = None
    """The request has exactly this many images."""
    call: Annotated[tuple[Positive, ...], BeforeValidator(_as_list)] = ()
    """Numbers of calls within their episode, counted from 1 over all rules."""
    sample: Annotated[int, Field(ge=0)] | None = None
    """The request's sample number."""


class ScriptedCall(Frozen):
    """A call of a tool."""

    name: str
    arguments: Json = Field(default={})


class ScriptedAnswer(Frozen):
    """What a rule answers: a text, JSON or calls of tools; or what goes wrong instead."""

    text: str | None = None
    data: Annotated[JsonValue, Field(alias="json")] = None
    """The answer as JSON; checked against the request's schema like any model's."""
    calls: tuple[ScriptedCall, ...] = ()
    reasoning: str = ""
    stop: Stop | None = None
    """Why the model stops; `length` plays a truncated answer. By default it follows from the rest."""
    refusal: str = ""
    """The model refuses, in these words."""
    usage: Usage = Usage(calls=1, cost=0.0)
    delay_s: Annotated[float, Field(ge=0)] = 0.0
    """Seconds before the answer arrives."""
    error: ErrorName | None = None
    """The error to raise instead of an answer."""
    message: str = ""
    """Message of the error."""
    status: int | None = None
    """HTTP status of the error."""
    retry_after_s: float | None = None
    """How long the provider asks to wait."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        said = [name for name in ("text", "json", "calls", "refusal", "stop") if self._says(name)]
        if self.error and said:
            raise ValueError(f"error and {said[0]} exclude each other")
        if "text" in said and "json" in said:
            raise ValueError("text and json exclude each other")
        if not self.error and not said:
            raise ValueError("is empty: give text, json, calls, refusal, stop or error")
        return self

    def _says(self, name: str) -> bool:
        return bool(self.model_fields_set & {"data" if name == "json" else name})


class ScriptRule(Frozen):
    """When to answer what."""

    name: str = ""
    """A comment for readers of the file."""
    when: RuleCondition = RuleCondition()
    """When the rule applies; by default always."""
    answer: ScriptedAnswer | None = None
    """The answer, each time the rule fits."""
    answers: tuple[ScriptedAnswer, ...] = ()
    """Several answers, given one after the other within an episode; then the rule no longer fits."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.answer is None) == (not self.answers):
            raise ValueError("give either answer or answers")
        return self


class Script(Frozen):
    """The whole file."""

    about: str = ""
    """A comment for readers of the file."""
    rules: Annotated[tuple[ScriptRule, ...], Field(min_length=1)]


def read_script(data: bytes, name: str) -> Script:
    """Read a script; the end of its name says whether it is TOML or JSON.

    Raises:
        ScriptError: One line with the file, the key and what was expected.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ScriptError(f"{name}: the name of a script must end in {' or '.join(FORMATS)}")
    try:
        text = data.decode("utf-8")
        content: JsonValue = tomllib.loads(text) if suffix == ".toml" else json.loads(text)
    except (ValueError, RecursionError) as e:
        raise ScriptError(f"{name}: invalid {suffix.removeprefix('.').upper()}: {e}") from None
    try:
        return Script.model_validate(content)
    except ValidationError as e:
        raise ScriptError(f"{name}: {describe_validation_error(e, whole='the file', model=Script)}") from None
