"""Anthropic's messages, as spoken by Anthropic itself and by Claude on Bedrock."""

from __future__ import annotations

import re
from dataclasses import dataclass

import orjson
from pydantic import JsonValue

from trueline.models.errors import MalformedResponseError, UnsupportedError
from trueline.models.images import encode_image
from trueline.models.types import (
    Answer,
    ComputerTool,
    Image,
    ImagePolicy,
    Json,
    Message,
    NativeItem,
    Part,
    Request,
    Stop,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from trueline.models.wire import DecodedResponse, HttpCall, Tokens, Wire, parse_response
from trueline.records.setting import Sampling
from trueline.records.usage import Usage

DEFAULT_MAX_TOKENS = 8192
"""The API wants a limit; this one stands in when the request gives none."""

SAMPLING_VERSION, SAMPLING_VERSION_BEDROCK = "2023-06-01", "bedrock-2023-05-31"
"""The last version of the API that takes a temperature: later ones reject it, whatever its value."""

BETAS = {"computer_20250124": "computer-use-2025-01-24", "computer_20251124": "computer-use-2025-11-24"}
"""The beta header that each computer tool needs; the toolset of 2026 needs none."""

_STOPS: dict[str, Stop] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}

BUDGETS = {"low": 2048, "medium": 8192, "high": 16384}
"""Tokens for thinking, on the models that take a budget."""
_NO_THINKING = re.compile(r"claude-(?:instant|2|3-(?!7))")
_TAKES_BUDGET = re.compile(r"claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015])?(?:$|-\d{8}|-v\d|-latest))")
_ADAPTIVE = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True)
class MessagesCodec:
    """How to talk to one model in this format."""

    model: str
    bedrock: bool = False
    """Bedrock takes the version of the API in the body, not in a header."""
    takes_stop = True

    def encode(self, request: Request) -> HttpCall:
        """Write a request."""
        betas = {BETAS[t.version] for t in request.tools if isinstance(t, ComputerTool) and t.version in BETAS}
        headers = {"anthropic-beta": ",".join(sorted(betas))} if betas else {}
        toolsets = _toolsets(request)
        body: Json = {
            "model": self.model,
            "messages": [_message(message, request.images, toolsets) for message in request.messages],
        }
        if request.system:
            body["system"] = request.system
        body |= _sampling(request.sampling, self.model)
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            if request.tool_choice == "required":
                body["tool_choice"] = {"type": "any"}
        if schema := request.expects:
            words = schema.description or "Give the answer."
            body["tools"] = [{"name": schema.name, "description": words, "input_schema": schema.definition}]
            body["tool_choice"] = {"type": "tool", "name": schema.name, "disable_parallel_tool_use": True}
        if (request.sampling.temperature, request.sampling.top_p) != (None, None):
            if self.bedrock:
                body["anthropic_version"] = SAMPLING_VERSION_BEDROCK
            else:
                headers["anthropic-version"] = SAMPLING_VERSION
        return HttpCall("/v1/messages", body, headers)

    def decode(self, data: JsonValue, request: Request) -> DecodedResponse:
        """Read a response."""
        reply = parse_response(_Reply, data)
        stop = _STOPS.get(reply.stop_reason)
        if stop is None:
            raise MalformedResponseError(f"the response stopped for an unknown reason: {reply.stop_reason!r}")
        text = "".join(block.text for block in reply.content if block.type == "text")
        # A truncated answer may end in the middle of a call.
        whole = stop in ("stop", "tool_calls")
        calls = tuple(block.call() for block in reply.content if block.type == "tool_use" and whole)
        if unknown := next((b.type for b in reply.content if b.type not in _BLOCKS), None):
            raise MalformedResponseError(f"the response holds a block of unknown type {unknown!r}")
        if calls:
            stop = "tool_calls"
        if request.expects and calls:
            if len(calls) != 1 or calls[0].name != request.expects.name:
                raise MalformedResponseError("the response does not call the one tool that the answer was asked with")
            text, calls, stop = orjson.dumps(calls[0].arguments).decode(), (), "stop"
        nothing = stop == "stop" and not text.strip() and reply.stop_reason != "stop_sequence"
        if nothing or (stop == "tool_calls" and not calls):
            raise MalformedResponseError("the response holds neither text nor a tool call")
        details = reply.stop_details
        answer = Answer(
            text=text,
            calls=calls,
            reasoning="\n".join(block.thinking for block in reply.content if block.type == "thinking"),
            stop=stop,
            refusal=(details.explanation or details.category or "") if details else "",
            usage=reply.usage.read(),
            model=reply.model,
            native=_native(data) if request.tools else (),
        )
        return DecodedResponse(answer, cache_write_tokens=reply.usage.cache_creation_input_tokens or 0)


def thinks(sampling: Sampling) -> bool:
    """Whether the request turns thinking on, which the API does not allow together with a forced tool."""
    return sampling.reasoning_effort not in (None, "none")


