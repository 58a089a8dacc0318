"""What arrives at the provider is what was asked, and what comes back is what it said."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import orjson
import pytest

from trueline.models import (
    Answer,
    CostLedger,
    Image,
    Message,
    Model,
    Request,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    open_model,
    user,
)
from trueline.models.errors import UnsupportedError
from trueline.models.testing import FakeServer, Say, Seen
from trueline.models.types import FunctionTool
from trueline.records.setting import Sampling

if TYPE_CHECKING:
    from models.conftest import Lab

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
JPEG = b"\xff\xd8\xff" + bytes(range(255, -1, -1)) * 20


def ask(text: str = "hello", **more: object) -> Request:
    return Request.model_validate({"messages": (user(text),), **more})


def said(seen: Seen) -> str:
    """All of a request as text, for looking something up in it."""
    return orjson.dumps(seen.body).decode()


def test_text_usage_and_model_come_back(lab: Lab, wire: str) -> None:
    server = FakeServer(Say("hi there", input_tokens=100, cached_tokens=40, output_tokens=20, reasoning_tokens=7))
    [answer] = lab.run(wire, server, ask(system="be brief"))
    assert (answer.text, answer.stop, answer.complete, answer.cached) == ("hi there", "stop", True, False)
    assert answer.model == server.seen[0].model
    usage = answer.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens, usage.calls) == (
        100,
        40,
        20,
        7,
        1,
    )
    assert "be brief" in said(server.seen[0])
    assert answer.attempts == 1


def test_pictures_arrive_intact(lab: Lab, wire: str) -> None:
    first, second = Image(data=PNG), Image(data=JPEG, media_type="image/jpeg")
    server = FakeServer()
    lab.run(wire, server, Request(messages=(user("before", first), assistant("seen"), user(second, "after"))))
    assert server.seen[0].pictures() == [first.digest, second.digest]
    assert "image/jpeg" in said(server.seen[0])
    assert "image/png" in said(server.seen[0])


def test_each_provider_gets_its_own_key_and_no_other(lab: Lab, wire: str) -> None:
    server = FakeServer()
    lab.run(wire, server, ask())
    sent = " ".join(server.seen[0].headers.values())
    names = {"responses": "openai", "gemini": "genai", "local": "local_openai"}
    own = f"{names.get(wire, wire).upper()}_"
    present = {name for name, key in lab.keys.items() if key in sent}
    assert present == ({f"{own}API_KEY"} if wire != "aws" else {"AWS_ACCESS_KEY"})


def test_the_model_and_path_are_the_providers(lab: Lab, wire: str) -> None:
    server = FakeServer()
    lab.run(wire, server, ask())
    paths = {
        "responses": "/v1/responses",
        "azure": "/openai/deployments/gpt-4o/chat/completions?api-version=2025-04-01-preview",
        "anthropic": "/v1/messages",
        "aws": "/model/us.anthropic.claude-3-7-sonnet-20250219-v1:0/invoke",
    }
    assert server.seen[0].path == paths.get(wire, "/v1/chat/completions")
    expected = "us.anthropic.claude-3-7-sonnet-20250219-v1:0" if wire == "aws" else lab.wires[wire].spec.split("|")[1]
    assert server.seen[0].model == expected


CHAT = {"temperature": 0.5, "top_p": 0.9, "stop": ["END"], "seed": 7}
SENT: dict[str, dict[str, object]] = {
    "openai": {**CHAT, "max_completion_tokens": 99, "reasoning_effort": "high"},
    "azure": {**CHAT, "max_completion_tokens": 99, "reasoning_effort": "high"},
    "openrouter": {**CHAT, "max_tokens": 99, "reasoning": {"effort": "high"}},
    "together": {**CHAT, "max_tokens": 99, "reasoning_effort": "high"},
    "gemini": {**CHAT, "max_tokens": 99, "reasoning_effort": "high"},
    "vllm": {**CHAT, "max_tokens": 99, "reasoning_effort": "high"},
    "local": {**CHAT, "max_tokens": 99, "reasoning_effort": "high"},
}


@pytest.mark.parametrize("provider", list(SENT))
def test_sampling_reaches_chat_providers_under_their_own_names(lab: Lab, provider: str) -> None:
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=99, stop=("END",), seed=7, reasoning_effort="high")
    server = FakeServer()
    lab.run(provider, server, ask(sampling=sampling))
    assert {k: v for k, v in server.seen[0].body.items() if k not in ("model", "messages")} == SENT[provider]


def test_nothing_is_sent_that_was_not_asked_for(lab: Lab, wire: str) -> None:
    server = FakeServer()
    lab.run(wire, server, ask())
    always = {
        "chat": {"model", "messages"},
        "responses": {"model", "input", "store", "include"},
        "messages": {"model", "messages", "max_tokens"},
    }[lab.wires[wire].protocol]
    if wire == "aws":
        always = {"messages", "max_tokens", "anthropic_version"}
    assert set(server.seen[0].body) == always


def test_sampling_in_the_responses_api(lab: Lab) -> None:
    server = FakeServer()
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=99, reasoning_effort="low")
    lab.run("responses", server, ask(sampling=sampling))
    body = server.seen[0].body
    assert (body["temperature"], body["top_p"], body["max_output_tokens"]) == (0.5, 0.9, 99)
    assert body["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize("wire", ["anthropic", "aws"])
def test_a_temperature_selects_the_version_of_anthropics_api_that_still_takes_it(lab: Lab, wire: str) -> None:
    server = FakeServer()
    plain, cold = ask(), ask(sampling=Sampling(temperature=0.0, max_tokens=99, stop=("END",)))
    lab.run(wire, server, plain, cold)
    body = server.seen[1].body
    assert (body["temperature"], body["max_tokens"], body["stop_sequences"]) == (0.0, 99, ["END"])
    if wire == "aws":
        assert body["anthropic_version"] == "bedrock-2023-05-31"
        assert server.seen[0].body["anthropic_version"] != "bedrock-2023-05-31"
    else:
        assert server.seen[1].headers["anthropic-version"] == "2023-06-01"
        assert server.seen[0].headers["anthropic-version"] != "2023-06-01"


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("claude-sonnet-4-5-20250929", "high", {"thinking": {"type": "enabled", "budget_tokens": 16384}}),
        ("claude-sonnet-4-20250514", "low", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("claude-3-7-sonnet-latest", "medium", {"thinking": {"type": "enabled", "budget_tokens": 8192}}),
        ("claude-sonnet-4-6", "max", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}}),
        ("claude-opus-5", "low", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        ("claude-opus-4-1", "none", {"thinking": {"type": "disabled"}}),
    ],
)
def test_effort_becomes_what_each_generation_of_claude_knows(
    lab: Lab, model: str, effort: str, sent: dict[str, object]
) -> None:
    async def main() -> Seen:
        async with FakeServer() as server:
            claude = open_model(f"anthropic|{model}", config=lab.config(server))
            await claude.ask(ask(sampling=Sampling(reasoning_effort=effort)))
            await claude.close()
            return server.seen[0]

    body = asyncio.run(main()).body
    assert {key: body[key] for key in ("thinking", "output_config") if key in body} == sent
    thinking = body["thinking"]
    assert isinstance(thinking, dict)
    budget = thinking.get("budget_tokens", 0)
    assert isinstance(budget, int)
    assert isinstance(body["max_tokens"], int)
    assert body["max_tokens"] > budget


@pytest.mark.parametrize(
    ("wire", "sampling", "named"),
    [
        ("anthropic", Sampling(seed=1), "seed"),
        ("aws", Sampling(seed=1), "seed"),
        ("anthropic", Sampling(temperature=1.5), "temperature"),
        ("anthropic", Sampling(reasoning_effort="xhigh"), "xhigh"),
        ("anthropic", Sampling(reasoning_effort="high", max_tokens=100), "max_tokens"),
        ("responses", Sampling(seed=1), "seed"),
        ("responses", Sampling(reasoning_effort="enormous"), "enormous"),
        ("openai", Sampling(reasoning_effort="enormous"), "enormous"),
    ],
)
def test_what_a_provider_cannot_do_is_refused_before_anything_is_sent(
    lab: Lab, wire: str, sampling: Sampling, named: str
) -> None:
    server = FakeServer()
    with pytest.raises(UnsupportedError, match=named):
        lab.run(wire, server, ask(sampling=sampling))
    assert server.count == 0


LOOK = FunctionTool(name="look", description="look at it", parameters={"type": "object", "properties": {}})


def test_a_tool_call_goes_all_the_way_round(lab: Lab, wire: str) -> None:
    call = ToolCall(id="call_1", name="look", arguments={"at": "the door"})
    server = FakeServer(Say("let me see", calls=(call,), reasoning="hm"), Say("it is shut"))
    picture = Image(data=PNG)

    async def talk(model: Model) -> tuple[Answer, Answer]:
        question = user("is it open?")
        first = await model.ask(Request(messages=(question,), tools=(LOOK,)))
        result = ToolResult(id=first.calls[0].id, parts=(Text(text="no entry"), picture), is_error=True)
        messages = (question, first.turn(), Message(role="user", parts=(result,)))
        return first, await model.ask(Request(messages=messages, tools=(LOOK,)))

    first, second = lab.session(wire, server, talk)
    assert (first.stop, first.calls, first.reasoning) == ("tool_calls", (call,), "hm")
    assert second.text == "it is shut"
    sent = said(server.seen[1])
    assert all(words in sent for words in ("let me see", "the door", "no entry", "look at it", "call_1"))
    assert server.seen[1].pictures() == [picture.digest]
    assert "rror" in sent


def test_a_call_with_arguments_that_are_no_json_is_an_error(lab: Lab) -> None:
    from trueline.models.errors import InvalidAnswerError
    from trueline.models.testing import Body

    broken = {
        "model": "m",
        "choices": [
            {
                "finish_reason": "tool_calls",
                "message": {"tool_calls": [{"id": "1", "function": {"name": "look", "arguments": "{at: door"}}]},
            }
        ],
    }
    with pytest.raises(InvalidAnswerError, match="look"):
        lab.run("openai", FakeServer(Body(orjson.dumps(broken))), ask(tools=(LOOK,)))


def test_an_answer_of_another_provider_is_not_sent_back(lab: Lab) -> None:
    server = FakeServer(Say("x", calls=(ToolCall(id="c", name="look", arguments={}),)))
    [answer] = lab.run("anthropic", server, ask(tools=(LOOK,)))
    other = FakeServer()
    with pytest.raises(UnsupportedError):
        lab.run("openai", other, Request(messages=(user("a"), answer.turn(), user("b"))))
    assert other.count == 0


def test_money_is_counted_where_the_price_is_known_and_unknown_elsewhere(lab: Lab, wire: str) -> None:
    server = FakeServer(default=Say(input_tokens=1_000_000, output_tokens=100_000, cost=0.25))
    ledger = CostLedger()
    [answer] = lab.run(wire, server, ask(purpose="judge"), config=lambda server: lab.config(server, ledger=ledger))
    known = {
        "openai": 3.5,
        "azure": 3.5,
        "responses": 4.2,
        "aws": 4.5,
        "openrouter": 0.25,
        # A million tokens is beyond what the listed price covers.
        "anthropic": None,
        "gemini": None,
    }
    assert answer.usage.cost == pytest.approx(known.get(wire))
    assert ledger.by("purpose")["judge"] == answer.usage


def test_an_azure_deployment_is_priced_by_the_model_it_reports(lab: Lab) -> None:
    async def main() -> Answer:
        async with FakeServer(Say(model="gpt-4o-2024-11-20", input_tokens=1_000_000, output_tokens=0)) as server:
            model = open_model("azure|my-own-name", config=lab.config(server))
            answer = await model.ask(ask())
            await model.close()
            return answer

    assert asyncio.run(main()).usage.cost == pytest.approx(2.5)


def test_half_characters_from_a_screen_do_not_stop_a_call(lab: Lab, protocol_wire: str) -> None:
    server = FakeServer()
    lab.run(protocol_wire, server, ask("title: a\ud800b \U0001f600 é"))
    assert "title: a?b \U0001f600 é" in server.seen[0].raw.decode()


def test_a_deployment_with_an_odd_name_stays_inside_its_path(lab: Lab) -> None:
    async def main() -> str:
        async with FakeServer() as server:
            model = open_model("azure|../../admin?x=1", config=lab.config(server))
            await model.ask(ask())
            await model.close()
            return server.seen[0].path

    path = asyncio.run(main())
    assert path.startswith("/openai/deployments/..%2F..%2Fadmin%3Fx%3D1/chat/completions?")
