"""The providers' own computer tools, round and round."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import pytest
from pydantic import JsonValue

from trueline.models import (
    Answer,
    ComputerTool,
    Image,
    Message,
    Model,
    Request,
    Text,
    ToolCall,
    ToolResult,
    open_model,
    user,
)
from trueline.models.errors import UnsupportedError
from trueline.models.testing import Body, FakeServer, Say
from trueline.models.types import ComputerVersion, Json

if TYPE_CHECKING:
    from models.conftest import Lab

SHOT = Image(data=b"\x89PNG\r\n\x1a\nshot", detail="original")
CLICK: Json = {"type": "click", "button": "left", "x": 3, "y": 4}


def computer(version: ComputerVersion, zoom: bool = False) -> ComputerTool:
    return ComputerTool(version=version, width=1920, height=1080, zoom=zoom)


@pytest.mark.parametrize(
    ("wire", "version", "sent", "beta"),
    [
        (
            "responses",
            "computer_use_preview",
            {
                "type": "computer_use_preview",
                "display_width": 1920,
                "display_height": 1080,
                "environment": "linux",
            },
            None,
        ),
        ("openai", "computer", {"type": "computer"}, None),
        (
            "anthropic",
            "computer_20250124",
            {"type": "computer_20250124", "name": "computer", "display_width_px": 1920, "display_height_px": 1080},
            "computer-use-2025-01-24",
        ),
        (
            "anthropic",
            "computer_20251124",
            {
                "type": "computer_20251124",
                "name": "computer",
                "display_width_px": 1920,
                "display_height_px": 1080,
                "enable_zoom": True,
            },
            "computer-use-2025-11-24",
        ),
        ("anthropic", "computer_toolset_20260801", {"type": "computer_toolset_20260801"}, None),
    ],
)
def test_each_tool_is_declared_as_its_provider_wants(
    lab: Lab, wire: str, version: ComputerVersion, sent: Json, beta: str | None
) -> None:
    server = FakeServer()
    lab.run(wire, server, Request(messages=(user("go"),), tools=(computer(version, zoom=version.endswith("1124")),)))
    seen = server.seen[0]
    assert seen.body["tools"] == [sent]
    assert seen.headers.get("anthropic-beta") == beta
    assert (seen.protocol == "responses") == (wire != "anthropic")
    assert seen.body.get("truncation") == ("auto" if version == "computer_use_preview" else None)


def test_bedrock_gets_the_beta_in_its_body(lab: Lab) -> None:
    server = FakeServer()
    lab.run("aws", server, Request(messages=(user("go"),), tools=(computer("computer_20250124"),)))
    assert server.seen[0].body["anthropic_beta"] == ["computer-use-2025-01-24"]


@pytest.mark.parametrize(
    ("wire", "version"),
    [("anthropic", "computer"), ("openai", "computer_20250124"), ("local", "computer"), ("gemini", "computer")],
)
def test_a_tool_of_another_provider_is_refused(lab: Lab, wire: str, version: ComputerVersion) -> None:
    server = FakeServer()
    with pytest.raises(UnsupportedError, match=version):
        lab.run(wire, server, Request(messages=(user("go"),), tools=(computer(version),)))
    assert server.count == 0


@pytest.mark.parametrize("form", ["action", "actions"])
def test_openais_calls_go_back_as_they_came_with_the_screenshot(lab: Lab, form: Literal["action", "actions"]) -> None:
    check: Json = {"id": "sc_1", "code": "malicious_instructions", "message": "careful"}
    arguments: Json = {form: CLICK if form == "action" else [CLICK, {"type": "wait"}], "pending_safety_checks": [check]}
    server = FakeServer(Say("", calls=(ToolCall(id="c1", name="computer", arguments=arguments),), reasoning="see it"))
    tool = computer("computer_use_preview")

    async def talk(model: Model) -> Answer:
        first = await model.ask(Request(messages=(user("go", SHOT),), tools=(tool,)))
        result = ToolResult(id="c1", parts=(SHOT, Text(text="stay on task")), acknowledged=(check,))
        story = (user("go", SHOT), first.turn(), Message(role="user", parts=(result,)))
        await model.ask(Request(messages=story, tools=(tool,)))
        return first

    first = lab.session("responses", server, talk)
    assert first.stop == "tool_calls"
    assert first.calls[0].arguments == arguments
    assert first.reasoning == "see it"
    items = server.seen[1].body["input"]
    assert isinstance(items, list)
    kinds = [item.get("type", item.get("role")) for item in items if isinstance(item, dict)]
    assert kinds == ["user", "reasoning", "computer_call", "computer_call_output", "user"]
    assert items[2] == first.native[1].item
    output = items[3]
    assert isinstance(output, dict)
    assert output["call_id"] == "c1"
    assert output["acknowledged_safety_checks"] == [check]
    assert server.seen[1].pictures() == [SHOT.digest, SHOT.digest]
    assert server.seen[1].body["store"] is False


def test_openais_computer_wants_exactly_one_screenshot_back(lab: Lab) -> None:
    server = FakeServer(Say("", calls=(ToolCall(id="c1", name="computer", arguments={"action": CLICK}),)))
    tool = computer("computer")

    async def talk(model: Model) -> None:
        first = await model.ask(Request(messages=(user("go"),), tools=(tool,)))
        result = ToolResult(id="c1", parts=(Text(text="no picture"),))
        await model.ask(
            Request(messages=(user("go"), first.turn(), Message(role="user", parts=(result,))), tools=(tool,))
        )

    with pytest.raises(UnsupportedError, match="screenshot"):
        lab.session("openai", server, talk)


def test_results_of_anthropics_toolset_name_the_toolset(lab: Lab) -> None:
    blocks: list[JsonValue] = [
        {"type": "thinking", "thinking": "there", "signature": "sig"},
        {"type": "text", "text": "I click."},
        {
            "type": "tool_use",
            "id": "t1",
            "name": "left_click",
            "input": {"coordinate": [3, 4]},
            "toolset_name": "computer",
            "caller": {"type": "direct"},
        },
    ]
    usage: Json = {"input_tokens": 1, "output_tokens": 1}
    server = FakeServer(Body.from_json({"model": "m", "content": blocks, "stop_reason": "tool_use", "usage": usage}))
    tool = computer("computer_toolset_20260801")

    async def talk(model: Model) -> Answer:
        first = await model.ask(Request(messages=(user("go"),), tools=(tool,)))
        result = ToolResult(id="t1", parts=(SHOT,))
        story = (user("go"), first.turn(), Message(role="user", parts=(result,)))
        await model.ask(Request(messages=story, tools=(tool,)))
        return first

    first = lab.session("anthropic", server, talk)
    assert first.calls == (ToolCall(id="t1", name="left_click", arguments={"coordinate": [3, 4]}),)
    assert (first.text, first.reasoning) == ("I click.", "there")
    messages = server.seen[1].body["messages"]
    assert isinstance(messages, list)
    turn, back = messages[1], messages[2]
    assert isinstance(turn, dict)
    assert isinstance(back, dict)
    assert turn["content"] == blocks
    content = back["content"]
    assert isinstance(content, list)
    assert isinstance(content[0], dict)
    assert content[0]["toolset_name"] == "computer"
    assert content[0]["tool_use_id"] == "t1"


def test_the_computer_tool_on_azure_uses_the_responses_api(lab: Lab) -> None:
    async def main() -> str:
        async with FakeServer() as server:
            model = open_model("azure|my-cua", config=lab.config(server))
            await model.ask(Request(messages=(user("go"),), tools=(computer("computer"),)))
            await model.close()
            return server.seen[0].path

    assert asyncio.run(main()) == "/openai/responses?api-version=2025-04-01-preview"
