"""What Trueline adds to OSWorld's protocol, and what many clients at once may expect of it."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import aiohttp
import pytest
from PIL import Image

from support.desktop_service import Answer, Service
from trueline.desktop.serve.app import ENDPOINTS

PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; "


def do(service: Service, code: str) -> Any:
    return service.post("/execute", {"command": ["python", "-c", PREFIX + code], "shell": False})


def upload(service: Service, path: str, content: bytes) -> Any:
    form = aiohttp.FormData()
    form.add_field("file_path", path)
    form.add_field("file_data", content, filename="x")
    return service.ask("POST", "/setup/upload", data=form)


def test_our_own_endpoints_and_reset(runner: asyncio.Runner, service: Service) -> None:
    hello = runner.run(service.get("/trueline")).json
    assert {"reset", "diff"} <= set(hello["capabilities"])
    runner.run(upload(service, "~/mark", b"x"))
    changes = runner.run(service.get("/trueline/diff")).json["changes"]
    assert {"path": "mark", "kind": "created", "folder": False} in changes

    async def work() -> tuple[Answer, Answer]:
        # What comes while it resets waits for it.
        return await asyncio.gather(service.post("/trueline/reset"), service.get("/screenshot"))

    reset, _ = runner.run(work())
    assert reset.json["status"] == "success"
    assert runner.run(service.get("/screenshot")).status == 200
    assert runner.run(service.get("/trueline/diff")).json["changes"] == []
    titles = [window["app"] for window in runner.run(service.get("/trueline/windows")).json["windows"]]
    assert "xfdesktop" in titles


def test_an_action_id_counts_once(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        id = {"x-trueline-action-id": "the-first"}
        body = {"command": "echo x >> ~/count; date +%N", "shell": True}
        first, twin = await asyncio.gather(
            service.post("/execute", body, headers=id), service.post("/execute", body, headers=id)
        )
        again = await service.post("/execute", body, headers=id)
        assert first.body == twin.body == again.body
        assert await service.desktop.get("count") == b"x\n"
        other = await service.post("/execute", {"command": ["true"]}, headers=id)
        assert other.status == 409
        await service.post("/execute", body)
        await service.post("/execute", body)
        assert await service.desktop.get("count") == b"x\n" * 3

    runner.run(work())


def test_all_paths_of_the_protocol_are_there() -> None:
    paths = {(endpoint.method, path) for endpoint in ENDPOINTS for path in endpoint.paths}
    posts = (
        "execute setup/execute execute_with_verification setup/execute_with_verification setup/launch screen_size "
        "window_size desktop_path wallpaper list_directory file setup/upload setup/change_wallpaper "
        "setup/download_file setup/open_file setup/activate_window setup/close_window start_recording "
        "end_recording run_python run_bash_script"
    )
    gets = "screenshot accessibility terminal platform cursor_position"
    wanted = {("POST", f"/{path}") for path in posts.split()} | {("GET", f"/{path}") for path in gets.split()}
    assert wanted <= paths


@pytest.mark.full
def test_many_at_once_are_all_whole(runner: asyncio.Runner, service: Service) -> None:
    async def client(number: int) -> int:
        good = 0
        for step in range(12):
            if number % 2:
                shot = await service.get("/screenshot")
                Image.open(io.BytesIO(shot.body)).load()
                good += shot.status == 200
            else:
                answer = await do(service, f"pyautogui.moveTo({100 + step}, {100 + number})")
                good += answer.json["returncode"] == 0
        return good

    async def work() -> list[int]:
        return await asyncio.gather(*(client(number) for number in range(6)))

    assert runner.run(asyncio.wait_for(work(), 60)) == [12] * 6


@pytest.mark.full
def test_screenshots_and_actions_without_end(runner: asyncio.Runner, service: Service) -> None:
    """More of both than an X server takes clients."""

    async def work() -> None:
        for step in range(600):
            assert (await service.get("/screenshot")).status == 200
            code = f"pyautogui.PAUSE = 0; pyautogui.moveTo({step}, {step})"
            assert (await do(service, code)).json["returncode"] == 0

    runner.run(asyncio.wait_for(work(), 120))
