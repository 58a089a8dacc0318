"""How the end state is checked, in OSWorld's format."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, JsonValue, model_validator

from trueline.tasks.model.part import Part
from trueline.tasks.model.steps import Step, Text

INFEASIBLE = "infeasible"
"""The function of infeasible tasks: an agent that says so is right."""
Options = dict[str, JsonValue]
P = TypeVar("P", bound=Part)


class Getter(Part):
    """What to read, by type; `{}` reads nothing. Other fields depend on the type."""

    type: str = ""

    def parse(self, fields: type[P]) -> P:
        """The getter's own fields, checked.

        Raises:
            ValidationError: A field is missing or wrong.
        """
        return fields.model_validate_json(self.model_dump_json())

    @model_validator(mode="after")
    def _named(self) -> Self:
        if not self.type and self.model_extra:
            raise ValueError("a getter needs a type")
        return self


class Evaluator(Part):
    """One function, or several joined by `conj`; or none. Lists have the same length."""

    func: Text | Annotated[tuple[Text, ...], Field(min_length=1)] = ()
    """Without any, nothing scores the task: it can be played and judged."""
    result: Getter | tuple[Getter | None, ...] | None = None
    expected: Getter | tuple[Getter | None, ...] | None = None
    options: Options | tuple[Options | None, ...] | None = None
    conj: Literal["and", "or"] = "and"
    postconfig: tuple[Step, ...] = ()
    """Steps that run before anything is read."""

    @model_validator(mode="after")
    def _parallel(self) -> Self:
        if isinstance(self.func, str):
            several = [name for name in ("result", "expected", "options") if isinstance(getattr(self, name), tuple)]
            if several:
                raise ValueError(f"func is a single function, but {', '.join(several)} is a list")
            return self
        if not self.func and (self.result or self.expected or self.postconfig):
            raise ValueError("func is missing; leave the whole evaluator out if nothing scores the task")
        if INFEASIBLE in self.func:
            raise ValueError(f"{INFEASIBLE} must stand alone, not in a list")
        for name, parts in (("result", self.result), ("expected", self.expected), ("options", self.options)):
            if parts is not None and (not isinstance(parts, tuple) or len(parts) != len(self.func)):
                raise ValueError(f"func lists {len(self.func)} functions, so {name} must be a list of the same length")
        return self

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions as a tuple."""
        return (self.func,) if isinstance(self.func, str) else self.func

    @property
    def getters(self) -> tuple[Getter, ...]:
        """All getters."""
        sides = (self.result, self.expected)
        parts = [part for side in sides for part in (side if isinstance(side, tuple) else (side,))]
        return tuple(part for part in parts if part is not None and part.type)


class Check(Part):
    """One function and what it compares."""

    function: str
    result: Getter | None
    expected: Getter | None
    options: Options


def checks(evaluator: Evaluator) -> tuple[Check, ...]:
    """The evaluator's functions one by one, each with its own getters and options."""

    def nth(parts: Getter | tuple[Getter | None, ...] | None, place: int) -> Getter | None:
        part = parts[place] if isinstance(parts, tuple) else parts
        return part if part is not None and part.type else None

    def options(place: int) -> Options:
        own = evaluator.options[place] if isinstance(evaluator.options, tuple) else evaluator.options
        return own or {}

    return tuple(
        Check(
            function=function,
            result=nth(evaluator.result, place),
            expected=nth(evaluator.expected, place),
            options=options(place),
        )
        for place, function in enumerate(evaluator.functions)
    )
