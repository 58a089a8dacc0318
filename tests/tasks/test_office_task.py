"""A task as OSWorld writes them, from download to score, with a real office suite."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import JsonValue

from tasks.conftest import Do
from tasks.office_files import xlsx_file
from tasks.samples import task
from trueline.actions import Code
from trueline.desktop.local import LocalDesktop
from trueline.tasks.checkers import evaluate, scored_by
from trueline.tasks.downloads import Downloads
from trueline.tasks.facilities import Facilities
from trueline.tasks.loading import parse_task
from trueline.tasks.setup import run_steps
from trueline.tasks.support import unsupported
from trueline.tasks.workspace import Workspace

pytestmark = pytest.mark.full


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/start.xlsx").write_bytes(xlsx_file({"Sheet1": [["item", "price"], ["pen", 2]]}).content)
    gold = xlsx_file({"Sheet1": [["item", "price"], ["pen", 2], ["cup", 3]]})
    (tmp_path / "site/gold.xlsx").write_bytes(gold.content)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "site"))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def office_task(site: str) -> dict[str, JsonValue]:
    path, title = "/home/user/Prices.xlsx", "Prices.xlsx - LibreOffice Calc"
    save = "import pyautogui; import time; pyautogui.hotkey('ctrl', 's'); time.sleep(1); pyautogui.press('enter')"
    return task(
        "prices",
        related_apps=["libreoffice_calc"],
        config=[
            {"type": "download", "parameters": {"files": [{"url": f"{site}/start.xlsx", "path": path}]}},
            {"type": "open", "parameters": {"path": path}},
        ],
        evaluator={
            "postconfig": [
                {"type": "activate_window", "parameters": {"window_name": title, "strict": True}},
                {"type": "sleep", "parameters": {"seconds": 0.5}},
                {"type": "execute", "parameters": {"command": ["python", "-c", save]}},
                {"type": "sleep", "parameters": {"seconds": 1.0}},
            ],
            "func": "compare_table",
            "result": {"type": "vm_file", "path": path, "dest": "Prices.xlsx"},
            "expected": {"type": "cloud_file", "path": f"{site}/gold.xlsx", "dest": "gold.xlsx"},
            "options": {"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]},
        },
    )


def test_a_spreadsheet_task_from_download_to_score(
    do: Do, shared_desktop: LocalDesktop, site: str, tmp_path: Path
) -> None:
    read = parse_task(office_task(site), file="x")
    assert (unsupported(read, Facilities()), scored_by(read.evaluator)) == ((), "native")
    workspace = Workspace(shared_desktop, Downloads(tmp_path / "cache"), screen=(1024, 768))
    do(run_steps(read.config, workspace))
    assert do(evaluate(read.evaluator, workspace, failed=False)).score == 0
    # What an agent would do: go to A3, type a row.
    typing = (
        "import pyautogui\n"
        "pyautogui.hotkey('ctrl', 'home'); pyautogui.press(['down', 'down'])\n"
        "pyautogui.write('cup\\t3\\n')"
    )
    result = do(shared_desktop.act(Code(source=typing), id="type"))
    assert result.error is None
    assert do(evaluate(read.evaluator, workspace, failed=False)).score == 1
