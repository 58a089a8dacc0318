"""Whatever a provider does wrong, it never becomes an answer."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

import orjson
import pytest

from trueline.models import Config, CostLedger, Model, ModelError, Request, Schema, user
from trueline.models.errors import (
    AttemptTimeoutError,
    AuthError,
    ConnectionLostError,
    MalformedResponseError,
    RateLimitedError,
    RejectedError,
    ServerError,
)
from trueline.models.http_client import LARGEST_RESPONSE
from trueline.models.retry import RetryPolicy
from trueline.models.testing import Body, FakeServer, Play, Say, Status, faults
from trueline.models.testing.plays import Protocol
from trueline.models.testing.render import render_answer
from trueline.models.types import Json

if TYPE_CHECKING:
    from models.conftest import Lab

ASK = Request(messages=(user("well?"),))
STRUCTURED = ASK.model_copy(
    update={"expects": Schema(definition={"type": "object", "properties": {"ok": {"type": "boolean"}}})}
)


def patience(attempts: int, name: str) -> RetryPolicy:
    """Little time for what hangs, enough for everything else."""
    attempt_s = 0.2 if name == "hang" else 20
    return RetryPolicy(attempts, min(attempts, 2), first_s=0.001, longest_s=0.01, attempt_s=attempt_s, deadline_s=40)


NAMES = list(faults("chat"))

EXPECTED: dict[str, type[ModelError]] = {
    "429 with Retry-After": RateLimitedError,
    "429 without Retry-After": RateLimitedError,
    "500": ServerError,
    "503": ServerError,
    "400": RejectedError,
    "401": AuthError,
    "403": AuthError,
    "404": RejectedError,
    "hang": AttemptTimeoutError,
    "reset inside the body": ConnectionLostError,
}
"""Everything else is a response that makes no sense."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error:
        yield error
        error = error.__cause__ or error.__context__


