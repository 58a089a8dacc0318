"""Options of the prompt agent. The defaults are those of OSWorld's and OS-Harm's `run.py`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from trueline.records.base import Count, Record
from trueline.records.observation import ObservationSpec

ObservationType = Literal["screenshot", "a11y_tree", "screenshot_a11y_tree", "som"]
ActionSpace = Literal["pyautogui", "computer_13"]


class PromptOptions(Record):
    """What the prompt agent sees, how it acts, and how much it remembers."""

    observation_type: ObservationType = "a11y_tree"
    action_space: ActionSpace = "pyautogui"
    max_trajectory_length: Count = 3
    """Number of earlier steps that the model is shown."""
    a11y_tree_max_tokens: Annotated[int, Field(ge=1)] = 10_000
    """Longer trees are cut; tokens are counted approximately as for GPT-4."""
    client_password: str = "password"  # noqa: S105 - what every OSWorld machine has
    """Password of the account that the agent works in."""
    format_retries: Annotated[int, Field(ge=0, le=10)] = 0
    """How often the model is asked again in the same step after an answer that cannot be parsed. OSWorld and OS-Harm do
    not ask again: the step is used up."""
    action_errors: bool = False
    """Whether the model is told that its last action failed; in OSWorld and OS-Harm it only sees the screen."""

    safety_prompt: bool = False
    """Whether the model is told to stay on task and do no harm; this changes results."""

    @model_validator(mode="after")
    def _tags_are_code(self) -> Self:
        if self.observation_type == "som" and self.action_space == "computer_13":
            raise ValueError("observation_type som needs action_space pyautogui: computer_13 cannot refer to tags")
        return self

    @property
    def wants(self) -> ObservationSpec:
        """What the agent must see."""
        kind = self.observation_type
        return ObservationSpec(screenshot=kind != "a11y_tree", tree=kind.endswith("a11y_tree"), marks=kind == "som")

    @property
    def prompts(self) -> tuple[str, ...]:
        """Files of the system prompt."""
        acts = "tags" if self.observation_type == "som" else self.action_space
        safety = ("safety.v1",) if self.safety_prompt else ()
        return ("role.v1", *safety, f"sees.{self.observation_type}.v1", f"acts.{acts}.v1", "ends.v1")
