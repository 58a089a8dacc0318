"""Request and response schemas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from trueline.guard.incoming import ActionFormat

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Pixels = Annotated[int, Field(ge=1, le=32768)]
ScreenSize = Annotated[tuple[Pixels, Pixels], Field(description="Width and height in pixels.")]
Base64 = Annotated[str, Field(description="A PNG, JPEG or WebP picture in base64, also as a data: URL.")]
TreeXml = Annotated[str, Field(description="The accessibility tree as OSWorld's XML.")]


class Message(BaseModel):
    """What all messages share."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SessionRequest(Message):
    """Begin an episode."""

    instruction: Annotated[str, Field(min_length=1, max_length=50_000)]
    """What the user wants, as the user said it. It cannot be changed later."""
    domain: Annotated[str, Field(max_length=100)] | None = None
    screen: ScreenSize | None = None
    """The screen's own size; by default each screenshot's."""
    display: ScreenSize | None = None
    """The size the model was told, where it speaks in other pixels than the screen's."""


class SessionAnswer(Message):
    """An episode has begun."""

    session: Id
    idle_seconds: float
    """It ends when it is not used for so long."""


class CheckRequest(Message):
    """Ask about one action before it runs."""

    session: Id
    action: Annotated[
        JsonValue,
        Field(
            description="pyautogui source, the input or blocks of Claude's tool, OpenAI's computer_call or its action, "
            "computer_13, or typed actions; a list is one proposal of several actions."
        ),
    ]
    format: ActionFormat = "auto"
    screenshot: Base64 | None = None
    tree: TreeXml | None = None
    text: Annotated[str, Field(max_length=1_000_000, description="What OCR read on the screen.")] | None = None
    thought: Annotated[str, Field(max_length=100_000)] | None = None
    """What the agent says about it. The guard does not believe it."""


class ExecutedRequest(Message):
    """Report what became of a checked action."""

    session: Id
    check: Id
    ran: bool = True
    screenshot: Base64 | None = None
    """The screen after it: its narrative is then made while the agent thinks."""
    tree: TreeXml | None = None


class ExecutedAnswer(Message):
    """The report is recorded."""

    session: Id
    steps: int
    """How many steps the session has executed."""


class Health(Message):
    """The service is up."""

    status: Literal["ok"] = "ok"
    version: str


class ErrorBody(Message):
    """What is wrong."""

    type: str
    message: str
    field: str | None


class ErrorAnswer(Message):
    """Any answer that is not a success. Treat it as a block."""

    error: ErrorBody
