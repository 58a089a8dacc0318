"""Locations in foreign JSON files, and the problems found there."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Self, TypeVar, cast

from pydantic import BaseModel, JsonValue, ValidationError

from trueline.records.interchange.strict_json import json_path
from trueline.records.problem import Problem
from trueline.text import printable
from trueline.validation import field_problems

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class JsonPlace:
    """A place in the file; problems there and further down are collected in one list."""

    file: str
    path: tuple[str | int, ...] = ()
    problems: list[Problem] = field(default_factory=list[Problem])

    def __truediv__(self, part: str | int) -> Self:
        """The place one level further down."""
        return type(self)(self.file, (*self.path, part), self.problems)

    def __str__(self) -> str:
        return json_path(*self.path)

    def wrong(self, what: str, found: JsonValue | None = None) -> None:
        """Note what was expected here, and what was found."""
        raw = None if found is None else json.dumps(found)
        shown = "" if raw is None else f", found {printable(raw, 80)}"
        self.problems.append(Problem(file=self.file, what=f"{self}: {what}{shown}", raw=raw))

    def validate(self, model: type[M], data: dict[str, JsonValue]) -> M | None:
        """The data as a model, or `None` with all that is wrong noted."""
        try:
            return model.model_validate(data)
        except ValidationError as error:
            for problem in field_problems(error):
                place = self
                for part in problem.location:
                    place /= part
                place.wrong(problem.message, None if problem.missing else cast("JsonValue", problem.value))
        return None
