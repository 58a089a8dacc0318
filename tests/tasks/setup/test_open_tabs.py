"""Pages opened in a real browser through its DevTools."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import JsonValue

import trueline.tasks.setup
from tasks.conftest import Do
from tasks.samples import task
from trueline.desktop.types import WindowShown
from trueline.records import ObservationSpec
from trueline.tasks.loading import parse_task
from trueline.tasks.setup import run_steps
from trueline.tasks.setup.errors import StepError
from trueline.tasks.workspace import Workspace

PROGRAM = Path(trueline.tasks.setup.__file__).parent / "inside/change_tabs.py"


class Devtools(BaseHTTPRequestHandler):
    """As much of a browser as the program asks for."""

    asked: list[str]

    def do_GET(self) -> None:
        self._answer(
            [{"id": "blank", "type": "page", "url": "about:blank"}, {"id": "mine", "type": "page", "url": "x:"}]
        )

    def do_PUT(self) -> None:
        self._answer({"id": "opened"})

    def _answer(self, document: object) -> None:
        self.asked.append(f"{self.command} {self.path}")
        self.send_response(404 if "refused" in self.path else 200)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def devtools() -> Iterator[tuple[int, list[str]]]:
    asked: list[str] = []
    handler = type("Handler", (Devtools,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port, asked
        server.shutdown()
        thread.join()


def run_program(urls: list[str], ports: list[int], limit: float) -> subprocess.CompletedProcess[str]:
    wanted = json.dumps({"do": "open", "urls": urls, "ports": ports, "limit": limit})
    return subprocess.run([sys.executable, str(PROGRAM)], input=wanted, capture_output=True, text=True, timeout=60)


def test_pages_are_opened_and_empty_ones_closed(devtools: tuple[int, list[str]]) -> None:
    port, asked = devtools
    done = run_program(["http://a.example/?q=1&r=#x", "http://b.example/ü"], [9, port], 20)
    assert (done.returncode, done.stderr) == (0, "")
    assert asked == [
        "GET /json/version",
        "PUT /json/new?http%3A%2F%2Fa.example%2F%3Fq%3D1%26r%3D%23x",
        "PUT /json/new?http%3A%2F%2Fb.example%2F%C3%BC",
        "GET /json/list",
        "GET /json/close/blank",
    ]


def test_a_browser_that_refuses_or_is_not_there_is_said(devtools: tuple[int, list[str]]) -> None:
    assert "the browser refused" in run_program(["http://refused/"], [devtools[0]], 20).stderr
    assert "no browser answers" in run_program(["http://a/"], [9], 0.3).stderr


KILL: JsonValue = {
    "type": "execute",
    "parameters": {"command": "pkill chrome; true", "shell": True, "until": {"returncode": 0}},
}


def open_pages(do: Do, workspace: Workspace) -> set[str]:
    listed = do(workspace.desktop.run(("curl", "-s", "http://127.0.0.1:1337/json/list")))
    return {page["url"] for page in json.loads(listed.stdout) if page["type"] == "page"}


@pytest.mark.full
def test_the_step_as_osworlds_tasks_use_it(do: Do, workspace: Workspace) -> None:
    do(workspace.desktop.put("one.html", b"<title>Page one</title>first"))
    do(workspace.desktop.put("two.html", b"<title>Page two</title>second"))
    pages = [f"file:///home/user/{name}.html" for name in ("one", "two")]
    config: list[JsonValue] = [
        {"type": "launch", "parameters": {"command": ["google-chrome", "--remote-debugging-port=1337"]}},
        {"type": "launch", "parameters": {"command": ["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"]}},
        {"type": "chrome_open_tabs", "parameters": {"urls_to_open": [*pages]}},
        {"type": "activate_window", "parameters": {"window_name": "Google Chrome"}},
    ]
    do(run_steps(parse_task(task(config=config), file="x").config, workspace))
    do(workspace.desktop.wait_for(WindowShown("Page two"), time_limit=30))
    assert open_pages(do, workspace) == {*pages}
    closed: list[JsonValue] = [{"type": "chrome_close_tabs", "parameters": {"urls_to_close": [pages[0], "http://x/"]}}]
    do(run_steps(parse_task(task(config=closed), file="x").config, workspace))
    assert open_pages(do, workspace) == {pages[1]}
    closed = [{"type": "chrome_close_tabs", "parameters": {"urls_to_close": [*pages]}}]
    do(run_steps(parse_task(task(config=closed), file="x").config, workspace))
    assert open_pages(do, workspace) == {"about:blank"}


@pytest.mark.full
def test_visits_are_in_the_history_of_the_browser(do: Do, workspace: Workspace) -> None:
    seen: JsonValue = [{"url": "https://a.example/b", "title": "Page", "visit_time_from_now_in_seconds": 3600}]
    config: list[JsonValue] = [{"type": "update_browse_history", "parameters": {"history": seen}}]
    shown: list[JsonValue] = [
        {"type": "launch", "parameters": {"command": ["google-chrome", "--remote-debugging-port=1337"]}},
        {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["chrome://history"]}},
    ]
    do(run_steps(parse_task(task(config=[KILL, *config, *shown]), file="x").config, workspace))
    end = time.monotonic() + 30
    while time.monotonic() < end:
        tree = do(workspace.desktop.observe(ObservationSpec(screenshot=False, tree=True))).tree
        assert tree is not None
        if any("a.example" in node.name for node in tree.root.walk()):
            break
    else:
        pytest.fail("the browser does not show the visit")
    with pytest.raises(StepError, match=r"step 1 \(update_browse_history\) failed: the history could not be changed"):
        do(run_steps(parse_task(task(config=config), file="x").config, workspace))
    do(run_steps(parse_task(task(config=[KILL]), file="x").config, workspace))
