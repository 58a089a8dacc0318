"""Every way in which a provider may fail."""

from __future__ import annotations

from trueline.models.testing.plays import Body, Hang, Play, Protocol, Reset, Say, Status
from trueline.models.testing.render import render_answer
from trueline.models.types import Json


def faults(protocol: Protocol) -> dict[str, Play]:
    """Every way to fail, by name: none of them may ever look like an answer."""
    whole = render_answer(Say("half a sentence"), protocol, "m")
    return {
        "429 with Retry-After": Status(429, headers={"retry-after": "0.01"}),
        "429 without Retry-After": Status(429),
        "500": Status(500),
        "503": Status(503),
        "400": Status(400),
        "401": Status(401),
        "403": Status(403),
        "404": Status(404),
        "hang": Hang(),
        "reset inside the body": Reset(),
        "invalid JSON": Body(b'{"id": "x", "choices": [{"mess'),
        "no JSON": Body(b"<html><body>Bad gateway</body></html>"),
        "nothing": Body(b""),
        "JSON of the wrong shape": Body.from_json({"ok": True, "text": "yes"}),
        "JSON that is not an object": Body.from_json(["yes"]),
        "a field of the wrong type": Body.from_json(_corrupt(protocol, whole)),
        "empty choice": Body.from_json(_empty(protocol, whole)),
        "no choice": Body.from_json(whole | {"choices": [], "output": [], "content": []}),
        "unknown stop reason": Body.from_json(_unknown_stop(protocol, whole)),
    }


def _corrupt(protocol: Protocol, whole: Json) -> Json:
    bad: dict[Protocol, Json] = {
        "chat": {"choices": [{"message": {"role": "assistant", "content": 7}, "finish_reason": "stop"}]},
        "responses": {"output": [{"type": "message", "content": "yes"}]},
        "messages": {"content": [{"type": "text", "text": 7}]},
    }
    return whole | bad[protocol]


def _empty(protocol: Protocol, whole: Json) -> Json:
    empty: dict[Protocol, Json] = {
        "chat": {"choices": [{"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": "stop"}]},
        "responses": {"output": [{"type": "message", "role": "assistant", "content": []}]},
        "messages": {"content": [{"type": "text", "text": " "}]},
    }
    return whole | empty[protocol]


def _unknown_stop(protocol: Protocol, whole: Json) -> Json:
    message: Json = {"role": "assistant", "content": "yes"}
    bad: dict[Protocol, Json] = {
        "chat": {"choices": [{"index": 0, "message": message, "finish_reason": "error"}]},
        "responses": {"status": "cancelled"},
        "messages": {"stop_reason": "pause_turn"},
    }
    return whole | bad[protocol]
