"""OSWorld's own package against our server: its controllers and its environment, unchanged."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".venv-osworld" / "bin" / "python"
DRIVER = Path(__file__).with_name("osworld_driver.py")

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def devtools() -> int:
    """A port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


@pytest.fixture(scope="module")
def port(devtools: int) -> Iterator[int]:
    """The program as a user starts it for such a client."""
    command = ["desktop", "serve", "--port", "0", "--no-token", "--size", "1024x768", "--json", "--forward"]
    with subprocess.Popen(
        [sys.executable, "-m", "trueline", *command, f"{devtools}:1337"], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield int(json.loads(server.stdout.readline())["url"].rpartition(":")[2])
        server.terminate()
        assert server.wait(30) == 0


def drive(part: str, port: int, folder: Path) -> Any:
    assert PYTHON.exists(), f"{PYTHON} is missing: ./scripts/setup full installs OSWorld's package there"
    done = subprocess.run(
        [PYTHON, DRIVER, part, str(port), folder], capture_output=True, text=True, timeout=240, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_its_controllers_do_everything(port: int, tmp_path: Path) -> None:
    seen = drive("controllers", port, tmp_path)
    assert (seen["png"], seen["tree"], seen["no_terminal"]) == ("89504e470d0a1a0a", "<desktop-frame", None)
    assert (seen["platform"], seen["screen"]) == ("Linux", {"width": 1024, "height": 768})
    assert (seen["desktop_path"], seen["setup"], seen["shown"]) == ("/home/user/Desktop", True, True)
    assert (seen["said"], seen["python"], seen["page"]) == ("1920 /home/user\n", "xxx\n", "downloaded")
    names = {child["name"]: child["type"] for child in seen["tree_of_folders"]["children"]}
    assert names == {"in": "directory", "picture.png": "file", "page.txt": "file"}
    assert seen["wallpaper"] is True
    assert seen["typed"] == "if a < b: 'x' \"y\" é 日本\nA"
    assert seen["where"] == [
        [100, 120], [700, 650], [700, 650], [700, 650], [720, 660], [720, 660], [730, 600], [730, 600], [740, 640],
    ]  # fmt: skip
    assert seen["terminal_size"] == [True, True] and "42 1" in seen["terminal"]
    assert (seen["script"]["status"], seen["script"]["output"]) == ("success", "42\n")
    assert "ZeroDivisionError" in seen["bad_script"]["error"]
    assert seen["bash"] == {"status": "success", "output": "1\n", "error": "", "returncode": 0}
    assert seen["film"] == "ftyp"


def test_its_environment_runs_a_task(port: int, tmp_path: Path) -> None:
    seen = drive("env", port, tmp_path)
    assert seen["keys"] == ["accessibility_tree", "instruction", "screenshot", "terminal"]
    assert (seen["png"], seen["tree"]) == ("89504e470d0a1a0a", "<desktop-frame")
    assert (seen["score_before"], seen["score"], seen["score_after_reset"]) == (0, 1, 0)
    assert seen["step"] == [0, False, {}, True] and seen["done"] == [True, {"done": True}]
    assert seen["reverted"] == 1


def test_its_browser_steps_reach_the_browser(port: int, devtools: int, tmp_path: Path) -> None:
    (tmp_path / "devtools").write_text(str(devtools))
    seen = drive("chrome", port, tmp_path)
    assert [(tab["title"], tab["url"]) for tab in seen["tabs"]] == [
        ("A page of the test", "file:///home/user/page.html")
    ]
