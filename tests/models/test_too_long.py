"""A question that does not fit into the model is told apart from every other rejection, whoever says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from pydantic import JsonValue

from trueline.models import Request, TooLongError, user
from trueline.models.errors import RejectedError
from trueline.models.testing import Body, FakeServer

if TYPE_CHECKING:
    from models.conftest import Lab

ASK = Request(messages=(user("well?"),))


def says(status: int, body: JsonValue) -> FakeServer:
    return FakeServer(default=Body(orjson.dumps(body), status))


def openai(message: str, *, kind: str = "invalid_request_error", code: str | int | None = None) -> JsonValue:
    return {"error": {"message": message, "type": kind, "param": "messages", "code": code}}


def anthropic(message: str, kind: str = "invalid_request_error") -> JsonValue:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


CHAT: dict[str, tuple[int, JsonValue]] = {
    "OpenAI": (400, openai("Your input exceeds the context window of this model.", code="context_length_exceeded")),
    "vLLM": (
        400,
        openai(
            "This model's maximum context length is 4096 tokens. However, you requested 5123 tokens (4099 in the "
            "messages, 1024 in the completion).",
            kind="BadRequestError",
            code=400,
        ),
    ),
    "vLLM, before 0.10": (
        400,
        {
            "object": "error",
            "message": "The decoder prompt (length 5123) is longer than the maximum model length of 4096.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    "vLLM with pictures": (
        400,
        openai("The prompt (total length 9001) is too long to fit into the model (context length 4096).", code=400),
    ),
    "SGLang": (
        400,
        {
            "object": "error",
            "message": "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "llama.cpp": (
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 5000,
                "n_ctx": 4096,
            }
        },
    ),
    "text-generation-inference": (
        422,
        {"error": "Input validation error: `inputs` must have less than 4096 tokens. Given: 5123"},
    ),
    "Gemini": (
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (99) exceeds the maximum number of tokens.",
                }
            }
        ],
    ),
    "Mistral": (
        400,
        {"object": "error", "message": "Prompt contains 40000 tokens, too large for model with 32768 maximum"},
    ),
    "a proxy": (413, {"error": {"message": "Request too large", "type": "request_too_large"}}),
}


@pytest.mark.parametrize("name", CHAT)
def test_servers_of_openais_protocol(lab: Lab, name: str) -> None:
    server = says(*CHAT[name])
    with pytest.raises(TooLongError):
        lab.run("local", server, ASK)
    assert server.count == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, anthropic("prompt is too long: 208656 tokens > 200000 maximum")),
        (400, anthropic("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000")),
        (413, anthropic("Request exceeds the maximum size", "request_too_large")),
    ],
)
def test_anthropic(lab: Lab, status: int, body: JsonValue) -> None:
    with pytest.raises(TooLongError):
        lab.run("anthropic", says(status, body), ASK)


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("local", openai("max_tokens is too large: 9000. This model supports at most 4096 completion tokens.")),
        ("local", openai("Invalid value for 'temperature': must be at most 2.")),
        ("anthropic", anthropic("messages.1.content.0.image: image exceeds 5 MB maximum")),
        ("anthropic", anthropic("max_tokens: 99999 > 8192, which is the maximum allowed number of output tokens")),
    ],
)
def test_other_rejections_are_none(lab: Lab, provider: str, body: JsonValue) -> None:
    with pytest.raises(RejectedError) as caught:
        lab.run(provider, says(400, body), ASK)
    assert not isinstance(caught.value, TooLongError)
