"""Downloads from a real server on loopback: once, whole, kept by content."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from trueline.tasks.downloads import DownloadError, Downloads


@dataclass
class Site:
    url: str = ""
    pages: dict[str, bytes] = field(default_factory=dict[str, bytes])
    asked: list[str] = field(default_factory=list[str])
    failures: int = 0
    cuts: int = 0
    """How many answers break off in the middle."""
    held: threading.Event | None = None
    """What an answer waits for in the middle."""
    resumes: bool = True
    """Whether the server can continue a file."""
    continued: list[int] = field(default_factory=list[int])


@pytest.fixture
def site() -> Iterator[Site]:
    state = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            if state.failures > 0:
                state.failures -= 1
                self.send_error(503)
            elif self.path == "/away":
                self.send_response(302)
                self.send_header("Location", "file:///etc/passwd")
                self.end_headers()
            elif self.path == "/cut":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"short")
            elif self.path == "/login.xlsx":
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(b"<p>Sign in")
            elif self.path in state.pages:
                content, begin = state.pages[self.path], 0
                tag = f'"{hashlib.sha256(content).hexdigest()[:8]}"' if state.resumes else None
                wanted = self.headers.get("Range")
                if wanted is not None and tag == self.headers.get("If-Range"):
                    begin = int(wanted.removeprefix("bytes=").removesuffix("-"))
                    state.continued.append(begin)
                self.send_response(206 if begin else 200)
                if begin:
                    self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
                if tag is not None:
                    self.send_header("ETag", tag)
                    self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Length", str(len(content) - begin))
                self.end_headers()
                sent = content[begin:]
                if state.cuts > 0:
                    state.cuts, sent = state.cuts - 1, sent[: len(sent) // 2]
                if state.held is not None:
                    self.wfile.write(sent[:300_000])
                    state.held.wait(60)
                    sent = sent[300_000:]
                with suppress(OSError):
                    self.wfile.write(sent)
                self.close_connection = True
            else:
                self.send_error(404)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_port}"
        yield state
        server.shutdown()
        thread.join()


def fetch(downloads: Downloads, url: str) -> bytes:
    return asyncio.run(downloads.fetch(url)).read_bytes()


def test_a_file_is_fetched_once_and_then_there_offline(site: Site, tmp_path: Path) -> None:
    site.pages["/a.xlsx"] = b"x" * 1_000_000
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a.xlsx") == site.pages["/a.xlsx"]
    offline = Downloads(tmp_path, offline=True)
    assert fetch(offline, f"{site.url}/a.xlsx") == site.pages["/a.xlsx"]
    assert site.asked == ["/a.xlsx"]
    with pytest.raises(DownloadError, match=r"/b: not in .*, and --offline is set"):
        fetch(offline, f"{site.url}/b")


def test_equal_files_are_kept_once(site: Site, tmp_path: Path) -> None:
    site.pages |= {"/a": b"same", "/b": b"same"}
    paths = {asyncio.run(Downloads(tmp_path).fetch(f"{site.url}{page}")) for page in ("/a", "/b")}
    assert len(paths) == 1


def test_a_damaged_file_is_fetched_again(site: Site, tmp_path: Path) -> None:
    site.pages["/a"] = b"right"
    asyncio.run(Downloads(tmp_path).fetch(f"{site.url}/a")).write_bytes(b"wrong")
    assert Downloads(tmp_path).cached(f"{site.url}/a") is None
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a") == b"right"


def test_a_server_that_fails_twice_is_asked_a_third_time(site: Site, tmp_path: Path) -> None:
    site.pages["/a"], site.failures = b"here", 2
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a") == b"here"


def test_a_download_that_broke_off_is_continued(site: Site, tmp_path: Path) -> None:
    site.pages["/a"], site.cuts = bytes(range(256)) * 4000, 2
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a") == site.pages["/a"]
    assert site.continued == [512_000, 768_000]
    assert list((tmp_path / "partial").iterdir()) == []


def test_another_call_continues_what_broke_off(site: Site, tmp_path: Path) -> None:
    site.pages["/a"], site.cuts = bytes(range(256)) * 4000, 3
    with pytest.raises(DownloadError, match="bytes early"):
        fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a")
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a") == site.pages["/a"]
    assert len(site.continued) == 3


def test_an_interrupted_download_ends_and_is_continued_later(site: Site, tmp_path: Path) -> None:
    site.pages["/a"], site.held = bytes(range(256)) * 4000, threading.Event()

    async def interrupted() -> None:
        task = asyncio.create_task(Downloads(tmp_path, pause=0.01).fetch(f"{site.url}/a"))
        await asyncio.to_thread(wait_for_a_beginning, tmp_path / "partial")
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert site.held is not None
        site.held.set()

    asyncio.run(interrupted())
    site.held = None
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a") == site.pages["/a"]
    assert len(site.continued) == 1


def wait_for_a_beginning(folder: Path) -> None:
    while not any(path.stat().st_size for path in folder.glob("*") if path.suffix != ".json"):
        time.sleep(0.01)


def test_the_beginning_of_another_version_is_not_continued(site: Site, tmp_path: Path) -> None:
    site.pages["/a"], site.cuts = b"old" * 1000, 3
    with pytest.raises(DownloadError):
        fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a")
    site.pages["/a"], site.continued = b"new" * 1000, []
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a") == b"new" * 1000
    assert site.continued == []


def test_a_server_that_cannot_continue_is_asked_for_the_whole_file(site: Site, tmp_path: Path) -> None:
    site.pages["/a"], site.cuts, site.resumes = b"x" * 5000, 1, False
    assert fetch(Downloads(tmp_path, pause=0.01), f"{site.url}/a") == b"x" * 5000


@pytest.mark.parametrize(
    ("page", "message", "asked"),
    [
        ("/none", "the server answered 404", 1),
        ("/cut", "995 bytes early", 3),
        ("/away", "cannot be fetched|302", None),
        ("/login.xlsx", "a web page, not with the file", 1),
    ],
)
def test_what_cannot_be_had_is_an_error_and_leaves_nothing(
    site: Site, tmp_path: Path, page: str, message: str, asked: int | None
) -> None:
    with pytest.raises(DownloadError, match=message):
        fetch(Downloads(tmp_path, pause=0.01), site.url + page)
    assert asked in (None, len(site.asked))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_is_too_large_is_refused(site: Site, tmp_path: Path) -> None:
    site.pages["/big"] = b"x" * 100_000
    with pytest.raises(DownloadError, match="larger than 1000 bytes"):
        fetch(Downloads(tmp_path, largest=1000), f"{site.url}/big")


@pytest.mark.parametrize(
    "url", ["http://[bad", "file:///etc/passwd", "ftp://127.0.0.1/a", "/etc/passwd", "", "data:,x"]
)
def test_other_addresses_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(DownloadError, match="only http and https"):
        fetch(Downloads(tmp_path, pause=0.01), url)


def test_nobody_listening_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="cannot be fetched"):
        fetch(Downloads(tmp_path, pause=0.01), "http://127.0.0.1:9/x")
