"""The proxy before a real desktop: what reaches it, what does not, and what is done once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from support.desktop_service import TOKEN as UPSTREAM_TOKEN
from support.desktop_service import Answer, Service, until
from support.fault_proxy import faulty
from support.guarding import ALIGNED, WordGuard
from trueline.desktop.osworld import Address
from trueline.guard.config import OnError
from trueline.guard.proxy import Gate, ProxyJournal, ProxySettings, serve_proxy
from trueline.guard.types import Guard, GuardContext
from trueline.records.verdict import Verdict
from trueline.serving import Listener

TOKEN = "the-token-of-the-proxy-0123456789"
PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; "
BLOCKED = {"status": "success", "output": "", "returncode": 1}


class Proxied(Service):
    """The proxy, as a client of OSWorld's sees it."""

    async def act(self, code: str) -> Answer:
        return await self.post("/execute", {"command": ["python", "-c", PREFIX + code], "shell": False})

    async def run(self, *command: str) -> Answer:
        return await self.post("/execute", {"command": command, "shell": False})

    async def begin(self) -> Answer:
        return await self.post("/trueline/session", {"instruction": "Rename the file"})


@asynccontextmanager
async def proxied(
    service: Service,
    guard: Guard | None = None,
    settings: ProxySettings | None = None,
    *,
    port: int | None = None,
    journal: ProxyJournal | None = None,
    open_protocol: bool = False,
) -> AsyncGenerator[tuple[Proxied, Gate]]:
    upstream = Address("127.0.0.1", port or service.port)
    gate = Gate(upstream, UPSTREAM_TOKEN, guard or WordGuard(), settings or ProxySettings(), journal)
    listener, stop, ready = Listener.open(), asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(
        serve_proxy(listener, gate, TOKEN, open_protocol=open_protocol, stop=stop, ready=ready.set)
    )
    try:
        await ready.wait()
        yield Proxied(service.desktop, listener.socket.getsockname()[1], TOKEN), gate
    finally:
        stop.set()
        await serving
        await gate.close()


Work = Callable[[], Awaitable[None]]


def do(runner: asyncio.Runner, work: Work) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await work()

    runner.run(bounded())


async def exists(service: Service, name: str) -> bool:
    return (await service.desktop.run(("test", "-e", name))).returncode == 0


def test_an_action_that_is_aligned_lands_and_one_that_is_not_does_not(runner: asyncio.Runner, service: Service) -> None:
    guard = WordGuard()

    async def work() -> None:
        async with proxied(service, guard) as (client, gate):
            assert (await client.begin()).status == 200
            moved = await client.act("pyautogui.moveTo(321, 234)")
            assert (moved.status, moved.json["returncode"]) == (200, 0)
            assert (await client.get("/cursor_position")).json == [321, 234]
            for blocked in (
                await client.act("import os; os.system('touch deleted')"),
                await client.run("touch", "deleted"),
                await client.post("/execute", {"command": "touch deleted", "shell": True}),
            ):
                assert blocked.status == 200 and blocked.json.items() >= BLOCKED.items()
                assert "It deletes files." in blocked.json["error"] and "Rename the file." in blocked.json["error"]
            assert not await exists(service, "deleted")
            assert gate.session and (len(gate.session.history), len(gate.session.rejections)) == (1, 3)
            seen = guard.seen[0].observation
            assert seen.png() and seen.tree is not None and seen.screen == (1024, 768)

    do(runner, work)


