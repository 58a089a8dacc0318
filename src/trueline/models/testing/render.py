"""The same answer in each of the providers' protocols."""

from __future__ import annotations

import orjson
from pydantic import JsonValue

from trueline.models.testing.plays import Protocol, Say, Status
from trueline.models.types import Json


def render_answer(say: Say, protocol: Protocol, model: str) -> Json:
    """Write an answer as the protocol wants it."""
    return _RENDER[protocol](say, say.model or model)


def render_error(status: Status) -> Json:
    """Write the body of an error; all providers put it under `error`."""
    error: Json = {"message": status.message, "type": "error", "code": status.error_code or None}
    return {"type": "error", "error": error}


def _chat(say: Say, model: str) -> Json:
    message: Json = {"role": "assistant", "content": say.text or None, "refusal": say.refusal or None}
    if say.reasoning:
        message["reasoning_content"] = say.reasoning
    if say.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()},
            }
            for call in say.calls
        ]
    finish = "tool_calls" if say.calls else "stop" if say.stop == "refusal" else say.stop
    usage: Json = {
        "prompt_tokens": say.input_tokens,
        "completion_tokens": say.output_tokens,
        "total_tokens": say.input_tokens + say.output_tokens,
        "prompt_tokens_details": {"cached_tokens": say.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": say.reasoning_tokens},
    }
    if say.cost is not None:
        usage["cost"] = say.cost
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": usage,
    }


def _responses(say: Say, model: str) -> Json:
    output: list[JsonValue] = []
    if say.reasoning:
        output.append({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": say.reasoning}]})
    content: list[JsonValue] = [{"type": "output_text", "text": say.text, "annotations": []}] if say.text else []
    if say.refusal:
        content = [{"type": "refusal", "refusal": say.refusal}]
    if content:
        output.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        )
    for call in say.calls:
        item: Json = {"id": f"item_{call.id}", "call_id": call.id, "status": "completed"}
        if call.name == "computer":
            output.append(item | {"type": "computer_call", "pending_safety_checks": []} | call.arguments)
        else:
            arguments = orjson.dumps(call.arguments).decode()
            output.append(item | {"type": "function_call", "name": call.name, "arguments": arguments})
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "incomplete" if say.stop in reasons else "completed",
        "incomplete_details": {"reason": reasons[say.stop]} if say.stop in reasons else None,
        "error": None,
        "model": model,
        "output": output,
        "usage": {
            "input_tokens": say.input_tokens,
            "input_tokens_details": {"cached_tokens": say.cached_tokens},
            "output_tokens": say.output_tokens,
            "output_tokens_details": {"reasoning_tokens": say.reasoning_tokens},
            "total_tokens": say.input_tokens + say.output_tokens,
        },
    }


def _messages(say: Say, model: str) -> Json:
    content: list[JsonValue] = []
    if say.reasoning:
        content.append({"type": "thinking", "thinking": say.reasoning, "signature": "s"})
    if say.text:
        content.append({"type": "text", "text": say.text})
    content.extend(
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in say.calls
    )
    stops = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
    # Anthropic has one signal for both the model's refusal and its filter.
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if say.calls else stops.get(say.stop, "refusal"),
        "stop_sequence": None,
        "stop_details": {"type": "refusal", "explanation": say.refusal} if say.refusal else None,
        "usage": {
            "input_tokens": say.input_tokens - say.cached_tokens,
            "cache_read_input_tokens": say.cached_tokens,
            "cache_creation_input_tokens": 0,
            "output_tokens": say.output_tokens,
            "output_tokens_details": {"thinking_tokens": say.reasoning_tokens},
        },
    }


_RENDER = {"chat": _chat, "responses": _responses, "messages": _messages}
