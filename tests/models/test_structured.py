"""A structured answer is valid or an error; nothing in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import orjson
import pytest
from pydantic import BaseModel

from trueline.errors import InputError
from trueline.models import CostLedger, Model, ModelError, Request, Schema, ToolCall, user
from trueline.models.errors import InvalidAnswerError, NoAnswerError, RejectedError, UnsupportedError
from trueline.models.structured import read_structured
from trueline.models.testing import FakeServer, Play, Say, Seen, Status
from trueline.models.types import FunctionTool, Stop
from trueline.records.setting import Sampling

if TYPE_CHECKING:
    from models.conftest import Lab


class Verdict(BaseModel):
    thought: str
    align: bool
    level: Literal["low", "high"] | None = None


GOOD = '{"thought": "it helps", "align": true, "level": null}'
SCHEMA = Schema.from_model(Verdict, name="verdict", description="Say whether it helps.")
BY_WORDS = ("openrouter", "together", "gemini")
BY_TOOL = ("anthropic", "aws")


def ask(**more: object) -> Request:
    return Request.model_validate({"messages": (user("does it help?"),), "expects": SCHEMA, **more})


def say(text: str, wire: str) -> Say:
    """The answer as the model would give it: Anthropic's by the tool it is forced to call."""
    if wire in BY_TOOL:
        return Say("", calls=(ToolCall(id="t", name="verdict", arguments=orjson.loads(text)),))
    return Say(text)


def test_an_answer_is_checked_and_parsed(lab: Lab, wire: str) -> None:
    server = FakeServer(say(GOOD, wire))
    [answer] = lab.run(wire, server, ask())
    assert answer.parse(Verdict) == Verdict(thought="it helps", align=True)
    assert answer.stop == "stop"
    assert answer.calls == ()
    assert server.count == 1


def test_the_schema_is_asked_for_in_each_providers_own_way(lab: Lab, wire: str) -> None:
    server = FakeServer(say(GOOD, wire))
    lab.run(wire, server, ask())
    body = server.seen[0].body
    if wire in BY_TOOL:
        assert body["tool_choice"] == {"type": "tool", "name": "verdict", "disable_parallel_tool_use": True}
        tools = body["tools"]
        assert isinstance(tools, list)
        assert isinstance(tools[0], dict)
        assert tools[0]["input_schema"] == SCHEMA.definition
        return
    if wire in BY_WORDS:
        assert "response_format" not in body
        assert '"align"' in orjson.dumps(body).decode().replace("\\", "")
        return
    if wire == "responses":
        text = body["text"]
        assert isinstance(text, dict)
        given = text["format"]
    else:
        asked = body["response_format"]
        assert isinstance(asked, dict)
        assert asked["type"] == "json_schema"
        given = asked["json_schema"]
    assert isinstance(given, dict)
    assert given["name"] == "verdict"
    assert given["strict"] is True
    schema = given["schema"]
    assert isinstance(schema, dict)
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["thought", "align", "level"]
    assert "default" not in orjson.dumps(schema).decode()


@pytest.mark.parametrize("wire", ["openai", "responses", "azure", "vllm", "local", "anthropic", "aws"])
@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_rejects_the_schema_is_asked_by_words_and_remembered(lab: Lab, wire: str, status: int) -> None:
    def answer(seen: Seen) -> Play:
        native = any(key in seen.body for key in ("response_format", "text", "tools"))
        return Status(status, "response_format is not supported") if native else Say(GOOD)

    server = FakeServer(default=answer)
    answers = lab.run(wire, server, ask(), ask())
    assert [a.parse(Verdict).align for a in answers] == [True, True]
    assert server.count == 3


def test_a_rejected_schema_says_nothing_about_other_schemas(lab: Lab) -> None:
    other = Schema(definition={"type": "object", "properties": {"ok": {"type": "boolean"}}})
    server = FakeServer(Status(400, "bad keyword"), Say(GOOD), Say('{"ok": true}'))
    lab.run("openai", server, ask(), ask(expects=other))
    assert "response_format" in server.seen[2].body


def test_a_bad_request_is_not_blamed_on_the_schema_for_good(lab: Lab) -> None:
    server = FakeServer(Status(400, "too long"), Status(400, "too long"), Say(GOOD))

    async def talk(model: Model) -> None:
        with pytest.raises(RejectedError, match="too long"):
            await model.ask(ask())
        await model.ask(ask())

    lab.session("openai", server, talk)
    assert "response_format" in server.seen[2].body


BAD = {
    "words": "Sure! The action is aligned: true.",
    "json in words": f"Here you go: {GOOD} Hope it helps.",
    "two objects": f"{GOOD}\n{GOOD}",
    "fence in words": f"Here:\n```json\n{GOOD}\n```",
    "no object": "true",
    "wrong type": '{"thought": "x", "align": "true", "level": null}',
    "number for bool": '{"thought": "x", "align": 1, "level": null}',
    "missing field": '{"thought": "x"}',
    "not a choice": '{"thought": "x", "align": true, "level": "medium"}',
    "cut off": '{"thought": "x", "align": tr',
    "not a number": '{"thought": NaN, "align": true}',
}


@pytest.mark.parametrize("text", list(BAD.values()), ids=list(BAD))
@pytest.mark.parametrize("wire", ["openai", "responses", "gemini"])
def test_what_is_not_exactly_the_json_is_repaired_once_then_an_error(lab: Lab, wire: str, text: str) -> None:
    server = FakeServer(default=Say(text))
    with pytest.raises(InvalidAnswerError):
        lab.run(wire, server, ask())
    assert server.count == 2


