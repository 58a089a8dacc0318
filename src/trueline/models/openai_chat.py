"""OpenAI's chat completions, as spoken by OpenAI, Azure, OpenRouter, Together, Gemini, vLLM and local servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import orjson
from pydantic import Field, JsonValue

from trueline.models.errors import InvalidAnswerError, MalformedResponseError, UnsupportedError
from trueline.models.images import encode_image
from trueline.models.schemas import strict_schema
from trueline.models.types import (
    Answer,
    FunctionTool,
    Image,
    ImagePolicy,
    Json,
    Message,
    NativeItem,
    Request,
    Schema,
    Stop,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from trueline.models.wire import DecodedResponse, HttpCall, Tokens, Wire, error_for, parse_response, read_error
from trueline.records.setting import Sampling
from trueline.records.usage import UNCOUNTED, Usage

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_STOPS: dict[str, Stop] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


@dataclass(frozen=True)
class ChatCodec:
    """How to talk to one model in this format."""

    model: str
    completion_tokens: bool = False
    """Whether the token limit is called `max_completion_tokens`."""
    effort: Literal["reasoning_effort", "reasoning.effort"] = "reasoning_effort"
    takes_stop: bool = True

    def encode(self, request: Request) -> HttpCall:
        """Write a request."""
        body: Json = {"model": self.model, "messages": _messages(request)}
        body |= self._sampling(request.sampling)
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            if request.tool_choice != "auto":
                body["tool_choice"] = request.tool_choice
        if request.expects:
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema(request.expects)}
        return HttpCall("/chat/completions", body)

    def _sampling(self, sampling: Sampling) -> Json:
        limit = "max_completion_tokens" if self.completion_tokens else "max_tokens"
        out: Json = {"temperature": sampling.temperature, "top_p": sampling.top_p, limit: sampling.max_tokens}
        out |= {"seed": sampling.seed, "stop": list(sampling.stop) or None}
        if effort := known_effort(sampling):
            out |= {"reasoning": {"effort": effort}} if self.effort == "reasoning.effort" else {self.effort: effort}
        return {key: value for key, value in out.items() if value is not None}

    def decode(self, data: JsonValue, request: Request) -> DecodedResponse:
        """Read a response."""
        # Gateways report an upstream error inside a response of status 200.
        if isinstance(data, dict) and isinstance(error := data.get("error"), dict):
            code = error.get("code")
            said = read_error(data)
            raise error_for(
                code if isinstance(code, int) else 502, said if said.code else said._replace(code=str(code))
            )
        reply = parse_response(_Reply, data)
        if not reply.choices:
            raise MalformedResponseError("the response holds no choice")
        choice, message = reply.choices[0], reply.choices[0].message
        stop = _STOPS.get(choice.finish_reason)
        if stop is None:
            raise MalformedResponseError(f"the response stopped for an unknown reason: {choice.finish_reason!r}")
        calls = tuple(call.read() for call in message.tool_calls or ()) if stop in ("stop", "tool_calls") else ()
        if message.refusal:
            stop = "refusal"
        elif calls:
            stop = "tool_calls"
        text = message.content or ""
        # A stop sequence may come first of all.
        nothing = stop == "stop" and not text.strip() and not request.sampling.stop
        if nothing or (stop == "tool_calls" and not calls):
            raise MalformedResponseError("the response holds neither text nor a tool call")
        usage = reply.usage
        answer = Answer(
            text=text,
            calls=calls,
            reasoning=message.reasoning_content or message.reasoning or "",
            stop=stop,
            refusal=message.refusal or "",
            usage=usage.read() if usage else UNCOUNTED,
            model=reply.model,
            native=_native(data) if request.tools else (),
        )
        return DecodedResponse(answer, reported_cost=usage.cost if usage else None)


def known_effort(sampling: Sampling) -> str | None:
    """Return the reasoning effort, or refuse one that OpenAI's formats have no word for."""
    effort = sampling.reasoning_effort
    if effort and effort not in EFFORTS:
        raise UnsupportedError(f"reasoning effort {effort!r} is unknown; choose one of {', '.join(EFFORTS)}")
    return effort


def json_schema(schema: Schema) -> Json:
    """Describe the schema for the API, strictly where that is possible."""
    strict = strict_schema(schema.definition)
    out: Json = {"name": schema.name, "schema": strict or schema.definition, "strict": strict is not None}
    return out | ({"description": schema.description} if schema.description else {})


