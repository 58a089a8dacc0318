"""What goes wrong inside or takes too long is an answer in bounded time, and the server goes on."""

from __future__ import annotations

import asyncio

import pytest

from support.desktop_service import Service, served, until
from trueline.actions import Move, Point
from trueline.desktop.serve.settings import ServeSettings

pytestmark = pytest.mark.full

HASTY = ServeSettings(command_seconds=0.5, python_seconds=0.5, open_seconds=0.5)
PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; "
BLOCKED = "touch began-$$; while [ ! -e go ]; do sleep 0.02; done"


def test_what_takes_too_long_is_ended(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with served(service.desktop, settings=HASTY) as hasty:
            await impatient(hasty)

    async def impatient(hasty: Service) -> None:
        slow = {"command": ["sleep", "1000"]}
        waits = {"command": ["python", "-c", PREFIX + "pyautogui.moveTo(5, 5); time.sleep(1000)"]}
        for document in (slow, waits):
            answer = await hasty.post("/execute", document)
            assert (answer.status, answer.json["type"]) == (500, "timeout"), document
        answer = await hasty.post("/run_python", {"code": "import time\ntime.sleep(1000)"})
        assert answer.status == 500 and "0.5 s" in answer.json["error"]
        answer = await hasty.post("/setup/open_file", {"path": "true"})
        assert (answer.status, answer.json["type"]) == (500, "timeout")
        # The keyboard and the mouse are free again, and nothing of it runs any more.
        result = await hasty.desktop.act(Move(to=Point(7, 8)), id="after")
        assert result.error is None and (await hasty.get("/cursor_position")).json == [7, 8]
        assert (await hasty.desktop.run(("pgrep", "-x", "sleep"))).text == ""

    runner.run(asyncio.wait_for(work(), 60))


def test_a_lost_desktop_is_said_and_a_reset_mends_it(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        killed = await service.post("/execute", {"command": "kill -9 -1", "shell": True})
        assert killed.status in (500, 503)
        lost = await service.get("/accessibility")
        assert (lost.status, lost.json["type"]) == (503, "lost") and "/trueline/reset" in lost.json["message"]
        assert (await service.post("/trueline/reset")).status == 200
        assert (await service.get("/accessibility")).status == 200

    runner.run(asyncio.wait_for(work(), 60))


def test_too_many_at_once_are_told_to_come_back(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with served(service.desktop, settings=ServeSettings(max_in_flight=4)) as narrow:
            waiting = {"command": BLOCKED, "shell": True}
            asked = [asyncio.create_task(narrow.post("/execute", waiting)) for _ in range(4)]

            async def all_began() -> bool:
                return len((await narrow.desktop.run(("sh", "-c", "ls began-*"))).text.split()) == 4

            await until(all_began)
            refused = await narrow.get("/platform")
            assert (refused.status, refused.json["type"], refused.headers["Retry-After"]) == (503, "busy", "1")
            await narrow.desktop.put("go", b"")
            assert [answer.status for answer in await asyncio.gather(*asked)] == [200] * 4
            assert (await narrow.get("/platform")).status == 200

    runner.run(asyncio.wait_for(work(), 60))


def test_output_without_end_is_cut(runner: asyncio.Runner, service: Service) -> None:
    endless = {"command": "head -c 5000000 /dev/zero | tr '\\0' x", "shell": True}
    answer = runner.run(service.post("/execute", endless))
    assert answer.json["truncated"] is True and 1_000_000 < len(answer.json["output"]) < 2_000_000


def test_stopping_ends_what_is_under_way(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with served(service.desktop) as ending:
            asked = asyncio.create_task(ending.post("/execute", {"command": ["sleep", "4321"]}))

            async def began() -> bool:
                return bool((await ending.desktop.run(("pgrep", "-f", "sleep 4321"))).text)

            await until(began)
        await asyncio.gather(asked, return_exceptions=True)
        assert (await service.desktop.run(("pgrep", "-f", "sleep 4321"))).text == ""

    runner.run(asyncio.wait_for(work(), 60))
