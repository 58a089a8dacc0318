"""Pages opened in a real browser through its DevTools."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import JsonValue

import trueline.tasks.setup
from tasks.conftest import Do
from tasks.samples import task
from trueline.desktop.types import WindowShown
from trueline.tasks import parse_task
from trueline.tasks.setup import run_steps
from trueline.tasks.workspace import Workspace

PROGRAM = Path(trueline.tasks.setup.__file__).parent / "inside/open_tabs.py"


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
    wanted = json.dumps({"urls": urls, "ports": ports, "limit": limit})
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
    listed = do(workspace.desktop.run(("curl", "-s", "http://127.0.0.1:1337/json/list")))
    urls = {page["url"] for page in json.loads(listed.stdout) if page["type"] == "page"}
    assert urls == {*pages}