@pytest.mark.parametrize("wire", ["openai", "responses", "gemini", "anthropic", "aws"])
def test_one_repair_turn_shows_the_model_its_answer_and_what_is_wrong(lab: Lab, wire: str) -> None:
    server = FakeServer(say('{"thought": "x"}', wire), say(GOOD, wire))
    ledger = CostLedger()
    [answer] = lab.run(wire, server, ask(), config=lambda server: lab.config(server, ledger=ledger))
    assert answer.parse(Verdict).align
    second = orjson.dumps(server.seen[1].body).decode()
    assert "align: is missing" in second
    assert "thought" in second
    assert (answer.usage.calls, answer.usage.input_tokens, answer.attempts) == (2, 22, 2)
    assert ledger.total().calls == 2


@pytest.mark.parametrize("text", [GOOD, f"\n {GOOD} \n", f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```"])
def test_json_may_stand_alone_or_in_one_fence(text: str) -> None:
    assert read_structured(text, SCHEMA) == (orjson.loads(GOOD), [])


def test_a_thought_before_the_json_is_passed_over_but_not_searched() -> None:
    assert read_structured(f"<think>maybe {{}}</think>\n{GOOD}", SCHEMA)[1] == []
    assert read_structured(f"<think>{GOOD}</think> no", SCHEMA)[1] != []
    assert read_structured(f"<think>{GOOD}", SCHEMA)[1] != []


@pytest.mark.parametrize("stop", ["length", "refusal", "content_filter"])
def test_no_answer_is_a_result_of_its_own_and_never_parsed(lab: Lab, wire: str, stop: Stop) -> None:
    words = "I will not" if stop == "refusal" else ""
    server = FakeServer(Say(GOOD, stop=stop, refusal=words))
    [answer] = lab.run(wire, server, ask())
    anthropics = wire in BY_TOOL and stop == "content_filter"
    assert answer.stop == ("refusal" if anthropics else stop)
    assert answer.parsed is None
    assert not answer.complete
    assert answer.refusal == words
    with pytest.raises(NoAnswerError):
        answer.parse(Verdict)
    with pytest.raises(NoAnswerError):
        answer.require()
    assert server.count == 1


def test_a_truncated_repair_is_truncated(lab: Lab) -> None:
    server = FakeServer(Say("no"), Say(GOOD, stop="length"))
    [answer] = lab.run("openai", server, ask())
    assert answer.stop == "length"
    assert answer.parsed is None
    assert answer.usage.calls == 2


def test_claude_is_asked_by_words_while_it_thinks_because_a_forced_tool_is_not_allowed_then(lab: Lab) -> None:
    server = FakeServer(Say(GOOD, reasoning="hm"))
    [answer] = lab.run("anthropic", server, ask(sampling=Sampling(reasoning_effort="low")))
    assert answer.parse(Verdict).align
    assert "tools" not in server.seen[0].body


def test_a_forced_tool_that_was_not_called_is_no_answer(lab: Lab) -> None:
    other = Say("", calls=(ToolCall(id="t", name="something_else", arguments={}),))
    with pytest.raises(ModelError):
        lab.run("anthropic", FakeServer(default=other), ask())


def test_tools_and_a_structured_answer_exclude_each_other(lab: Lab) -> None:
    tool = FunctionTool(name="look", parameters={"type": "object"})
    with pytest.raises(UnsupportedError, match="tools"):
        lab.run("openai", FakeServer(), ask(tools=(tool,)))


def test_a_schema_that_cannot_be_checked_is_refused_before_anything_is_sent(lab: Lab) -> None:
    server = FakeServer()
    odd = Schema(definition={"type": "object", "patternProperties": {"^x": {}}})
    with pytest.raises(InputError, match="patternProperties"):
        lab.run("openai", server, ask(expects=odd))
    assert server.count == 0


def test_a_schema_with_free_keys_is_sent_as_it_is_and_not_called_strict(lab: Lab) -> None:
    free = Schema(definition={"type": "object", "additionalProperties": {"type": "integer"}})
    server = FakeServer(Say('{"a": 1}'), Say('{"a": "x"}'), Say('{"a": 2}'))
    answers = lab.run("openai", server, ask(expects=free), ask(expects=free))
    assert [a.parsed for a in answers] == [{"a": 1}, {"a": 2}]
    asked = server.seen[0].body["response_format"]
    assert isinstance(asked, dict)
    assert asked["json_schema"] == {"name": "answer", "schema": free.definition, "strict": False}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"thought": "t", "align": false, "align": true, "level": null}', "align"),
        ('{"thought": "t", "align": true, "\\u0061lign": true, "level": null}', "align"),
        ('{"thought": "t", "align": true, "level": null, "more": [{"a": {"b": 1, "b": 1}}]}', "b"),
    ],
)
def test_a_key_that_stands_twice_is_a_fault_at_any_depth(text: str, key: str) -> None:
    assert read_structured(text, SCHEMA) == (None, [f"the key {key!r} appears twice in one object"])


def test_a_key_that_stands_twice_is_repaired_or_an_error(lab: Lab) -> None:
    twice = Say('{"thought": "t", "align": false, "align": true, "level": null}')
    server = FakeServer(twice, Say(GOOD))
    [answer] = lab.run("openai", server, ask())
    assert (answer.attempts, answer.parsed) == (2, orjson.loads(GOOD))
    assert "appears twice" in server.seen[1].raw.decode()
    with pytest.raises(InvalidAnswerError, match="'align' appears twice"):
        lab.run("openai", FakeServer(default=twice), ask())