def protocol_of(lab: Lab, wire: str) -> Protocol:
    name = lab.wires[wire].protocol
    return next(protocol for protocol in get_args(Protocol) if protocol == name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("request_", [ASK, STRUCTURED], ids=["text", "structured"])
def test_a_fault_is_an_error_of_its_own_kind(lab: Lab, protocol_wire: str, name: str, request_: Request) -> None:
    play = faults(protocol_of(lab, protocol_wire))[name]
    server = FakeServer(default=play)
    with pytest.raises(ModelError) as caught:
        lab.run(protocol_wire, server, request_, config=lambda server: lab.config(server, retry=patience(1, name)))
    assert type(caught.value) is EXPECTED.get(name, MalformedResponseError)
    # A rejected schema is asked for once more by words; nothing else is.
    most = 2 if name == "400" and request_ is STRUCTURED else 1
    assert server.count == most or name == "hang"
    assert "\n" not in str(caught.value)
    # The clients' own exceptions hold the request, and so the key.
    holders = {type(e).__module__.partition(".")[0] for e in chain(caught.value)}
    assert holders <= {"trueline", "builtins", "asyncio", "pydantic_core"}


@pytest.mark.parametrize("name", NAMES)
def test_what_passes_is_asked_again_and_what_does_not_is_not(lab: Lab, protocol_wire: str, name: str) -> None:
    play = faults(protocol_of(lab, protocol_wire))[name]
    server = FakeServer(play, Say("at last"))

    def ask() -> tuple[str, int]:
        [answer] = lab.run(protocol_wire, server, ASK, config=lambda s: lab.config(s, retry=patience(3, name)))
        return answer.text, answer.attempts

    if EXPECTED.get(name) in (RejectedError, AuthError):
        with pytest.raises(ModelError):
            ask()
        assert server.count == 1
    else:
        assert ask() == ("at last", 2)


@pytest.mark.parametrize(("name", "times"), [("500", 3), ("429 without Retry-After", 3), ("empty choice", 2)])
def test_patience_ends_and_the_error_says_after_how_many_attempts(lab: Lab, name: str, times: int) -> None:
    server = FakeServer(default=faults("chat")[name])
    with pytest.raises(ModelError, match=f"after {times} attempts"):
        lab.run("openai", server, ASK)
    assert server.count == times


def test_the_providers_own_code_is_kept(lab: Lab) -> None:
    server = FakeServer(Status(400, "too many tokens", "context_length_exceeded"))
    with pytest.raises(RejectedError) as caught:
        lab.run("openai", server, ASK)
    assert (caught.value.code, caught.value.status) == ("context_length_exceeded", 400)


def test_an_exhausted_account_is_not_asked_again(lab: Lab) -> None:
    server = FakeServer(default=Status(429, "You exceeded your current quota", "insufficient_quota"))
    with pytest.raises(RejectedError, match="quota"):
        lab.run("openai", server, ASK)
    assert server.count == 1


@pytest.mark.parametrize("stop", ["length", "refusal", "content_filter"])
def test_refusal_filter_and_truncation_are_answers_that_say_so(lab: Lab, wire: str, stop: str) -> None:
    plays: dict[str, Play] = {
        "length": Say("half", stop="length"),
        "refusal": Say("", stop="refusal", refusal="I will not"),
        "content_filter": Say("", stop="content_filter"),
    }
    server = FakeServer(plays[stop])
    [answer] = lab.run(wire, server, ASK)
    expected = "refusal" if stop == "content_filter" and lab.wires[wire].protocol == "messages" else stop
    assert (answer.stop, answer.complete) == (expected, False)
    assert server.count == 1


@pytest.mark.parametrize("wire", ["azure", "openai", "responses"])
@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_request_stopped_by_a_filter_is_filtered_not_failed(lab: Lab, wire: str, code: str) -> None:
    server = FakeServer(Status(400, "The prompt triggered a content policy.", code))
    [answer] = lab.run(wire, server, ASK)
    assert (answer.stop, answer.text) == ("content_filter", "")
    assert "content policy" in answer.refusal


def failed(code: str) -> Json:
    return {"status": "failed", "output": [], "error": {"code": code, "message": "did not work"}, "usage": None}


@pytest.mark.parametrize(
    ("code", "kind"),
    [("server_error", ServerError), ("rate_limit_exceeded", RateLimitedError), ("invalid_image", RejectedError)],
)
def test_a_failed_response_is_told_apart_by_its_code(lab: Lab, code: str, kind: type[ModelError]) -> None:
    with pytest.raises(kind, match="did not work"):
        lab.run("responses", FakeServer(default=Body.from_json(failed(code))), ASK)


def test_a_failed_response_may_be_a_filter(lab: Lab) -> None:
    [answer] = lab.run("responses", FakeServer(Body.from_json(failed("invalid_prompt"))), ASK)
    assert answer.stop == "content_filter"


@pytest.mark.parametrize(("code", "kind"), [(429, RateLimitedError), (502, ServerError), (401, AuthError)])
def test_an_error_inside_a_response_of_status_200_is_an_error(lab: Lab, code: int, kind: type[ModelError]) -> None:
    body: Json = {"error": {"code": code, "message": "upstream"}, "user_id": "u"}
    with pytest.raises(kind, match="upstream"):
        lab.run("openrouter", FakeServer(default=Body.from_json(body)), ASK)


def test_negative_token_counts_are_no_usage(lab: Lab) -> None:
    with pytest.raises(MalformedResponseError, match="usage"):
        lab.run("openai", FakeServer(default=Say(input_tokens=-5)), ASK)


def test_a_senseless_response_may_have_cost_money_so_the_sum_is_unknown(lab: Lab) -> None:
    ledger = CostLedger()
    server = FakeServer(Body(b"oops"), Say())
    [answer] = lab.run("openai", server, ASK, config=lambda server: lab.config(server, ledger=ledger))
    assert answer.usage.cost is not None
    assert ledger.total().cost is None
    assert ledger.total().calls == 2
    assert ledger.spent == answer.usage.cost


def test_a_server_that_is_not_there_is_a_lost_connection(lab: Lab) -> None:
    server = FakeServer()

    async def talk(model: Model) -> None:
        await server.__aexit__(None, None, None)
        await model.ask(ASK)

    with pytest.raises(ConnectionLostError):
        lab.session("openai", server, talk)


@pytest.mark.parametrize("status", [200, 500])
def test_a_response_that_unpacks_to_any_size_is_not_read_to_its_end(lab: Lab, protocol_wire: str, status: int) -> None:
    bomb = gzip.compress(bytes(LARGEST_RESPONSE + 1), compresslevel=1)
    server = FakeServer(default=Body(bomb, status, {"Content-Encoding": "gzip"}))
    with pytest.raises(MalformedResponseError, match="larger than 64 MiB"):
        lab.run(protocol_wire, server, ASK, config=lambda s: lab.config(s, retry=patience(1, "bomb")))


def test_a_server_elsewhere_is_not_read_to_its_end_either(
    lab: Lab, protocol_wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    server = FakeServer(Say("hi"), default=Body(bytes(LARGEST_RESPONSE + 1)))

    def elsewhere(server: FakeServer) -> Config:
        # Reaches this machine, too, by a name that is not known to.
        server.url = server.url.replace("127.0.0.1", "0.0.0.0")
        return lab.config(server, retry=patience(1, "large"))

    with pytest.raises(MalformedResponseError, match="larger than 64 MiB"):
        lab.run(protocol_wire, server, ASK, ASK, config=elsewhere)
    assert server.count == 2


def test_a_packed_response_is_read(lab: Lab, protocol_wire: str) -> None:
    body = gzip.compress(orjson.dumps(render_answer(Say("packed"), protocol_of(lab, protocol_wire), "m")))
    server = FakeServer(Body(body, headers={"Content-Encoding": "gzip"}))
    [answer] = lab.run(protocol_wire, server, ASK)
    assert answer.text == "packed"
