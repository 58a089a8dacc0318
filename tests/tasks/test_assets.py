"""Fetching what tasks need, from a real server."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.tiny_suite import note, write_suite
from trueline.cli import main
from trueline.records import read_episode
from trueline.tasks.assets import FetchProgress, fetch_files
from trueline.tasks.downloads import Downloads


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    served = tmp_path / "served"
    served.mkdir()
    for name in ("a.txt", "b.txt"):
        (served / name).write_text(name)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(served))  # pyright: ignore[reportArgumentType]

        def log_message(self, format: str, *args: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_one_file_that_fails_does_not_stop_the_others(site: str, tmp_path: Path) -> None:
    told: list[FetchProgress] = []
    urls = [f"{site}/a.txt", f"{site}/none", f"{site}/b.txt", f"{site}/a.txt", "data:,x"]
    downloads = Downloads(tmp_path / "cache", pause=0.01)
    found = asyncio.run(fetch_files(urls, downloads, told.append))
    assert (found.there, found.new, found.size) == (0, 2, 10)
    assert found.failed.keys() == {f"{site}/none", "data:,x"}
    assert [progress.done for progress in told] == [1, 2, 3, 4]
    again = asyncio.run(fetch_files(urls, downloads, told.append))
    assert (again.there, again.new) == (2, 0)


def test_no_file_is_begun_beyond_the_limit(site: str, tmp_path: Path) -> None:
    urls = [f"{site}/a.txt", f"{site}/b.txt"]
    found = asyncio.run(fetch_files(urls, Downloads(tmp_path / "cache", pause=0.01), lambda _: None, at_once=1, most=3))
    assert (found.new, [why.partition(":")[0] for why in found.failed.values()]) == (1, ["not begun"])


def suite(folder: Path, *urls: str) -> Path:
    files: list[JsonValue] = [{"url": url, "path": f"/home/user/{number}"} for number, url in enumerate(urls)]
    download: JsonValue = {"type": "download", "parameters": {"files": files}}
    return write_suite(folder, note(config=[download]))


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, JsonValue], str]:
    code = main([*words, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else {"said": err}, err


def test_fetch_tells_which_tasks_lack_files_and_check_counts_them(
    site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(tmp_path / "cache"))
    named = ("--suite", str(suite(tmp_path / "tiny", f"{site}/a.txt", f"{site}/none")))
    _, before, _ = call(capsys, "tasks", "check", *named)
    assert (before["files"], before["missing_files"], before["lacking_files"]) == (2, 2, 1)
    code, found, err = call(capsys, "tasks", "fetch", *named)
    assert (code, found["new"], found["tasks_lacking"]) == (1, 1, ["os/note"])
    assert "2 of 2 files" in err
    _, after, _ = call(capsys, "tasks", "check", *named)
    assert after["missing_files"] == 1
    mirror = tmp_path / "mirror" / site.removeprefix("http://")
    mirror.mkdir(parents=True)
    (mirror / "none").write_text("from the mirror")
    _, mirrored, _ = call(capsys, "tasks", "check", *named, "--mirror", str(tmp_path / "mirror"))
    assert mirrored["missing_files"] == 0
    assert main(["tasks", "fetch", *named, "--progress", "none"]) == 1
    said = capsys.readouterr().out
    assert "1 tasks lack some" in said and "the server answered 404" in said


@pytest.mark.full
def test_a_run_without_its_files_starts_no_desktop_and_goes_on_once_they_are_there(
    machine: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = ("--suite", str(suite(tmp_path / "tiny", "https://files.example/nowhere/a.txt")))
    played = ("--agent", "fail", "--result_dir", str(tmp_path / "results"), "--screen_width", "1024")
    for _ in range(4):
        code, found, err = call(capsys, "run", *named, *played, "--offline", "--progress", "plain")
        assert (code, found["unscored"]) == (1, {"setup_error": 1})
        assert "1 are missing, so 1 tasks cannot be set up" in err
    (folder,) = [path.parent for path in (tmp_path / "results" / "pyautogui").rglob("episode.json")]
    assert "get them with: trueline tasks fetch" in read_episode(folder).record.detail
    (tmp_path / "mirror" / "nowhere").mkdir(parents=True)
    (tmp_path / "mirror" / "nowhere" / "a.txt").write_text("here")
    mirror = ("--mirror", str(tmp_path / "mirror"))
    code, found, err = call(capsys, "run", *named, *played, *mirror, "--offline", "--progress", "plain")
    assert (code, found.get("scored")) == (0, 1), err
