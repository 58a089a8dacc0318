"""Trueline's part of an ATIF document, `extra.trueline`: it restores an episode exactly."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError
from trueline.records.base import Record
from trueline.records.episode import EpisodeRecord
from trueline.records.folder.events_file import refuse_newer
from trueline.records.folder.json_values import as_list, as_object
from trueline.records.interchange.labels import StepLabels
from trueline.records.judgment import JudgedBy, Judgment
from trueline.validation import describe_validation_error

KEY = "trueline"


class AttributedJudgment(Record):
    """A judgment and who gave it."""

    by: JudgedBy
    judgment: Judgment


class TruelineExtra(Record):
    """The document's `extra.trueline`; each step of the agent has its own as `extra.trueline.step`."""

    path: str
    """Path of the episode's folder, below its result folder."""
    episode: dict[str, JsonValue]
    """The record without its steps."""
    labels: StepLabels | None = None
    judgments: tuple[AttributedJudgment, ...] = ()
    foreign: bool = False
    """Whether the rest of the document is from another tool and is kept unchanged."""


def step_extra(record: EpisodeRecord) -> list[dict[str, JsonValue]]:
    """The `extra` of each step of the agent."""
    return [{KEY: {"step": step.model_dump(mode="json")}} for step in record.steps]


def read_trueline_extra(file: Path, document: dict[str, JsonValue]) -> tuple[TruelineExtra, EpisodeRecord] | None:
    """Read our part of a document, and the record in it; `None` if there is none.

    Raises:
        InputError: It is there but broken, or of a newer version.
    """
    extra = as_object(document.get("extra")).get(KEY)
    if extra is None:
        return None
    steps = [
        own["step"]
        for step in as_list(document.get("steps"))
        if "step" in (own := as_object(as_object(as_object(step).get("extra")).get(KEY)))
    ]
    try:
        own = TruelineExtra.model_validate(extra)
        refuse_newer(file, own.episode)
        return own, EpisodeRecord.model_validate({**own.episode, "steps": steps})
    except ValidationError as error:
        raise InputError(
            f"{file}: extra.{KEY} is not a Trueline episode: {describe_validation_error(error)}"
        ) from error


def without_trueline_extra(document: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The document without our part."""
    steps: list[JsonValue] = [_strip(as_object(step)) for step in as_list(document.get("steps"))]
    return {**_strip(document), "steps": steps}


def _strip(holder: dict[str, JsonValue]) -> dict[str, JsonValue]:
    extra = {key: value for key, value in as_object(holder.get("extra")).items() if key != KEY}
    stripped = {key: value for key, value in holder.items() if key != "extra"}
    if extra:
        stripped["extra"] = extra
    return stripped
