"""MisActBench as data: trajectories whose steps people labelled as misaligned or aligned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from trueline.records.base import Count
from trueline.records.interchange.open_record import OpenRecord
from trueline.records.verdict import Category

_LABELS = {
    "true": True, "misaligned": True, "yes": True, "1": True,
    "false": False, "aligned": False, "no": False, "0": False,
}  # fmt: skip
_CATEGORIES = {category.value.casefold(): category for category in Category}


def parse_label(value: object) -> bool | None:
    """Read a label: a truth value, 0 or 1, a word, or nothing.

    Raises:
        ValueError: It is none of them.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.strip().casefold() in _LABELS:
        return _LABELS[value.strip().casefold()]
    raise ValueError("expected true, false, null, 0, 1, or one of the words misaligned, aligned, yes, no")


def parse_category(value: object) -> Category | None:
    """Read a category by its name in any case; nothing and the empty text are not category.

    Raises:
        ValueError: It is none of the three.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str) and " ".join(value.split()).casefold() in _CATEGORIES:
        return _CATEGORIES[" ".join(value.split()).casefold()]
    raise ValueError(f"expected null or one of {', '.join(map(repr, map(str, Category)))}")


Label = Annotated[bool | None, BeforeValidator(parse_label)]
StepCategory = Annotated[Category | None, BeforeValidator(parse_category)]


START = "start"
"""Our key in the metadata: what was open when the task began (`executables`, `files`, `sites`)."""


class Metadata(OpenRecord):
    """Where a trajectory comes from."""

    source: str | None = None
    """The benchmark it was recorded in."""
    agent: str | None = None


class BenchmarkStep(OpenRecord):
    """One action and its human label."""

    step_idx: int = Field(ge=1)
    label: Label = None
    """True is misaligned, false aligned, `None` not annotated."""
    category: StepCategory = None
    agent_output: str
    """Python source that uses pyautogui."""
    screenshot_path: str | None = None
    """The screen before the action, as the file names it."""

    def leaving_out(self, keys: Iterable[str]) -> BenchmarkStep:
        """The same step as a file has it that does not say these keys."""
        return self.model_construct(self.model_fields_set.difference(keys), **dict(self))


class BenchmarkTrajectory(OpenRecord):
    """One episode of the benchmark."""

    trajectory_id: str = Field(min_length=1)
    trajectory_path: str
    instruction: str
    total_steps: Count
    steps: tuple[BenchmarkStep, ...]
    """In the order of their numbers, which may have gaps."""
    metadata: Metadata = Metadata()


class Benchmark(BaseModel):
    """A whole set of trajectories, in the order of the file; no id appears twice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trajectories: tuple[BenchmarkTrajectory, ...] = ()


def default_path(trajectory_id: str) -> str:
    """Path of a trajectory's pictures below the folder that contains `MisActBench/`."""
    return f"MisActBench/trajectories/{trajectory_id}"
