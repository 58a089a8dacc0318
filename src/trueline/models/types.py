"""Requests to language models and their answers.

All of it is frozen data. A `Model` turns a `Request` into an `Answer` or raises a `ModelError`;
a refusal, a content filter and a truncated text are answers with a `stop` of their own, never a text like others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trueline.models.errors import InvalidAnswerError, NoAnswerError
from trueline.records.setting import Sampling
from trueline.records.usage import Usage
from trueline.validation import describe_validation_error

Json = dict[str, JsonValue]
"""A JSON object."""

Role = Literal["user", "assistant"]
MediaType = Literal["image/png", "image/jpeg", "image/webp", "image/gif"]

Purpose = Literal[
    "agent",
    "user_sim",
    "guard",
    "narrative",
    "judge",
    "caption",
    "clarify",
    "plan",
    "fact",
    "feedback",
    "ask",
]
"""Why a model is called. It decides whether the answer may come from a cache, and usage is added up by it."""

Stop = Literal["stop", "length", "tool_calls", "refusal", "content_filter"]
"""Why the model stopped. `length` is a truncated answer; `refusal` and `content_filter` are the provider's signals."""


class Frozen(BaseModel):
    """What the data here share: immutable, no unknown fields, bytes as base64 in JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class ModelId(Frozen):
    """Which model, where. The address is the server's, so that two servers never share a cached answer."""

    provider: str
    model: str
    url: str = ""

    def __str__(self) -> str:
        """Return the spec a user would type."""
        return f"{self.provider}|{self.model}"


class Text(Frozen):
    """A text."""

    kind: Literal["text"] = "text"
    text: str


class Image(Frozen):
    """An image, as its encoded bytes."""

    kind: Literal["image"] = "image"
    data: Annotated[bytes, Field(min_length=1, repr=False)]
    media_type: MediaType = "image/png"
    detail: Literal["auto", "low", "high", "original"] = "auto"
    """How closely OpenAI's models look; other providers have no such setting."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes, in hex."""
        return hashlib.sha256(self.data).hexdigest()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy; a copy with other bytes must not keep the digest of the old ones."""
        copied = super().model_copy(update=update, deep=deep)
        vars(copied).pop("digest", None)
        return copied


class ToolCall(Frozen):
    """The model calls a tool; in a request it stands for a call of an earlier turn."""

    kind: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    arguments: Json


class ToolResult(Frozen):
    """The result of a tool call."""

    kind: Literal["tool_result"] = "tool_result"
    id: str
    """The id of the call."""
    parts: tuple[Annotated[Text | Image, Field(discriminator="kind")], ...] = ()
    is_error: bool = False
    acknowledged: tuple[Json, ...] = ()
    """OpenAI's pending safety checks that are hereby acknowledged."""


class NativeItem(Frozen):
    """A piece of an earlier answer in its provider's own form (a call, thinking), sent back as it came."""

    kind: Literal["native"] = "native"
    api: Literal["chat", "responses", "messages"]
    """The wire format it belongs to; any other refuses it."""
    item: Json


Part = Annotated[Text | Image | ToolCall | ToolResult | NativeItem, Field(discriminator="kind")]


class Message(Frozen):
    """One turn."""

    role: Role
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]


def user(*parts: str | Part) -> Message:
    """Make a turn of the user; a string is a text part."""
    return Message(role="user", parts=tuple(Text(text=p) if isinstance(p, str) else p for p in parts))


def assistant(*parts: str | Part) -> Message:
    """Make a turn of the model; a string is a text part."""
    return Message(role="assistant", parts=tuple(Text(text=p) if isinstance(p, str) else p for p in parts))


class FunctionTool(Frozen):
    """A function that the model may call, described by a JSON schema."""

    kind: Literal["function"] = "function"
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: str = ""
    parameters: Json


ComputerVersion = Literal[
    "computer_use_preview", "computer", "computer_20250124", "computer_20251124", "computer_toolset_20260801"
]


class ComputerTool(Frozen):
    """A provider's own computer tool. The first two versions are OpenAI's, the others Anthropic's."""

    kind: Literal["computer"] = "computer"
    version: ComputerVersion
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]
    environment: Literal["linux", "ubuntu", "browser", "mac", "windows"] = "linux"
    """Only `computer_use_preview` takes it."""
    zoom: bool = False
    """Only `computer_20251124` takes it."""


Tool = Annotated[FunctionTool | ComputerTool, Field(discriminator="kind")]


class ImagePolicy(Frozen):
    """How images may be changed before they are sent. The default sends the bytes as they are."""

    max_side: Annotated[int, Field(gt=0)] | None = None
    """Shrink so that no side is longer. Beware: coordinates in the answer are then those of the smaller picture."""
    format: Literal["keep", "png", "jpeg", "smallest"] = "keep"
    """`smallest` takes whichever of PNG and JPEG has fewer bytes."""
    quality: Annotated[int, Field(ge=1, le=95)] = 80
    """JPEG quality."""


