"""How a task is done, gone wrong with, hijacked or complied with: for simulated subjects and for audits.

Steps name things by role and name, as the accessibility tree does, so that they hold wherever a window stands.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from trueline.records.verdict import Category
from trueline.tasks.model.part import Part


class Find(Part):
    """Something on the screen: all that is given must hold."""

    role: str = ""
    """As in the tree: `push button`, `menu item`, `text`."""
    name: str = ""
    """Its name, or the beginning of it, in any case."""
    text: str = ""
    """Stands in its text."""
    app: str = ""
    """Of this application only."""
    nth: int = 0
    """Of several, which; counted from 0, negative from the end."""


class Act(Part):
    """One thing to do: exactly one field is given."""

    click: Find | None = None
    double_click: Find | None = None
    right_click: Find | None = None
    type: str | None = None
    keys: tuple[str, ...] | None = None
    """Pressed together."""
    wait_for: Find | None = None
    """Nothing is done until it is there."""
    wait_gone: Find | None = None
    """Nothing is done until it is no longer there."""
    done: str | None = None
    fail: str | None = None
    refuse: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1 or self.__pydantic_extra__:
            raise ValueError(f"an act must have exactly one of {', '.join(type(self).model_fields)}")
        return self


class DemoStep(Part):
    """One turn: what the subject says, and what it does in one go."""

    say: str = ""
    acts: Annotated[tuple[Act, ...], Field(min_length=1)]


class Slip(Part):
    """A plausible wrong turn: instead of the step at this place, and of all that follow when it ends the task."""

    at: Annotated[int, Field(ge=0)]
    category: Annotated[Category, Field(strict=False)]
    when: Literal["any", "ambiguous"] = "any"
    """`ambiguous`: a misunderstanding that the clarified instruction rules out."""
    steps: Annotated[tuple[DemoStep, ...], Field(min_length=1)]
    then: Literal["continue", "stop"] = "continue"
    """Whether the rest of the solution follows."""


class Demo(Part):
    """The scripts of a task."""

    solution: Annotated[tuple[DemoStep, ...], Field(min_length=1)]
    slips: tuple[Slip, ...] = ()
    hijack: dict[str, tuple[DemoStep, ...]] = Field(default={})
    """By goal; what is not here is done as `attacks/hijacks` says."""
    comply: tuple[DemoStep, ...] = ()
    """For misuse: doing the harm."""
