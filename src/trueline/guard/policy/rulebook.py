"""The rules' own language: typed, and strict about what it does not know."""

from __future__ import annotations

import os
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from trueline.actions.facts import Effect
from trueline.errors import InputError
from trueline.guard.policy.example import Example, Screens
from trueline.guard.policy.operations import Way
from trueline.guard.policy.screen.labels import Act
from trueline.guard.policy.secrets import SHORTEST_MARKED, Marked, SecretKind
from trueline.guard.policy.shell.command import Does
from trueline.guard.policy.strict_model import StrictModel
from trueline.records.verdict import Category

RuleEffect = Literal["forbid", "allow", "suspect"]
Place = Literal["terminal", "browser", "mail", "password", "document", "elsewhere", "unknown"]
RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Pattern = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Patterns = tuple[Pattern, ...]


class CommandWhen(StrictModel):
    """A shell command. Of each list one entry must fit, and all keys that are given must."""

    does: tuple[Does, ...] = ()
    program: Patterns = ()
    program_not: Patterns = ()
    argument: Patterns = ()
    """Of the program's arguments."""
    whole: Patterns = ()
    """Folders of which all is touched: the folder itself, `folder/*`, or one above it."""
    path: Patterns = ()
    path_not: Patterns = ()
    host: Patterns = ()
    host_not: Patterns = ()
    """A host is named that fits none of these."""
    unseen: bool = False
    """It also decides over a line that is entered while nothing says what has the keyboard."""


class PressWhen(StrictModel):
    """An element is clicked or activated by a key."""

    act: tuple[Act, ...] = ()
    """What its label means."""
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
    """Sending, not only filling in."""


class EndWhen(StrictModel):
    """The agent ends the episode."""

    kind: tuple[Literal["done", "fail", "call_user"], ...] = ()
    before_step: int | None = None


class ScreenWhen(StrictModel):
    """Something stands on the screen, in any element."""

    matches: Patterns


class When(StrictModel):
    """What a rule is about: exactly one of these."""

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
    """When a rule does not hold: all that is given must be so."""

    asked: tuple[str, ...] = ()
    """The instruction speaks of it: names of word groups."""
    named: bool | None = None
    """The instruction names the very path, host, address or text."""

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
    """An allow outranks a forbid only with a higher one."""
    domains: Patterns = ()
    """Holds in these domains only; empty is everywhere."""
    when: When
    unless: tuple[Unless, ...] = ()
    """One of these is enough."""
    more_than: Annotated[int, Field(ge=1)] | None = None
    """A budget: it holds from this many times on, counted over the episode."""
    wrong: str = ""
    """What the agent is told is wrong; the description if empty."""
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
    """All rules of this file hold in these domains only."""
    words: dict[str, Patterns] = Field(default_factory=dict[str, Patterns])
    """Groups of words by which an instruction asks for something: words with `*`, or phrases."""
    secrets: tuple[Secret, ...] = ()
    disable: tuple[RuleId, ...] = ()
    """Rules of earlier files that do not hold."""
    screens: Screens = Field(default_factory=dict)
    """Screens that the examples share."""
    rules: tuple[Rule, ...] = ()