class Schema(Frozen):
    """The JSON that an answer must be."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] = "answer"
    description: str = ""
    definition: Json
    """A JSON schema of an object."""

    @staticmethod
    def from_model(model: type[BaseModel], name: str = "answer", description: str = "") -> Schema:
        """Describe a pydantic model; read the answer back with `Answer.parse(model)`."""
        return _schema_of(model, name, description)


@lru_cache(maxsize=256)
def _schema_of(model: type[BaseModel], name: str, description: str) -> Schema:
    """Making one takes as long as sending a whole request; nobody changes one."""
    return Schema(name=name, description=description, definition=model.model_json_schema())


class Request(Frozen):
    """One request to a model."""

    messages: Annotated[tuple[Message, ...], Field(min_length=1)]
    system: str = ""
    sampling: Sampling = Sampling()
    tools: tuple[Tool, ...] = ()
    tool_choice: Literal["auto", "required"] = "auto"
    expects: Schema | None = None
    """The answer must be JSON of this schema."""
    images: ImagePolicy = ImagePolicy()
    purpose: Purpose = "ask"
    stage: str = ""
    """Which part of the purpose (the guard's fast check), for adding up usage."""
    episode: str = ""
    """Which episode pays, for adding up usage and for fairness between callers."""
    sample: Annotated[int, Field(ge=0)] = 0
    """Number of this question among equal ones whose answers must be drawn independently."""
    deadline_s: Annotated[float, Field(gt=0)] | None = None
    """Total time for the answer, retries and waiting included; `None` takes the model's own."""

    def shape(self) -> Json:
        """Return all that shapes the answer, as JSON; pictures stand as their digests."""
        out: Json = self.model_dump(
            mode="json", exclude={"messages", "purpose", "stage", "episode", "deadline_s"}, exclude_defaults=True
        )
        out["messages"] = [{"role": m.role, "parts": [_shape_of(p) for p in m.parts]} for m in self.messages]
        return out


def _shape_of(part: Part) -> Json:
    if isinstance(part, Image):
        return {"kind": "image", "digest": part.digest, "media_type": part.media_type, "detail": part.detail}
    out: Json = part.model_dump(mode="json", exclude={"parts"})
    if isinstance(part, ToolResult):
        out["parts"] = [_shape_of(p) for p in part.parts]
    return out


M = TypeVar("M", bound=BaseModel)


class Answer(Frozen):
    """What a model said. Ask `complete` (or call `require`) before believing the text."""

    text: str = ""
    parsed: JsonValue = None
    """The JSON asked for by `Request.expects`, already checked against its schema."""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    """What the provider shows of the model's thinking."""
    stop: Stop = "stop"
    refusal: str = ""
    """The provider's or model's own words for a refusal or filter."""
    usage: Usage = Usage()
    """Usage of this answer, repair turns included. `cost` is in US dollars, or None when the price is unknown."""
    latency_s: float = 0.0
    """Seconds from handing over the request to the answer, waiting and retries included."""
    attempts: int = 1
    cached: bool = False
    model: str = ""
    """The model's name as the provider reports it."""
    unsent: tuple[str, ...] = ()
    """Parameters that were asked for and left out because the server rejects them, by their names in the request."""
    native: tuple[NativeItem, ...] = ()
    """With tools: the whole answer in the provider's own form, which `turn` sends back."""

    @property
    def complete(self) -> bool:
        """Whether the model finished what it wanted to say."""
        return self.stop in ("stop", "tool_calls")

    def require(self) -> Answer:
        """Return this answer if it is complete, else raise what it is instead."""
        if not self.complete:
            raise NoAnswerError(self.stop, self.refusal)
        return self

    def parse(self, model: type[M]) -> M:
        """Return the structured answer as a pydantic model."""
        try:
            return model.model_validate(self.require().parsed)
        except ValidationError as e:
            raise InvalidAnswerError(
                f"the answer does not fit {model.__name__}: {describe_validation_error(e)}"
            ) from None

    def cut(self, stop: Sequence[str]) -> Answer:
        """Return this answer up to the first of these stop sequences, as a server that takes them would give it."""
        end = min((place for word in stop if (place := self.text.find(word)) >= 0), default=None)
        return self if end is None else self.model_copy(update={"text": self.text[:end], "stop": "stop"})

    def turn(self) -> Message:
        """Return this answer as a turn of the conversation, for the next request."""
        said: tuple[Part, ...] = (Text(text=self.text),) if self.text else ()
        return Message(role="assistant", parts=self.native or (*said, *self.calls))


class Model(Protocol):
    """A language model."""

    @property
    def id(self) -> ModelId:
        """Which model this is."""
        ...

    async def ask(self, request: Request) -> Answer:
        """Answer the request or raise a `ModelError`."""
        ...

    async def close(self) -> None:
        """Release connections and processes."""
        ...