def test_without_a_session_agents_are_refused_and_set_up_passes(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with proxied(service) as (client, _):
            refused = await client.act("pyautogui.moveTo(5, 5)")
            assert refused.status == 200 and refused.json.items() >= BLOCKED.items()
            assert "no session has begun" in refused.json["error"]
            assert (await client.post("/run_python", {"code": "print(1)"})).json["return_code"] == 1
            asked = await client.act("import platform; print(platform.system())")
            assert asked.json["output"] == "Linux\n"
            made = await client.post("/setup/execute", {"command": ["touch", "set-up-delete"]})
            assert made.json["returncode"] == 0 and await exists(service, "set-up-delete")
            await client.begin()
            for path in ("/setup/execute", "/setup/upload", "/run_python", "/trueline/reset", "/setup/launch"):
                closed = await client.post(path, {"command": ["true"], "code": "1"})
                assert (closed.status, closed.json["type"]) == (403, "closed"), path
            await client.ask("DELETE", "/trueline/session")
            assert (await client.act("pyautogui.moveTo(5, 5)")).json["returncode"] == 1
            assert (await client.post("/setup/execute", {"command": ["true"]})).json["returncode"] == 0

    do(runner, work)


def test_side_doors_can_be_guarded(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with proxied(service, settings=ProxySettings(side_doors="guarded")) as (client, _):
            await client.begin()
            assert (await client.post("/run_python", {"code": "print(6 * 7)"})).json["output"] == "42\n"
            evil = "open('delete-me', 'w')"
            blocked = await client.post("/run_python", {"code": f"import os; os.system('touch delete-me') or {evil}"})
            assert (blocked.status, blocked.json["return_code"]) == (200, 1)
            assert (await client.post("/run_bash_script", {"script": "touch delete-me"})).json["returncode"] == 1
            assert (await client.post("/setup/launch", {"command": ["touch", "delete-me"]})).status == 403
            verified = {"command": ["true"], "verification": {"command_success": "touch delete-me"}}
            assert (await client.post("/execute_with_verification", verified)).json["returncode"] == 1
            assert (await client.post("/setup/upload", {})).status == 403
            assert not await exists(service, "delete-me")

    do(runner, work)


def test_a_block_is_remembered_on_the_same_screen_only(runner: asyncio.Runner, service: Service) -> None:
    guard = WordGuard()

    async def work() -> None:
        async with proxied(service, guard, replace(ProxySettings(), check_seconds=20)) as (client, _):
            await client.begin()
            answers = [(await client.run("touch", "deleted")).json for _ in range(3)]
            assert answers == [answers[0]] * 3 and len(guard.seen) == 1
            await client.act("pyautogui.moveTo(400, 400)")
            await client.run("touch", "deleted")
            assert len(guard.seen) == 3

    do(runner, work)


def test_undecided_is_a_block_unless_it_is_declared_otherwise(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        policies: dict[OnError, int] = {"block": 1, "ask": 1, "allow": 0}
        for on_error, code in policies.items():
            async with proxied(service, settings=ProxySettings(on_error=on_error)) as (client, _):
                await client.begin()
                assert (await client.run("echo", "doubt")).json["returncode"] == code
                assert (await client.run("echo", "boom")).json["returncode"] == code
        async with proxied(service, settings=ProxySettings(check_seconds=0.2)) as (client, _):
            await client.begin()
            assert "no verdict within 0.2 s" in (await client.run("echo", "hang")).json["error"]

    do(runner, work)


class Waiting:
    """Lets everything through, once it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.go = asyncio.Event()

    async def check(self, context: GuardContext) -> Verdict:
        self.asked += 1
        await self.go.wait()
        return ALIGNED


def test_a_client_that_hangs_up_and_asks_again_runs_it_once(runner: asyncio.Runner, service: Service) -> None:
    add = "import os; os.system('echo x >> ~/once')"

    async def lines() -> int:
        return len((await service.desktop.run(("cat", "once"))).text.split())

    async def work() -> None:
        guard = Waiting()
        async with proxied(service, guard) as (client, _):
            await client.begin()
            first = asyncio.create_task(client.act(add))

            async def asked() -> bool:
                return guard.asked == 1

            await until(asked)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            again = asyncio.create_task(client.act(add))
            guard.go.set()
            assert (await again).json["returncode"] == 0
            assert (guard.asked, await lines()) == (1, 1)
            assert (await client.act(add)).json["returncode"] == 0  # that answer was heard, so this is a new one
            assert (guard.asked, await lines()) == (2, 2)
            named = {"headers": {"x-trueline-action-id": "mine"}}
            for _ in range(2):
                done = await client.post("/execute", {"command": ["sh", "-c", "echo x >> once"]}, **named)
                assert done.json["returncode"] == 0
            assert (guard.asked, await lines()) == (3, 3)

    do(runner, work)


def test_what_the_machine_did_not_answer_is_not_sent_again(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with faulty(service.port) as door, proxied(service, port=door.port) as (client, gate):
            await client.begin()
            judged = door.asked

            async def executions() -> int:
                return door.reached["/execute"]

            before = await executions()
            await client.run("true")
            a_step, sent = door.asked - judged, await executions() - before
            door.faults = [*([None] * (a_step - 1)), "lose"]
            lost = await client.run("touch", "lost")
            assert lost.status == 200 and lost.json.items() >= BLOCKED.items()
            assert "may have been done" in lost.json["error"] and await exists(service, "lost")
            assert await executions() - before == 2 * sent
            assert gate.session and len(gate.session.history) == 2  # the guard takes it as done
            door.faults = [*([None] * (a_step - 1)), "error"]
            broken = "import os; os.system('touch ~/broken')"
            assert (await client.act(broken)).status == 500
            asked = door.asked
            assert (await client.act(broken)).status == 500 and door.asked == asked
            await client.act("pyautogui.press('esc')")  # the client has given up and goes on
            assert (await client.act(broken)).json["returncode"] == 0

    do(runner, work)


def test_a_machine_that_is_away_is_said_to_be(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        closed = Listener.open()
        port = closed.socket.getsockname()[1]
        closed.socket.close()
        async with proxied(service, port=port) as (client, _):
            assert (await client.get("/screenshot")).status == 503
            assert (await client.begin()).status == 503
            assert (await client.post("/setup/execute", {"command": ["true"]})).status == 503
            assert (await client.act("pyautogui.click(1, 1)")).json["returncode"] == 1

    do(runner, work)


def test_the_session_can_begin_with_the_first_action(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with proxied(service) as (client, gate):
            gate.begin_later("Rename the file")
            assert (await client.post("/setup/execute", {"command": ["true"]})).json["returncode"] == 0
            assert (await client.act("import platform; print(platform.system())")).json["output"] == "Linux\n"
            assert gate.session is None
            assert (await client.act("pyautogui.moveTo(50, 60)")).json["returncode"] == 0
            assert (await client.post("/setup/execute", {"command": ["true"]})).status == 403
            told = (await client.get("/trueline/session")).json
            assert (told["instruction"], told["steps"], told["blocked"]) == ("Rename the file", 1, 0)

    do(runner, work)


def test_who_may_call(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with proxied(service) as (client, _):
            nobody = replace(client, token=None)
            for method, path in (("GET", "/screenshot"), ("POST", "/execute"), ("POST", "/trueline/session")):
                assert (await nobody.ask(method, path)).status == 401
            assert (await client.get("/anything")).status == 404
            assert (await client.get("/execute")).status == 405
        async with proxied(service, open_protocol=True) as (client, _):
            nobody = replace(client, token=None)
            assert (await nobody.get("/screenshot")).status == 200
            assert (await nobody.get("/screenshot", headers={"origin": "http://evil.example"})).status == 403
            for method in ("GET", "POST", "DELETE"):
                assert (await nobody.ask(method, "/trueline/session")).status == 401

    do(runner, work)


def test_verdicts_are_recorded(runner: asyncio.Runner, service: Service, tmp_path: Path) -> None:
    journal = ProxyJournal(tmp_path / "results")

    async def work() -> None:
        async with proxied(service, journal=journal) as (client, _):
            await client.begin()
            await client.act("pyautogui.moveTo(9, 9)")
            await client.run("touch", "deleted")

    do(runner, work)
    assert (journal.path.stat().st_mode & 0o777, journal.path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    text = journal.path.read_text()
    first, second = (json.loads(line) for line in text.splitlines())
    assert (first["allowed"], first["actions"][0]["kind"], first["path"]) == (True, "move", "/execute")
    assert (second["decision"], second["enforced"]) == ("misaligned", "block")
    assert TOKEN not in text and UPSTREAM_TOKEN not in text


def test_a_verdict_that_cannot_be_recorded_blocks(runner: asyncio.Runner, service: Service, tmp_path: Path) -> None:
    journal = ProxyJournal(tmp_path)
    journal.path.unlink()
    journal.path.mkdir()

    async def work() -> None:
        async with proxied(service, journal=journal) as (client, _):
            await client.begin()
            refused = await client.run("touch", "unrecorded")
            assert refused.json["returncode"] == 1 and "cannot be written" in refused.json["error"]
            assert not await exists(service, "unrecorded")

    do(runner, work)


class Distracted:
    """While it looks, something changes on the screen: once."""

    def __init__(self, service: Service) -> None:
        self.seen: list[GuardContext] = []
        self._service = service

    async def check(self, context: GuardContext) -> Verdict:
        self.seen.append(context)
        if len(self.seen) == 1:
            before = await self._service.desktop.windows()
            await self._service.desktop.launch(("xmessage", "-center", "a pop-up"))

            async def shown() -> bool:
                return await self._service.desktop.windows() != before

            await until(shown)
        return ALIGNED


def test_a_screen_that_has_changed_is_judged_again(runner: asyncio.Runner, service: Service) -> None:
    guard = Distracted(service)

    async def work() -> None:
        async with proxied(service, guard) as (client, gate):
            await client.begin()
            assert (await client.act("pyautogui.moveTo(512, 384)")).json["returncode"] == 0
            assert len(guard.seen) >= 2 and gate.session and len(gate.session.history) == 1

    do(runner, work)
