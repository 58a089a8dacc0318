"""OpenAI's Responses API, which its native computer tools need."""

from __future__ import annotations

from dataclasses import dataclass

import orjson
from pydantic import JsonValue

from trueline.models.errors import (
    InvalidAnswerError,
    MalformedResponseError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnsupportedError,
)
from trueline.models.images import encode_image
from trueline.models.openai_chat import json_schema, known_effort
from trueline.models.types import (
    Answer,
    ComputerTool,
    Image,
    ImagePolicy,
    Json,
    Message,
    NativeItem,
    Request,
    Stop,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from trueline.models.wire import (
    FILTER_CODES,
    DecodedResponse,
    FilteredError,
    HttpCall,
    Tokens,
    Wire,
    one_line,
    parse_response,
)
from trueline.records.setting import Sampling
from trueline.records.usage import UNCOUNTED, Usage


@dataclass(frozen=True)
class ResponsesCodec:
    """How to talk to one model in this format. Nothing is stored at the provider: a request holds the whole story."""

    model: str
    takes_stop = False

    def encode(self, request: Request) -> HttpCall:
        """Write a request."""
        body: Json = {"model": self.model, "input": _input(request), "store": False}
        body["include"] = ["reasoning.encrypted_content"]
        if request.system:
            body["instructions"] = request.system
        body |= _sampling(request.sampling)
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            if request.tool_choice != "auto":
                body["tool_choice"] = request.tool_choice
            if any(isinstance(tool, ComputerTool) and tool.version == "computer_use_preview" for tool in request.tools):
                body["truncation"] = "auto"
        if request.expects:
            body["text"] = {"format": {"type": "json_schema"} | json_schema(request.expects)}
        return HttpCall("/responses", body)

    def decode(self, data: JsonValue, request: Request) -> DecodedResponse:
        """Read a response."""
        reply = parse_response(_Reply, data)
        stop = _stop(reply)
        texts: list[str] = []
        refusals: list[str] = []
        thoughts: list[str] = []
        calls: list[ToolCall] = []
        for item in reply.output:
            if item.type == "message":
                texts += [part.text for part in item.content or () if part.type == "output_text"]
                refusals += [part.refusal for part in item.content or () if part.type == "refusal"]
            elif item.type == "reasoning":
                thoughts += [part.text for part in item.summary or ()]
            elif item.type in ("function_call", "computer_call"):
                # A truncated answer may end in the middle of a call.
                calls += [item.call()] if stop == "stop" else []
            else:
                raise MalformedResponseError(f"the response holds an item of unknown type {item.type!r}")
        text = "".join(texts)
        if stop == "stop":
            stop = "tool_calls" if calls else "refusal" if refusals else "stop"
        if stop == "stop" and not text.strip():
            raise MalformedResponseError("the response holds neither text nor a tool call")
        answer = Answer(
            text=text,
            calls=tuple(calls),
            reasoning="\n".join(thoughts),
            stop=stop,
            refusal="\n".join(refusals),
            usage=reply.usage.read() if reply.usage else UNCOUNTED,
            model=reply.model,
            native=_native(data) if request.tools else (),
        )
        return DecodedResponse(answer)


def _stop(reply: _Reply) -> Stop:
    if reply.status == "completed":
        return "stop"
    if reply.status == "incomplete" and reply.incomplete_details:
        reason = reply.incomplete_details.reason
        if reason == "max_output_tokens":
            return "length"
        if reason == "content_filter":
            return "content_filter"
    if reply.status == "failed" and reply.error:
        words = f"the model failed: {one_line(reply.error.message)}"
        if reply.error.code in FILTER_CODES:
            raise FilteredError(one_line(reply.error.message))
        if reply.error.code == "rate_limit_exceeded":
            raise RateLimitedError(words)
        raise ServerError(words) if reply.error.code == "server_error" else RejectedError(words)
    raise MalformedResponseError(f"the response has the status {reply.status!r} and no answer")


def _sampling(sampling: Sampling) -> Json:
    if sampling.seed is not None:
        raise UnsupportedError("OpenAI's Responses API has no 'seed'; leave it out")
    out: Json = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_output_tokens": sampling.max_tokens,
    }
    if effort := known_effort(sampling):
        out["reasoning"] = {"effort": effort}
    return {key: value for key, value in out.items() if value is not None}


def _tool(tool: Tool) -> Json:
    if isinstance(tool, ComputerTool):
        if tool.version == "computer":
            return {"type": "computer"}
        if tool.version == "computer_use_preview":
            return {
                "type": "computer_use_preview",
                "display_width": tool.width,
                "display_height": tool.height,
                "environment": tool.environment,
            }
        raise UnsupportedError(
            f"the tool {tool.version!r} is Anthropic's; OpenAI has computer and computer_use_preview"
        )
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