def _sampling(sampling: Sampling, model: str) -> Json:
    if sampling.seed is not None:
        raise UnsupportedError("Anthropic's models take no seed; leave it out")
    if sampling.temperature is not None and sampling.temperature > 1:
        raise UnsupportedError(f"Anthropic takes temperatures up to 1, not {sampling.temperature:g}")
    out: Json = {"max_tokens": sampling.max_tokens or DEFAULT_MAX_TOKENS}
    if sampling.temperature is not None:
        out["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        out["top_p"] = sampling.top_p
    if sampling.stop:
        out["stop_sequences"] = list(sampling.stop)
    if sampling.reasoning_effort:
        out |= _thinking(sampling.reasoning_effort, sampling.max_tokens, model)
    return out


def _thinking(effort: str, max_tokens: int | None, model: str) -> Json:
    """Map the reasoning effort to what this generation of Claude understands, or refuse it."""
    if _NO_THINKING.search(model):
        raise UnsupportedError(f"{model} takes no reasoning effort; leave it out")
    budgeted = _TAKES_BUDGET.search(model) is not None
    known = ("none", *(BUDGETS if budgeted else _ADAPTIVE))
    if effort not in known:
        raise UnsupportedError(f"{model} has no reasoning effort {effort!r}; choose one of {', '.join(known)}")
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    if not budgeted:
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}
    budget = BUDGETS[effort]
    if max_tokens is not None and max_tokens <= budget:
        raise UnsupportedError(
            f"{model}: effort {effort!r} thinks up to {budget} tokens, so max_tokens must be more than that"
        )
    return {
        "thinking": {"type": "enabled", "budget_tokens": budget},
        "max_tokens": max_tokens or budget + DEFAULT_MAX_TOKENS,
    }


def _tool(tool: Tool) -> Json:
    if not isinstance(tool, ComputerTool):
        return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
    if tool.version == "computer_toolset_20260801":
        return {"type": tool.version}
    if tool.version not in BETAS:
        raise UnsupportedError(
            f"the tool {tool.version!r} is OpenAI's; Anthropic has {', '.join(BETAS)} and the toolset"
        )
    out: Json = {
        "type": tool.version,
        "name": "computer",
        "display_width_px": tool.width,
        "display_height_px": tool.height,
    }
    return out | ({"enable_zoom": True} if tool.zoom and tool.version == "computer_20251124" else {})


def _toolsets(request: Request) -> dict[JsonValue, JsonValue]:
    """Which earlier calls came from a toolset: their results must name it."""
    return {
        part.item.get("id"): part.item["toolset_name"]
        for message in request.messages
        for part in message.parts
        if isinstance(part, NativeItem) and part.item.get("toolset_name")
    }


def _message(message: Message, policy: ImagePolicy, toolsets: dict[JsonValue, JsonValue]) -> Json:
    return {"role": message.role, "content": [_block(part, policy, toolsets) for part in message.parts]}


def _block(part: Part, policy: ImagePolicy, toolsets: dict[JsonValue, JsonValue]) -> Json:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image():
            encoded = encode_image(part, policy)
            source: Json = {"type": "base64", "media_type": encoded.media_type, "data": encoded.base64}
            return {"type": "image", "source": source}
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
        case ToolResult():
            content: list[JsonValue] = [_block(p, policy, toolsets) for p in part.parts]
            result: Json = {"type": "tool_result", "tool_use_id": part.id, "content": content}
            if part.is_error:
                result["is_error"] = True
            if part.id in toolsets:
                result["toolset_name"] = toolsets[part.id]
            return result
        case NativeItem():
            if part.api != "messages":
                raise UnsupportedError(f"an answer of the {part.api} API cannot be sent back to Anthropic's")
            return part.item


def _native(data: JsonValue) -> tuple[NativeItem, ...]:
    content = data.get("content") if isinstance(data, dict) else None
    blocks = content if isinstance(content, list) else []
    return tuple(NativeItem(api="messages", item=block) for block in blocks if isinstance(block, dict))


_BLOCKS = {"text", "thinking", "redacted_thinking", "tool_use"}


class _Block(Wire):
    type: str
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: Json | None = None

    def call(self) -> ToolCall:
        if not self.id or not self.name or self.input is None:
            raise MalformedResponseError("the response holds a tool call without an id, a name or an input")
        return ToolCall(id=self.id, name=self.name, arguments=self.input)


class _Usage(Wire):
    input_tokens: Tokens
    output_tokens: Tokens
    cache_creation_input_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None
    output_tokens_details: _OutputDetails | None = None

    def read(self) -> Usage:
        read, written = self.cache_read_input_tokens or 0, self.cache_creation_input_tokens or 0
        return Usage(
            input_tokens=self.input_tokens + read + written,
            cached_tokens=read,
            output_tokens=self.output_tokens,
            reasoning_tokens=self.output_tokens_details.thinking_tokens if self.output_tokens_details else 0,
            calls=1,
        )


class _OutputDetails(Wire):
    thinking_tokens: Tokens = 0


class _StopDetails(Wire):
    category: str | None = None
    explanation: str | None = None


class _Reply(Wire):
    content: list[_Block]
    stop_reason: str
    usage: _Usage
    model: str = ""
    stop_details: _StopDetails | None = None
