"""ATIF, the agent trajectory interchange format, as data (version 1.7; later minor versions only add)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from trueline.records.base import Count
from trueline.records.interchange.open_record import OpenRecord

SCHEMA_VERSION = "ATIF-v1.7"
ATIF_FILE = "atif.json"
"""In an episode's folder: the document it was imported from, when somebody else wrote that."""
DOCUMENT_FILE = "trajectory.json"
"""The usual name of a document."""

MEDIA_TYPES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip

Extra = dict[str, JsonValue]


class ImageSource(OpenRecord):
    """A picture in a file beside the document, or at a URL."""

    media_type: str
    path: str


class ContentPart(OpenRecord):
    """A piece of a message: text or a picture."""

    type: str
    text: str | None = None
    source: ImageSource | None = None


Content = str | tuple[ContentPart, ...]


class AtifToolCall(OpenRecord):
    """One thing the agent did."""

    tool_call_id: str
    function_name: str
    arguments: Extra
    extra: Extra | None = None


class AtifResult(OpenRecord):
    """The result of a tool call, or one without a call."""

    source_call_id: str | None = None
    content: Content | None = None
    extra: Extra | None = None


class AtifObservation(OpenRecord):
    """What the environment answered."""

    results: tuple[AtifResult, ...]


class AtifMetrics(OpenRecord):
    """Tokens and money of one step."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cached_tokens: Count | None = None
    cost_usd: float | None = None
    extra: Extra | None = None


class AtifStep(OpenRecord):
    """One turn of the user, the system or the agent."""

    step_id: int = Field(ge=1)
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    message: Content
    reasoning_content: str | None = None
    tool_calls: tuple[AtifToolCall, ...] | None = None
    observation: AtifObservation | None = None
    metrics: AtifMetrics | None = None
    llm_call_count: Count | None = None
    extra: Extra | None = None


class AtifAgent(OpenRecord):
    """The agent that acted."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[Extra] | None = None
    extra: Extra | None = None


class FinalMetrics(OpenRecord):
    """Sums over the whole trajectory."""

    total_prompt_tokens: Count | None = None
    total_completion_tokens: Count | None = None
    total_cached_tokens: Count | None = None
    total_cost_usd: float | None = None
    total_steps: Count | None = None
    extra: Extra | None = None


class AtifTrajectory(OpenRecord):
    """A whole document."""

    schema_version: str = Field(default=SCHEMA_VERSION, pattern=r"^ATIF-v1\.\d{1,4}$")
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: AtifAgent
    steps: tuple[AtifStep, ...] = Field(min_length=1)
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    extra: Extra | None = None
    subagent_trajectories: list[Extra] | None = None


def text_of(content: Content | None) -> str:
    """The text of a message, without its pictures."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text for part in content if part.text is not None)
