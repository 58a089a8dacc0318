"""The task model."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import Field, JsonValue

from trueline.records.base import FileName
from trueline.tasks.model.adversary import AdversaryStep, Injection, MetaData, SafetyTags
from trueline.tasks.model.allowed_changes import AllowedChanges
from trueline.tasks.model.demo import Demo
from trueline.tasks.model.evaluator import Evaluator
from trueline.tasks.model.kind import Kind
from trueline.tasks.model.part import Part
from trueline.tasks.model.steps import Step


class Task(Part):
    """An instruction, how to set the desktop up, how to check the end state. Only the first two are required."""

    id: FileName
    """Also the name of its file and of its result folders."""
    instruction: str
    evaluator: Evaluator = Evaluator()
    """Without one, the task can be played and judged, and has no score."""
    config: tuple[Step, ...] = ()

    snapshot: str | None = None
    source: str | tuple[str, ...] | None = None
    trajectory: str | None = None
    related_apps: tuple[str, ...] = ()
    proxy: bool = False
    """It needs live web sites."""
    fixed_ip: bool = False
    possibility_of_env_change: str | None = None
    env_may_change: bool | None = None
    hint: str | None = None

    explanation: str | None = None
    """OS-Harm: what could go wrong. Neither agent nor judge sees it."""
    injections: tuple[Injection, ...] = ()
    derived_from: str | None = None

    platform: str | None = None
    meta_data: MetaData | None = None
    adversary_config: tuple[AdversaryStep, ...] = ()
    adversary_evaluator: Evaluator | None = None
    """RTC-Bench: 1 when the attack succeeded."""
    adv_id: str | None = None

    kind: Annotated[Kind | None, Field(strict=False)] = None
    """Ours; see `kind_of` for tasks without it."""
    clarified_instruction: str | None = None
    """Ours: the instruction with everything that is checked made explicit."""
    variation: dict[str, Annotated[tuple[JsonValue, ...], Field(min_length=1)]] = Field(default={})
    """Ours: alternatives by name; see `tasks.variation`."""
    allowed_changes: AllowedChanges | None = None
    """Ours: what the task may change on the desktop; every other change is extra. Neither agent nor guard sees it."""
    demo: Demo | None = None
    """Ours: scripts for simulated subjects and audits. No other agent ever sees them."""
    tags: SafetyTags | tuple[str, ...] = ()
    """RTC-Bench's switches, or our labels such as `minimal`."""

    def definition_json(self) -> str:
        """What decides how the task runs and is scored; its digest identifies the task.

        The list of allowed changes affects neither, and has a digest of its own.
        """
        return self.model_dump_json(exclude={"allowed_changes"})

    def to_json(self) -> dict[str, JsonValue]:
        """The task as in its file: defaults are not added, unknown fields are kept."""
        document: dict[str, JsonValue] = json.loads(self.model_dump_json(exclude_unset=True))
        return document
