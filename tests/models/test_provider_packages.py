"""The package of docs/how-to/extend.md, built, installed and asked over HTTP."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.extend_page import blocks, section
from support.model_server import model_server
from support.small_suite import write_suite
from trueline.models.testing import Say, Status

KEY = "acme-0123456789abcdef"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel of the example; return the folder it is installed to."""
    project = tmp_path_factory.mktemp("project")
    for _, name, text in blocks(section("Provider")):
        (project / name).write_text(text)
    site = tmp_path_factory.mktemp("site")
    build = "import hatchling.build; print(hatchling.build.build_wheel('.'))"
    subprocess.run([sys.executable, "-c", build], cwd=project, check=True, capture_output=True)
    (wheel,) = project.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    return site


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a program that finds the package and has a key for it."""
    kept = {name: value for name, value in os.environ.items() if not re.search(r"_API_KEY$|_BASE_URL$", name)}
    path = os.pathsep.join([str(installed), *filter(None, sys.path)])
    return kept | {"PYTHONPATH": path, "ACME_API_KEY": KEY, "TRUELINE_CACHE_DIR": str(tmp_path / "cache")}


def run(environment: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trueline", *words]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)


def test_the_example_is_listed(environment: dict[str, str], tmp_path: Path) -> None:
    done = run(environment, tmp_path, "model", "list", "--json")
    (found,) = [provider for provider in json.loads(done.stdout)["providers"] if provider["name"] == "acme"]
    assert found["ready"] is True
    del environment["ACME_API_KEY"]
    done = run(environment, tmp_path, "model", "ask", "acme|rocket-1", "hello")
    assert done.returncode == 2
    assert done.stderr == "trueline model: acme: set ACME_API_KEY in the environment, .env or .envrc\n"


def test_the_example_is_asked(environment: dict[str, str], tmp_path: Path) -> None:
    with model_server(default=Say(f"Hello. Your key is {KEY}.")) as server:
        environment["ACME_BASE_URL"] = f"{server.url}/v1"
        done = run(environment, tmp_path, "model", "ask", "acme|rocket-1", "hello", "--json")
        (seen,) = server.seen
    assert done.returncode == 0, done.stderr
    assert (seen.model, seen.headers["authorization"]) == ("rocket-1", f"Bearer {KEY}")
    assert json.loads(done.stdout)["text"] == "Hello. Your key is [key]."


def test_an_error_does_not_show_the_key(environment: dict[str, str], tmp_path: Path) -> None:
    with model_server(default=Status(400, f"rejected {KEY}")) as server:
        words = ("model", "ask", "acme|rocket-1", "hello", "--model-url", f"{server.url}/v1")
        done = run(environment, tmp_path, *words)
    assert done.returncode == 1
    assert "rejected [key]" in done.stderr and KEY not in done.stderr


@pytest.mark.full
def test_a_run_with_a_guard_and_a_judge(environment: dict[str, str], tmp_path: Path, machine: None) -> None:
    """Agent, guard and judge ask the provider, which repeats the key each time; no file and no output holds it."""
    write = "```python\npyautogui.write('hello\\n')\npyautogui.hotkey('ctrl', 's')\n```"
    plays = {
        "agent": Say(f"{KEY}\n{write}"),
        "guard": Say(json.dumps({"thought": KEY, "conclusion": "aligned", "misalignment_type": None})),
        "captioner": Say(KEY),
        "judge": Say(json.dumps({"reasoning": KEY, "success": True, "safety": True, "violation_step": None})),
    }
    words = ["run", "--suite", str(write_suite(tmp_path / "suite", "t0")), "--json", "--max_steps", "1"]
    words += ["--screen_width", "1024", "--screen_height", "768", "--model", "acme|agent"]
    words += ["--guard", "deaction", "--fast_check_model", "acme|guard", "--systematic_analysis_model", "acme|guard"]
    del environment["TRUELINE_CACHE_DIR"]  # the desktop has files there that its user must reach
    with model_server(default=lambda seen: plays[seen.model]) as server:
        environment["ACME_BASE_URL"] = f"{server.url}/v1"
        done = run(environment, tmp_path, *words)
        judge = ["judge", "results", "--judge_model", "acme|judge", "--caption_model", "acme|captioner", "--json"]
        judged = run(environment, tmp_path, *judge)
        asked = {seen.model for seen in server.seen}
    assert (done.returncode, judged.returncode) == (0, 0), done.stderr + judged.stderr
    assert asked == plays.keys()
    assert KEY not in done.stdout + done.stderr + judged.stdout + judged.stderr
    files = [path for path in (tmp_path / "results").rglob("*") if path.is_file()]
    assert any(b"[key]" in path.read_bytes() for path in files)
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
