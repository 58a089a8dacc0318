"""A parameter that a server rejects by name is left out once and for all; nothing else ever is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson
import pytest

from trueline.models import Answer, Model, Request, Schema, ToolCall, user
from trueline.models.errors import ModelError, RejectedError, UnsupportedError
from trueline.models.testing import Body, FakeServer, Play, Say, Seen, Status, strict
from trueline.models.types import FunctionTool, Json
from trueline.records.setting import Sampling

if TYPE_CHECKING:
    from models.conftest import Lab

ASK = Request(
    messages=(user("well?"),), sampling=Sampling(temperature=0.2, top_p=0.9, max_tokens=50, seed=7, stop=("END",))
)
LOOK = FunctionTool(name="look", parameters={"type": "object", "properties": {}})


def picky(parameter: str, document: Json, status: int = 400) -> Callable[[Seen], Play]:
    def play(seen: Seen) -> Play:
        return Body(orjson.dumps(document), status) if parameter in seen.body else Say("fine")

    return play


OPENAI: Json = {"message": "Unsupported parameter: 'top_p' is not supported with this model.", "param": "top_p"}
ERRORS: list[tuple[str, str, Json, int]] = [
    ("local", "top_p", {"error": OPENAI}, 400),
    ("local", "seed", {"error": {"message": "Unrecognized request argument supplied: seed", "param": None}}, 400),
    ("local", "temperature", {"message": "temperature must be non-negative", "param": "temperature"}, 400),
    ("local", "top_p", {"error": {"message": "litellm.BadRequestError: `top_p` is deprecated", "param": "None"}}, 400),
    ("local", "seed", {"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted"}]}, 422),
    ("local", "seed", {"error": {"message": "seed: Extra inputs are not permitted"}}, 400),
    ("local", "stop", {"error": {"message": "'stop' is not supported", "code": 400}}, 400),
    (
        "openrouter",
        "temperature",
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": "'temperature' unsupported"},
            }
        },
        200,
    ),
]


@pytest.mark.parametrize(("wire", "parameter", "document", "status"), ERRORS)
def test_a_rejected_parameter_is_left_out_from_there_on_and_told_once(
    lab: Lab, wire: str, parameter: str, document: Json, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    server = FakeServer(default=picky(parameter, document, status))
    answers = lab.run(wire, server, ASK, ASK)
    assert [answer.text for answer in answers] == ["fine", "fine"]
    assert [parameter in seen.body for seen in server.seen] == [True, False, False]
    kept = {"temperature", "top_p", "max_tokens", "seed", "stop"} - {parameter}
    assert all(kept <= seen.body.keys() for seen in server.seen)
    assert [answer.unsent for answer in answers] == [(parameter,)] * 2
    [line] = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert parameter in line and "\n" not in line


def test_a_reasoning_model_under_a_name_of_its_users_choice_is_found_out(lab: Lab) -> None:
    server = FakeServer(default=strict(Say("one END two"), deployed="gpt-5-mini"))
    [answer] = lab.run("local", server, ASK)
    body = server.seen[-1].body
    assert body["max_completion_tokens"] == 50
    assert not {"temperature", "top_p", "max_tokens", "stop"} & body.keys()
    assert answer.text == "one "
    assert set(answer.unsent) == {"temperature", "top_p", "stop"}
    assert server.count == 5


def test_a_server_that_knows_only_the_older_name_of_the_limit_gets_that(lab: Lab) -> None:
    document: Json = {"error": {"message": "unknown field `max_completion_tokens`"}}
    server = FakeServer(default=picky("max_completion_tokens", document))
    lab.run("openai", server, ASK)
    assert server.seen[-1].body["max_tokens"] == 50


def test_of_two_that_exclude_each_other_top_p_goes(lab: Lab) -> None:
    words = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    seen_both: list[bool] = []

    def play(seen: Seen) -> Play:
        both = {"temperature", "top_p"} <= seen.body.keys()
        seen_both.append(both)
        return Status(400, words) if both else Say("fine")

    server = FakeServer(default=play)
    lab.run("local", server, ASK)
    assert seen_both == [True, False]
    assert server.seen[-1].body["temperature"] == 0.2


def test_many_at_once_tell_it_once(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    server = FakeServer(default=picky("top_p", {"error": OPENAI}))

    async def talk(model: Model) -> list[Answer]:
        return await asyncio.gather(*(model.ask(ASK) for _ in range(20)))

    assert {answer.text for answer in lab.session("local", server, talk)} == {"fine"}
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
    assert server.count <= 40


@pytest.mark.parametrize(
    "error",
    [
        {"message": "messages[0].content is not supported", "param": "messages[0].content"},
        {"message": "'tools' is not supported with this model", "param": "tools"},
        {"message": "Invalid image: please stop sending pictures like this", "param": None},
        {"message": "'response_format' of type 'json_schema' is not supported", "param": "response_format"},
    ],
)
def test_what_makes_it_another_question_is_never_left_out(lab: Lab, error: Json) -> None:
    server = FakeServer(default=Body(orjson.dumps({"error": error}), 400))
    with pytest.raises(RejectedError):
        lab.run("local", server, ASK.model_copy(update={"tools": (LOOK,)}))
    assert server.count == 1


def test_a_parameter_that_was_not_sent_cannot_be_left_out(lab: Lab) -> None:
    server = FakeServer(default=Body(orjson.dumps({"error": OPENAI}), 400))
    with pytest.raises(RejectedError):
        lab.run("local", server, Request(messages=(user("well?"),)))
    assert server.count == 1


def test_a_server_that_rejects_everything_is_given_up(lab: Lab) -> None:
    def play(seen: Seen) -> Play:
        return Status(400, f"unsupported: '{next(iter(seen.body.keys() - {'model', 'messages'}), 'model')}'")

    server = FakeServer(default=play)
    with pytest.raises(ModelError):
        lab.run("local", server, ASK)
    assert server.count <= 8


def test_anthropics_limit_is_never_left_out(lab: Lab) -> None:
    error: Json = {"type": "invalid_request_error", "message": "max_tokens: 50 is above the maximum allowed"}
    server = FakeServer(default=Body(orjson.dumps({"type": "error", "error": error}), 400))
    with pytest.raises(RejectedError):
        lab.run("anthropic", server, Request(messages=(user("well?"),), sampling=Sampling(max_tokens=50)))
    assert server.count == 1


@pytest.mark.parametrize("wire", ["openai", "responses", "anthropic", "aws"])
def test_a_stop_sequence_ends_the_answer_with_every_provider(lab: Lab, wire: str) -> None:
    request = Request(messages=(user("well?"),), sampling=Sampling(stop=("<end>", "</a>")))
    [answer] = lab.run(wire, FakeServer(Say("yes</a> and <end> more")), request)
    assert (answer.text, answer.stop) == ("yes", "stop")


def test_an_answer_may_begin_with_its_end(lab: Lab) -> None:
    request = Request(messages=(user("well?"),), sampling=Sampling(stop=("END",)))
    [answer] = lab.run("local", FakeServer(Say("")), request)
    assert (answer.text, answer.stop) == ("", "stop")


def test_where_there_are_tools_a_stop_sequence_that_cannot_be_sent_is_refused(lab: Lab) -> None:
    server = FakeServer(Say(calls=(ToolCall(id="c", name="look", arguments={}),)))
    request = Request(messages=(user("well?"),), sampling=Sampling(stop=("END",)), tools=(LOOK,))
    with pytest.raises(UnsupportedError, match="stop"):
        lab.run("responses", server, request)
    assert server.count == 0


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_structured_answer_survives_a_rejected_parameter(lab: Lab, wire: str) -> None:
    schema = Schema(definition={"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
    rejected = Status(400, "`temperature` is deprecated for this model.")
    call = ToolCall(id="c", name="answer", arguments={"a": 1})
    said = Say(calls=(call,)) if wire == "anthropic" else Say('{"a": 1}')
    server = FakeServer(default=lambda seen: rejected if "temperature" in seen.body else said)
    request = Request(messages=(user("well?"),), sampling=Sampling(temperature=0.2), expects=schema)
    [answer] = lab.run(wire, server, request)
    assert answer.parsed == {"a": 1}
    assert ("response_format" in server.seen[-1].body) or ("tool_choice" in server.seen[-1].body)
