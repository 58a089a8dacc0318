"""A key leaves this process in one header of one request, and in nothing else."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from trueline.models import Answer, Config, CostLedger, Model, ModelError, Request, user
from trueline.models.testing import Body, FakeServer, Play, Say, Seen, Status, faults

if TYPE_CHECKING:
    from models.conftest import Lab

ASK = Request(messages=(user("well?"),))


def credential(seen: Seen) -> str:
    """What the client sent as its key, so that the server can echo it."""
    return seen.headers.get("api-key") or seen.headers["authorization"].removeprefix("Bearer ")


def echo_garbage(seen: Seen) -> Play:
    return Body(f"<html>{dict(seen.headers)}</html>".encode())


def echo_escaped(seen: Seen) -> Play:
    spelled = "".join(f"\\u{ord(c):04x}" for c in credential(seen))
    return Body(b'{"error": {"message": "' + spelled.encode() + b'", "code": 400}}')


def secrets(lab: Lab) -> list[str]:
    return list(lab.keys.values())


@pytest.mark.parametrize("code", [400, 401, 403, 404, 429, 500])
def test_an_echoed_key_is_not_in_errors_or_logs(
    lab: Lab, wire: str, code: int, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    server = FakeServer(default=lambda seen: Status(code, f"bad key {credential(seen)} in {dict(seen.headers)}"))
    with pytest.raises(ModelError) as caught:
        lab.run(wire, server, ASK)
    out, err = capfd.readouterr()
    shown = [caplog.text, out, err, repr(caught.value), "".join(traceback.format_exception(caught.value))]
    shown += [repr(vars(caught.value))]
    assert not [text for text in shown for key in secrets(lab) if key in text]


@pytest.mark.parametrize("fault", list(faults("chat")))
def test_no_fault_shows_a_key(lab: Lab, protocol_wire: str, fault: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = FakeServer(default=faults("chat")[fault])
    request = ASK.model_copy(update={"deadline_s": 0.3}) if fault == "hang" else ASK
    with pytest.raises(ModelError) as caught:
        lab.run(protocol_wire, server, request)
    shown = caplog.text + "".join(traceback.format_exception(caught.value))
    assert not [key for key in secrets(lab) if key in shown]


@pytest.mark.parametrize("play", [echo_garbage, echo_escaped])
def test_odd_bodies_that_echo_the_key_do_not_show_it(lab: Lab, wire: str, play: Callable[[Seen], Play]) -> None:
    with pytest.raises(ModelError) as caught:
        lab.run(wire, FakeServer(default=play), ASK)
    assert not [key for key in secrets(lab) if key in repr(caught.value)]


def test_a_key_in_an_answer_does_not_get_into_it(lab: Lab, wire: str) -> None:
    server = FakeServer(default=lambda seen: Say(f"your key is {credential(seen)}!"))
    [answer] = lab.run(wire, server, ASK)
    assert answer.text.startswith("your key is")
    dumped = answer.model_dump_json()
    assert not [key for key in secrets(lab) if key in dumped]


def test_models_and_settings_show_no_key(lab: Lab, wire: str) -> None:
    server = FakeServer()
    ledger = CostLedger()
    shown: list[str] = []

    async def talk(model: Model) -> Answer:
        answer = await model.ask(ASK)
        shown.extend([repr(model), str(model), repr(model.id), model.id.model_dump_json(), repr(ledger.by("model"))])
        return answer

    def config(server: FakeServer) -> Config:
        made = lab.config(server, ledger=ledger)
        shown.append(repr(made))
        return made

    answer = lab.session(wire, server, talk, config)
    shown.append(answer.model_dump_json())
    assert not [key for key in secrets(lab) if any(key in text for text in shown)]
