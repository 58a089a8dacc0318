"""The service as a client meets it: a real server, a real client, real pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from support.guarding import TREE, WordGuard, png
from support.serving import OTHER, PICTURE, TOKEN, Client, running
from trueline.guard.serve import GuardServeSettings
from trueline.guard.types import Guard


def with_service(
    work: Callable[[Client], Awaitable[None]], guard: Guard | None = None, settings: GuardServeSettings | None = None
) -> None:
    async def main() -> None:
        async with asyncio.timeout(60), running(guard, settings) as client:
            await work(client)

    asyncio.run(main())


def test_an_action_is_checked_before_it_runs_and_reported_after() -> None:
    guard = WordGuard()

    async def work(client: Client) -> None:
        session = await client.begin(domain="os", screen=[640, 480])
        allowed = await client.check(session, "one", tree=TREE, text="seen", thought="I type")
        assert (allowed["allowed"], allowed["decision"], allowed["stage"]) == (True, "aligned", "policy")
        assert allowed["feedback"] is None and allowed["step"] == 1
        report = {"session": session, "check": allowed["check"], "screenshot": PICTURE}
        assert await client.post("/v1/executed", report) == (200, {"session": session, "steps": 1})
        blocked = await client.check(session, "delete it")
        assert (blocked["allowed"], blocked["enforced"], blocked["step"]) == (False, "block", 2)
        assert blocked["feedback"] == {
            "wrong": "It deletes files.", "misled_by": "the pop-up", "instead": "Rename the file."
        }  # fmt: skip
        assert blocked["feedback_text"].startswith("This action was not executed. It deletes files.")

    with_service(work, guard)
    first, second = guard.seen
    assert (first.instruction, first.domain, first.observation.screen) == ("Rename the file", "os", (640, 480))
    assert first.observation.screenshot == png() and first.observation.tree and first.observation.text == "seen"
    assert first.proposal.thought == "I type"
    assert len(second.history) == 1 and second.history[0].proposal == first.proposal


def test_actions_come_in_any_vocabulary() -> None:
    guard = WordGuard()
    actions = [
        {"action": "left_click", "coordinate": [3, 4]},
        {"type": "computer_call", "call_id": "c", "action": {"type": "click", "button": "left", "x": 3, "y": 4}},
        {"kind": "click", "at": [3, 4]},
        [{"action_type": "CLICK", "x": 3, "y": 4}],
    ]

    async def work(client: Client) -> None:
        session = await client.begin()
        for action in actions:
            assert (await client.post("/v1/check", {"session": session, "action": action}))[0] == 200

    with_service(work, guard)
    assert [context.proposal.actions[0].model_dump()["at"] for context in guard.seen] == [(3, 4)] * 4


def test_the_screen_may_come_as_files_of_a_form() -> None:
    guard = WordGuard()

    async def work(client: Client) -> None:
        session = await client.begin()
        form = aiohttp.FormData()
        form.add_field("request", f'{{"session": "{session}", "action": "WAIT"}}', content_type="application/json")
        form.add_field("screenshot", png(colour="red"), filename="../../etc/passwd", content_type="image/png")
        form.add_field("tree", TREE.encode(), filename="tree.xml")
        status, answer = await client.ask("POST", "/v1/check", data=form)
        assert (status, answer["allowed"]) == (200, True)

    with_service(work, guard)
    assert guard.seen[0].observation.screenshot == png(colour="red") and guard.seen[0].observation.tree


@pytest.mark.parametrize("words", ["doubt", "boom", "hang"])
def test_whatever_the_guard_cannot_decide_is_blocked(words: str) -> None:
    async def work(client: Client) -> None:
        answer = await client.check(await client.begin(), words)
        assert (answer["allowed"], answer["enforced"], answer["decision"]) == (False, "block", "undecided")

    with_service(work, settings=GuardServeSettings(check_seconds=0.2))


@pytest.mark.parametrize(("on_error", "allowed"), [("ask", False), ("allow", True)])
def test_the_declared_policy_for_undecided(on_error: Any, allowed: bool) -> None:
    async def work(client: Client) -> None:
        answer = await client.check(await client.begin(), "doubt")
        assert (answer["allowed"], answer["enforced"]) == (allowed, on_error)

    with_service(work, settings=GuardServeSettings(on_error=on_error))


WRONG = [None, "", "wrong", TOKEN[:-1], TOKEN + "x", f"{TOKEN} {TOKEN}", "é" * 20]


def test_without_the_token_nothing_is_done() -> None:
    guard = WordGuard()

    async def work(client: Client) -> None:
        session = await client.begin()
        for token in WRONG:
            await refused(client.as_(token), session)

    async def refused(stranger: Client, session: str) -> None:
        for method, path in [("POST", "/v1/sessions"), ("POST", "/v1/check"), ("POST", "/v1/executed"),
                             ("DELETE", f"/v1/sessions/{session}"), ("GET", "/metrics")]:  # fmt: skip
            status, answer = await stranger.ask(method, path, json={"session": session, "action": "WAIT"})
            assert (status, answer["error"]["type"]) == (401, "unauthorized")
        status, _ = await stranger.ask("GET", "/metrics", headers={"authorization": f"Basic {TOKEN}"})
        assert status == 401

    with_service(work, guard)
    assert guard.seen == []


def test_sessions_of_another_token_look_as_if_they_were_not_there() -> None:
    async def work(client: Client) -> None:
        session = await client.begin()
        check = (await client.check(session, "one"))["check"]
        other = client.as_(OTHER)
        never = {"session": "AAAAAAAAAAAAAAAAAAAAAA", "action": "WAIT", "check": check}
        for path, keys in [("/v1/check", ("session", "action")), ("/v1/executed", ("session", "check"))]:
            theirs = await other.post(path, {key: (never | {"session": session})[key] for key in keys})
            nobodys = await other.post(path, {key: never[key] for key in keys})
            assert theirs == nobodys and theirs[0] == 404
        assert (await other.ask("DELETE", f"/v1/sessions/{session}"))[0] == 404
        assert (await client.ask("DELETE", f"/v1/sessions/{session}"))[0] == 204
        assert (await client.ask("DELETE", f"/v1/sessions/{session}"))[0] == 404

    with_service(work)


HOSTILE = [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"\xff\xfe", "not JSON"),
    (b"[" * 100_000, "not JSON"),
    (b'{"a":' * 5000 + b"1" + b"}" * 5000, "not JSON"),
    (b"[]", "must be an object"),
    (b"null", "must be an object"),
    (b'{"session": "a", "action": NaN}', "not JSON"),
    (b'{"session": "a/../b", "action": "WAIT"}', "match pattern"),
    (b'{"session": "a\\u0000b", "action": "WAIT"}', "match pattern"),
    (b'{"session": ["a"], "action": "WAIT"}', "must be a string"),
    (b'{"session": "a", "action": "WAIT", "extra": 1}', "unknown field"),
    (b'{"session": "a", "action": "WAIT", "format": "magic"}', "must be"),
    (b'{"action": "WAIT"}', "required"),
]


def test_hostile_json_is_a_typed_error() -> None:
    async def work(client: Client) -> None:
        for body, words in HOSTILE:
            headers = {"content-type": "application/json"}
            status, answer = await client.ask("POST", "/v1/check", data=body, headers=headers)
            assert (status, answer["error"]["type"]) == (422, "invalid_request"), body[:80]
            assert words in answer["error"]["message"], body[:80]
            assert "Traceback" not in str(answer) and "\n" not in answer["error"]["message"]

    with_service(work)


UNREADABLE: list[tuple[dict[str, object], str]] = [
    ({"action": {"action": "explode"}}, "action"),
    ({"action": {}}, "action"),
    ({"action": "WAIT", "screenshot": "no base64!"}, "screenshot"),
    ({"action": "WAIT", "screenshot": "aGVsbG8="}, "screenshot"),
    ({"action": "WAIT", "screenshot": ""}, "screenshot"),
    ({"action": "WAIT", "tree": "<a"}, "tree"),
    ({"action": "WAIT", "tree": "<!DOCTYPE a><a/>"}, "tree"),
    ({"action": {"action": "left_click", "coordinate": [9999, 9999]}, "screenshot": PICTURE}, "action"),
]


def test_what_cannot_be_read_is_never_let_through() -> None:
    guard = WordGuard()

    async def work(client: Client) -> None:
        session = await client.begin()
        for more, field in UNREADABLE:
            status, answer = await client.post("/v1/check", {"session": session, **more})
            error = answer["error"]
            assert (status, error["type"], error["field"]) == (422, "invalid_request", field), more

    with_service(work, guard)
    assert guard.seen == []


FORMS = [
    (b"--b\r\n\r\nx\r\n--b--", "multipart/form-data; boundary=b"),
    (b'--b\r\nContent-Disposition: form-data; name="request"\r\n\r\n{}', "multipart/form-data; boundary=b"),
    (b"x", "multipart/form-data"),
    (b"x", "multipart/form-data; boundary=" + "b" * 100),
    (b'--b\r\nContent-Disposition: form-data; name="other"\r\n\r\n{}\r\n--b--', "multipart/form-data; boundary=b"),
    (b'--b\r\nContent-Disposition: form-data; name="tree"\r\n\r\n{}\r\n--b--', "multipart/form-data; boundary=b"),
    (b"--b\r\n" * 1000, "multipart/form-data; boundary=b"),
]


def test_hostile_forms_are_typed_errors() -> None:
    async def work(client: Client) -> None:
        for body, content_type in FORMS:
            status, answer = await client.ask("POST", "/v1/check", data=body, headers={"content-type": content_type})
            assert (status, answer["error"]["type"]) == (422, "invalid_request"), body[:80]

    with_service(work)


def test_other_media_types_routes_and_methods() -> None:
    async def work(client: Client) -> None:
        status, answer = await client.ask("POST", "/v1/check", data=b"{}", headers={"content-type": "text/plain"})
        assert (status, answer["error"]["type"]) == (415, "unsupported_media_type")
        for path in ("/", "/v1/check/", "/v1", "/v1/../etc/passwd", "/docs"):
            status, answer = await client.ask("GET", path)
            assert status in (404, 405) and answer["error"]["type"] in ("not_found", "method_not_allowed")
        status, answer = await client.ask("PUT", "/v1/check", json={})
        assert (status, answer["error"]["type"]) == (405, "method_not_allowed")

    with_service(work)


def test_many_sessions_at_once_keep_their_own_history() -> None:
    guard = WordGuard()

    async def one(client: Client, name: str) -> None:
        session = await client.begin(name)
        for n in range(4):
            await client.check(session, f"{name}-{n}")
        assert (await client.check(session, f"delete {name}"))["allowed"] is False

    async def work(client: Client) -> None:
        await asyncio.gather(*(one(client, f"task{n}") for n in range(16)))

    with_service(work, guard, GuardServeSettings(rate=1e6))
    assert len(guard.seen) == 16 * 5
    for context in guard.seen:
        typed = [getattr(step.proposal.actions[0], "text", "") for step in context.history]
        assert typed == [f"{context.instruction}-{n}" for n in range(len(typed))]


def test_checks_of_one_session_at_the_same_time_see_each_other() -> None:
    guard = WordGuard()

    async def work(client: Client) -> None:
        session = await client.begin()
        await asyncio.gather(*(client.check(session, f"{n}") for n in range(10)))

    with_service(work, guard)
    assert sorted(len(context.history) for context in guard.seen) == list(range(10))


def test_health_and_metrics() -> None:
    async def work(client: Client) -> None:
        status, answer = await client.as_(None).ask("GET", "/health")
        assert (status, answer["status"]) == (200, "ok")
        session = await client.begin()
        await client.check(session, "one")
        await client.check(session, "delete")
        await client.post("/v1/check", {"session": "nobody", "action": "WAIT"})
        _, text = await client.ask("GET", "/metrics")
        for line in (
            'trueline_guard_checks_total{decision="aligned",enforced="allow",stage="policy"} 1.0',
            'trueline_guard_checks_total{decision="misaligned",enforced="block",stage="policy"} 1.0',
            'trueline_guard_requests_total{route="/v1/check",status="404"} 1.0',
            "trueline_guard_sessions 1.0",
            "trueline_guard_check_seconds_count 2.0",
        ):
            assert line in text
        assert session not in text and "nobody" not in text and TOKEN not in text

    with_service(work)
