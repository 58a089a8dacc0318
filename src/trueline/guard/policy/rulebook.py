"""The rules' own language: typed, and strict about what it does not know."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

from trueline.actions.facts import Effect
from trueline.guard.policy.example import Example, Screens
from trueline.guard.policy.screen.labels import Act
from trueline.guard.policy.secrets import SecretKind
from trueline.guard.policy.shell.command import Does
from trueline.records.verdict import Category

RuleEffect = Literal["forbid", "allow", "suspect"]
Place = Literal["terminal", "browser", "mail", "password", "document", "elsewhere", "unknown"]
RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Patterns = tuple[Annotated[str, StringConstraints(min_length=1, max_length=300)], ...]
