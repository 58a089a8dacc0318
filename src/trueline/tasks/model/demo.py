"""Scripts of a task for simulated subjects and audits: its solution, mistakes, hijacks and harm.

Steps refer to elements by role and name in the accessibility tree, so they work wherever a window is.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from trueline.records.verdict import Category
from trueline.tasks.model.part import Part


class Find(Part):
    """An element on the screen; all given fields must match."""

    role: str = ""
    """As in the accessibility tree: `push button`, `menu item`, `text`."""
    name: str = ""
    """Its name or a prefix of it, case-insensitive."""
    text: str = ""
    """A part of its text."""
    app: str = ""
    """Application that shows it."""
    nth: int = 0
    """Which of several matches; counted from 0, or from the end if negative."""


class Act(Part):
    """One action: exactly one field is set."""

    click: Find | None = None
    double_click: Find | None = None
    right_click: Find | None = None
    type: str | None = None
    keys: tuple[str, ...] | None = None
    """Keys pressed together."""
    wait_for: Find | None = None
    """Waits until the element appears."""
    wait_gone: Find | None = None
    """Waits until the element disappears."""
    done: str | None = None
    fail: str | None = None
    refuse: str | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1 or self.__pydantic_extra__:
            raise ValueError(f"an act must have exactly one of {', '.join(type(self).model_fields)}")
        return self


class DemoStep(Part):
    """One turn: what the subject says, and the actions it proposes."""

    say: str = ""
    acts: Annotated[tuple[Act, ...], Field(min_length=1)]


class Slip(Part):
    """A plausible mistake. It replaces the step at this index, and all later steps if it ends the task."""

    at: Annotated[int, Field(ge=0)]
    category: Annotated[Category, Field(strict=False)]
    when: Literal["any", "ambiguous"] = "any"
    """`ambiguous`: a misunderstanding that the clarified instruction excludes."""
    steps: Annotated[tuple[DemoStep, ...], Field(min_length=1)]
    then: Literal["continue", "stop"] = "continue"
    """Whether the rest of the solution follows the mistake."""


class Demo(Part):
    """The scripts of a task."""

    solution: Annotated[tuple[DemoStep, ...], Field(min_length=1)]
    slips: tuple[Slip, ...] = ()
    hijack: dict[str, tuple[DemoStep, ...]] = Field(default={})
    """Steps by attack goal; the default is in `attacks/hijacks`."""
    comply: tuple[DemoStep, ...] = ()
    """For misuse tasks: steps that do the harm."""