def _messages(request: Request) -> list[JsonValue]:
    out: list[JsonValue] = [{"role": "system", "content": request.system}] if request.system else []
    for message in request.messages:
        out += _user(message, request.images) if message.role == "user" else _assistant(message)
    return out


def _user(message: Message, policy: ImagePolicy) -> list[JsonValue]:
    """Write a user's turn; results of tools become messages of their own, their pictures a user's turn."""
    results: list[JsonValue] = []
    content: list[JsonValue] = []
    for part in message.parts:
        if isinstance(part, Text | Image):
            content.append(_content(part, policy))
        elif isinstance(part, ToolResult):
            words = "\n".join(p.text for p in part.parts if isinstance(p, Text)) or "see the picture"
            words = f"Error: {words}" if part.is_error else words
            results.append({"role": "tool", "tool_call_id": part.id, "content": words})
            content += [_content(p, policy) for p in part.parts if isinstance(p, Image)]
        else:
            raise UnsupportedError(f"a {part.kind} cannot stand in a user's turn")
    if content and all(isinstance(part, Text) for part in message.parts):
        content_or_text: JsonValue = "\n".join(p.text for p in message.parts if isinstance(p, Text))
    else:
        content_or_text = content
    return [*results, *([{"role": "user", "content": content_or_text}] if content else [])]


def _content(part: Text | Image, policy: ImagePolicy) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    image: Json = {"url": encode_image(part, policy).data_url}
    return {"type": "image_url", "image_url": image | ({} if part.detail == "auto" else {"detail": part.detail})}


def _assistant(message: Message) -> list[JsonValue]:
    out: list[JsonValue] = []
    texts: list[str] = []
    calls: list[JsonValue] = []
    for part in message.parts:
        if isinstance(part, NativeItem) and part.api == "chat":
            out.append(part.item)
        elif isinstance(part, Text):
            texts.append(part.text)
        elif isinstance(part, ToolCall):
            function: Json = {"name": part.name, "arguments": orjson.dumps(part.arguments).decode()}
            calls.append({"id": part.id, "type": "function", "function": function})
        else:
            raise UnsupportedError(f"a {part.kind} cannot be sent back to this provider as the model's turn")
    if texts or calls:
        said: Json = {"role": "assistant", "content": "\n".join(texts) or None}
        if calls:
            said["tool_calls"] = calls
        out.append(said)
    return out


def _tool(tool: Tool) -> Json:
    if not isinstance(tool, FunctionTool):
        raise UnsupportedError(f"the tool {tool.version!r} does not exist in the chat API")
    function: Json = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _native(data: JsonValue) -> tuple[NativeItem, ...]:
    """The model's message as it came: some providers want their signatures back with it."""
    choices = data.get("choices") if isinstance(data, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return (NativeItem(api="chat", item=message),) if isinstance(message, dict) else ()


class _Function(Wire):
    name: str
    arguments: str


class _Call(Wire):
    id: str
    function: _Function

    def read(self) -> ToolCall:
        try:
            arguments: JsonValue = orjson.loads(self.function.arguments or "{}")
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            raise InvalidAnswerError(f"the model called {self.function.name} with arguments that are not a JSON object")
        return ToolCall(id=self.id, name=self.function.name, arguments=arguments)


class _Message(Wire):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(Wire):
    message: _Message
    finish_reason: str


class _PromptDetails(Wire):
    cached_tokens: Tokens | None = None


class _CompletionDetails(Wire):
    reasoning_tokens: Tokens | None = None


class _Usage(Wire):
    prompt_tokens: Tokens
    completion_tokens: Tokens
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None
    cost: Annotated[float, Field(ge=0)] | None = None

    def read(self) -> Usage:
        cached = self.prompt_tokens_details.cached_tokens if self.prompt_tokens_details else None
        reasoning = self.completion_tokens_details.reasoning_tokens if self.completion_tokens_details else None
        return Usage(
            input_tokens=self.prompt_tokens,
            cached_tokens=cached or 0,
            output_tokens=self.completion_tokens,
            reasoning_tokens=reasoning or 0,
            calls=1,
        )


class _Reply(Wire):
    choices: list[_Choice]
    model: str = ""
    usage: _Usage | None = None
