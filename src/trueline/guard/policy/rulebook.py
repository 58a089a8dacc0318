"""The language of rules: typed, and unknown keys are errors."""

from __future__ import annotations

import os
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from trueline.actions.facts import Effect
from trueline.actions.shell.command import Access, Does
from trueline.errors import InputError
from trueline.guard.policy.example import Example, Screens
from trueline.guard.policy.operations import Way
from trueline.guard.policy.screen.labels import Act
from trueline.guard.policy.secrets import SHORTEST_MARKED, Marked, SecretKind
from trueline.guard.policy.strict_model import StrictModel
from trueline.records.verdict import Category

RuleEffect = Literal["forbid", "allow", "suspect"]
Place = Literal["terminal", "browser", "mail", "password", "document", "elsewhere", "unknown"]
RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Pattern = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Patterns = tuple[Pattern, ...]


class CommandWhen(StrictModel):
    """Condition on a shell command. All given keys must match, each with one entry of its list."""

    does: tuple[Does, ...] = ()
    program: Patterns = ()
    program_not: Patterns = ()
    argument: Patterns = ()
    """Of the program's arguments."""
    line: Patterns = ()
    """The program with all of its arguments."""
    whole: Patterns = ()
    """Folders that are touched as a whole: the folder itself, `folder/*`, or a parent."""
    path: Patterns = ()
    path_not: Patterns = ()
    access: tuple[Access, ...] = ()
    """How the path of `path` is accessed."""
    host: Patterns = ()
    host_not: Patterns = ()
    """The command names a host that matches none of these."""
    unseen: bool = False
    """Also decide lines entered with unknown focus."""


class PressWhen(StrictModel):
    """An element is clicked or activated by a key."""

    act: tuple[Act, ...] = ()
    """The meaning of its label."""
    label: Patterns = ()
    role: Patterns = ()
    window: Patterns = ()
    app: Patterns = ()
    dialog: Patterns = ()
    many: bool | None = None
    """Everything was selected before."""


class TextWhen(StrictModel):
    """A text is typed or pasted."""

    secret: tuple[SecretKind, ...] = ()
    matches: Patterns = ()
    into: tuple[Place, ...] = ()
    field: Patterns = ()
    """Names of fields."""


class OpenWhen(StrictModel):
    """An address is visited."""

    by: tuple[Way, ...] = ()
    host: Patterns = ()
    host_not: Patterns = ()
    matches: Patterns = ()
    carries: tuple[SecretKind, ...] = ()
    """Secrets in the address itself."""


class RecipientWhen(StrictModel):
    """Something is addressed to somebody."""

    address: Patterns = ()
    address_not: Patterns = ()
    sent: bool | None = None
    """Only when it is sent, not when the field is filled in."""


class EndWhen(StrictModel):
    """The agent ends the episode."""

    kind: tuple[Literal["done", "fail", "call_user"], ...] = ()
    before_step: int | None = None


class ScreenWhen(StrictModel):
    """Text on the screen, in any element."""

    matches: Patterns


class When(StrictModel):
    """The condition of a rule: exactly one of these."""

    command: CommandWhen | None = None
    press: PressWhen | None = None
    text: TextWhen | None = None
    open: OpenWhen | None = None
    recipient: RecipientWhen | None = None
    end: EndWhen | None = None
    screen: ScreenWhen | None = None
    effect: tuple[Effect, ...] | None = None
    """Anything with one of these effects."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one of {', '.join(type(self).model_fields)} must be given")
        return self


class Unless(StrictModel):
    """An exception from a rule: all given conditions must hold."""

    asked: tuple[str, ...] = ()
    """The instruction contains a word of one of these word groups."""
    named: bool | None = None
    """The instruction names the path, host, address or text itself."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.asked and self.named is None:
            raise ValueError("needs asked or named")
        return self


class Rule(StrictModel):
    """One rule."""

    id: RuleId
    description: str
    effect: RuleEffect
    category: Category = Category.UNINTENDED_HARM
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0
    """An allow outranks a forbid only if its priority is higher."""
    domains: Patterns = ()
    """The rule applies in these domains only; empty means everywhere."""
    when: When
    unless: tuple[Unless, ...] = ()
    """One of these is enough."""
    more_than: Annotated[int, Field(ge=1)] | None = None
    """A budget: the rule applies once it matched more often than this in the episode."""
    wrong: str = ""
    """Feedback for the agent; the description if empty."""
    instead: str | None = None
    examples: tuple[Example, ...] = ()


class Secret(StrictModel):
    """A value that must not be typed where a rule says so."""

    name: str
    value: Annotated[str, StringConstraints(min_length=SHORTEST_MARKED)] | None = None
    env: str | None = None
    """The environment variable that holds it, so that the file need not."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.value is None) == (self.env is None):
            raise ValueError("needs either value or env")
        return self

    def marked(self) -> Marked:
        """The value.

        Raises:
            InputError: The variable is not set, or holds too little to be told from other text.
        """
        if self.env is None:
            return Marked(self.name, self.value or "")
        value = os.environ.get(self.env, "")
        if len(value) < SHORTEST_MARKED:
            raise InputError(
                f"the environment variable {self.env} is not set to at least {SHORTEST_MARKED} characters, so "
                f"{self.name!r} would not be protected; set it, or remove the entry"
            )
        return Marked(self.name, value)


class RuleFile(StrictModel):
    """A file of rules."""

    description: str = ""
    domains: Patterns = ()
    """All rules of this file apply in these domains only."""
    words: dict[str, Patterns] = Field(default_factory=dict[str, Patterns])
    """Groups of words by which an instruction asks for something: words with `*`, or phrases."""
    secrets: tuple[Secret, ...] = ()
    disable: tuple[RuleId, ...] = ()
    """Rules of earlier files to switch off."""
    screens: Screens = Field(default_factory=dict)
    """Screens that the examples share."""
    rules: tuple[Rule, ...] = ()
