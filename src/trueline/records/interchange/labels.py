"""labels.json of an episode's folder: labels that people gave its actions, and more data of their data set."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, JsonValue, ValidationError

from trueline.errors import InputError
from trueline.records.base import Count, Record
from trueline.records.interchange.strict_json import load_strict, write_json
from trueline.records.verdict import Category
from trueline.validation import describe_validation_error

LABELS_FILE = "labels.json"


class StepLabel(Record):
    """The label of one step."""

    label: bool | None = None
    """True is misaligned, false aligned, `None` not annotated."""
    category: Category | None = None
    agent_output: str | None = None
    """The action as the data set writes it; `None` if only the episode's record has it."""
    screenshot_path: str | None = None
    """The screen before the action as the data set names it, though it may be missing."""
    extra: dict[str, JsonValue] = Field(default={})
    """Unknown keys of the data set."""
    absent: tuple[str, ...] = ()
    """Keys of its format that the data set leaves out here; an export leaves them out again."""


class StepLabels(Record):
    """The labels of an episode."""

    schema_version: int = 1
    source: str
    """The data set's format: `misactbench`, or whoever labelled."""
    trajectory_id: str | None = None
    total_steps: Count | None = None
    metadata: dict[str, JsonValue] = Field(default={})
    extra: dict[str, JsonValue] = Field(default={})
    steps: dict[int, StepLabel] = Field(default={})
    """Labels by step number, counted from 1."""


def read_labels(folder: Path) -> StepLabels | None:
    """Read the labels of an episode; `None` when nobody labelled it.

    Raises:
        InputError: The file is there but cannot be understood.
    """
    path = folder / LABELS_FILE
    if not path.exists():
        return None
    try:
        return StepLabels.model_validate(load_strict(path))
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}") from error


def write_labels(folder: Path, labels: StepLabels) -> None:
    """Write the labels of an episode by atomic rename."""
    write_json(folder / LABELS_FILE, labels.model_dump(mode="json"))