def _input(request: Request) -> list[JsonValue]:
    computer_calls = {
        str(part.item.get("call_id"))
        for message in request.messages
        for part in message.parts
        if isinstance(part, NativeItem) and part.item.get("type") == "computer_call"
    }
    out: list[JsonValue] = []
    for message in request.messages:
        if message.role == "user":
            out += _user(message, request.images, computer_calls)
        else:
            out += [_model_item(part) for part in message.parts]
    return out


def _user(message: Message, policy: ImagePolicy, computer_calls: set[str]) -> list[JsonValue]:
    out: list[JsonValue] = []
    content: list[JsonValue] = []
    for part in message.parts:
        if isinstance(part, Text | Image):
            content.append(_content(part, policy))
        elif isinstance(part, ToolResult):
            if part.id in computer_calls:
                item, words = _computer_output(part, policy)
                out.append(item)
                content += words
            else:
                output: list[JsonValue] = [_content(p, policy) for p in part.parts]
                if part.is_error:
                    output.insert(0, {"type": "input_text", "text": "Error:"})
                out.append({"type": "function_call_output", "call_id": part.id, "output": output})
        else:
            raise UnsupportedError(f"a {part.kind} cannot stand in a user's turn")
    return [*out, *([{"role": "user", "content": content}] if content else [])]


def _computer_output(result: ToolResult, policy: ImagePolicy) -> tuple[Json, list[JsonValue]]:
    """Write the result of a computer call: one screenshot; words have no place in it and follow as a message."""
    shots = [part for part in result.parts if isinstance(part, Image)]
    if len(shots) != 1:
        raise UnsupportedError("the result of OpenAI's computer tool must hold exactly one screenshot")
    item: Json = {
        "type": "computer_call_output",
        "call_id": result.id,
        "output": {"type": "computer_screenshot", "image_url": encode_image(shots[0], policy).data_url},
    }
    if result.acknowledged:
        item["acknowledged_safety_checks"] = list(result.acknowledged)
    return item, [_content(part, policy) for part in result.parts if isinstance(part, Text)]


def _content(part: Text | Image, policy: ImagePolicy) -> Json:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    return {"type": "input_image", "image_url": encode_image(part, policy).data_url, "detail": part.detail}


def _model_item(part: object) -> Json:
    if isinstance(part, NativeItem) and part.api == "responses":
        return part.item
    if isinstance(part, Text):
        return {"role": "assistant", "content": part.text}
    if isinstance(part, ToolCall):
        arguments = orjson.dumps(part.arguments).decode()
        return {"type": "function_call", "call_id": part.id, "name": part.name, "arguments": arguments}
    raise UnsupportedError("this part cannot be sent back to OpenAI's Responses API as the model's turn")


def _native(data: JsonValue) -> tuple[NativeItem, ...]:
    output = data.get("output") if isinstance(data, dict) else None
    items = output if isinstance(output, list) else []
    return tuple(NativeItem(api="responses", item=item) for item in items if isinstance(item, dict))


class _Part(Wire):
    type: str
    text: str = ""
    refusal: str = ""


class _Item(Wire):
    type: str
    content: list[_Part] | None = None
    summary: list[_Part] | None = None
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    action: Json | None = None
    actions: list[Json] | None = None
    pending_safety_checks: list[Json] | None = None

    def call(self) -> ToolCall:
        """Read a call. A computer call keeps its action or actions and the safety checks that are pending."""
        if not self.call_id or (self.type == "function_call" and not self.name):
            raise MalformedResponseError("the response holds a tool call without an id or a name")
        if self.type == "computer_call":
            arguments: Json = {"pending_safety_checks": [*(self.pending_safety_checks or ())]}
            if self.actions is not None:
                arguments["actions"] = [*self.actions]
            elif self.action is not None:
                arguments["action"] = self.action
            else:
                raise MalformedResponseError("the response holds a computer call without an action")
            return ToolCall(id=self.call_id, name="computer", arguments=arguments)
        try:
            parsed: JsonValue = orjson.loads(self.arguments or "{}")
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            raise InvalidAnswerError(f"the model called {self.name} with arguments that are not a JSON object")
        return ToolCall(id=self.call_id, name=self.name, arguments=parsed)


class _Reason(Wire):
    reason: str | None = None


class _Error(Wire):
    code: str = ""
    message: str = ""


class _InputDetails(Wire):
    cached_tokens: Tokens | None = None


class _OutputDetails(Wire):
    reasoning_tokens: Tokens | None = None


class _Usage(Wire):
    input_tokens: Tokens
    output_tokens: Tokens
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None

    def read(self) -> Usage:
        cached = self.input_tokens_details.cached_tokens if self.input_tokens_details else None
        reasoning = self.output_tokens_details.reasoning_tokens if self.output_tokens_details else None
        return Usage(
            input_tokens=self.input_tokens,
            cached_tokens=cached or 0,
            output_tokens=self.output_tokens,
            reasoning_tokens=reasoning or 0,
            calls=1,
        )


class _Reply(Wire):
    status: str
    output: list[_Item]
    model: str = ""
    error: _Error | None = None
    incomplete_details: _Reason | None = None
    usage: _Usage | None = None
