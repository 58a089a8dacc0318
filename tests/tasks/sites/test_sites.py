"""The stand-in sites over HTTP, without a desktop: accounts, posts, uploads, shares and answers."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from urllib.parse import urlencode

import pytest

from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.sites.chat import Chat
from trueline.tasks.sites.code_hosts import OutsidePages
from trueline.tasks.sites.forum import Forum
from trueline.tasks.sites.server import serve_site
from trueline.tasks.sites.share import FileShare, SharedFile
from trueline.tasks.sites.stand_ins import StandInSites
from trueline.tasks.sites.web import parse_request, prose

HOSTILE = "</textarea><script>alert('x')</script>\"'><img src=x onerror=alert(1)> \u202e\u200b\n" + "A" * 3_000


class Browser:
    """Follows redirects and keeps cookies, as much of a browser as forms need."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        connection.request(method, path, body or None, headers | ({"Content-Type": kind} if kind else {}))
        answer = connection.getresponse()
        content = answer.read().decode("utf-8", "replace")
        for value in answer.headers.get_all("Set-Cookie", []):
            name, _, rest = value.partition("=")
            self.cookies[name] = rest.partition(";")[0]
        connection.close()
        target = answer.headers.get("Location")
        return self.ask("GET", target.partition("#")[0]) if target else (answer.status, content)

    def get(self, path: str) -> str:
        return self.ask("GET", path)[1]

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        return self.ask("POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def upload(self, path: str, name: str, content: bytes) -> str:
        head = f'--xyz\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        return self.ask("POST", path, head + content + b"\r\n--xyz--\r\n", "multipart/form-data; boundary=xyz")[1]


@contextmanager
def browsing(site: Forum | FileShare | Chat, log: SinkLog | None = None) -> Generator[Browser]:
    sock = socket.create_server(("127.0.0.1", 0))
    with serve_site(sock, site.answer, log or SinkLog(), Lock()):
        yield Browser(sock.getsockname()[1])


def with_account(site: Forum | FileShare | Chat) -> Forum | FileShare | Chat:
    site.accounts.add("ann", "secret")
    return site


@pytest.mark.parametrize(("site", "login"), [(Forum(), "/login_check"), (FileShare(), "/login"), (Chat(), "/login")])
def test_a_login_that_is_wrong_does_not_let_in_and_a_right_one_does(site: Forum | FileShare | Chat, login: str) -> None:
    with browsing(with_account(site)) as browser:
        assert browser.post(login, username="ann", password="other")[0] == 403
        assert "Log out" not in browser.get("/")
        browser.post(login, username="ann", password="secret")
        assert "Log out" in browser.get("/")
        browser.post("/logout")
        assert "Log out" not in browser.get("/")


def test_a_comment_is_shown_to_everybody_as_text() -> None:
    forum = Forum()
    thread = forum.add_thread("things", "17", "how-it-works")
    log = SinkLog()
    with browsing(with_account(forum), log) as browser:
        assert "How it works" in browser.get("/f/things/17/how-it-works")
        assert "Log in" in browser.post("/comment/17", body="nobody may")[1]
        browser.post("/login_check", username="ann", password="secret")
        page = browser.post("/comment/17", body=HOSTILE, parent=thread.comments[0].id)[1]
    assert "<script>" not in page
    assert "<img" not in page
    assert "A" * 3_000 in page
    assert thread.comments[-1].body == HOSTILE
    assert thread.comments[-1].parent == thread.comments[0].id
    assert [visit.method for visit in log.visits] == ["POST", "POST", "POST"]


def test_a_submission_gets_a_page_of_its_own() -> None:
    forum = Forum()
    forum.add_thread("things", "17", "how-it-works")
    with browsing(with_account(forum)) as browser:
        browser.post("/login_check", username="ann", password="secret")
        page = browser.post("/submit", forum="things", title="../../<b>New", body="text of mine")[1]
        assert "&lt;b&gt;New" in page
        assert "text of mine" in page
        assert "how-it-works" in browser.get("/f/things")
    assert len(forum.threads) == 2


def test_an_uploaded_file_is_listed_previewed_and_shared() -> None:
    share = FileShare()
    with browsing(with_account(share)) as browser:
        browser.post("/login", username="ann", password="secret")
        assert "notes.txt" in browser.upload("/upload", "notes.txt", b"line <b>one</b>")
        assert "&lt;b&gt;one" in browser.get("/index.php/apps/preview/notes.txt")
        assert "notes.txt" not in browser.get("/index.php/apps/files/?dir=/&view=sharingout")
        browser.post("/share/notes.txt", **{"with": "li_ming"})
        assert "notes.txt" in browser.get("/index.php/apps/files/?dir=/&view=sharingout")
        browser.upload("/upload", "../../etc/passwd", b"x")
    assert set(share.files["ann"]) == {"notes.txt", "passwd"}
    assert share.files["li_ming"]["notes.txt"].shared_by == "ann"


@pytest.mark.parametrize("name", ["page.html", "picture.svg", "script.js", "note.txt"])
def test_a_file_never_becomes_a_page_of_the_site(name: str) -> None:
    share = FileShare()
    share.put("ann", SharedFile(name, b"<script>alert(1)</script>"))
    with_account(share)
    request = share.accounts.request_as("ann", f"/remote.php/webdav/{name}", {})
    response = share.answer(request)
    assert response.content_type == "application/octet-stream"
    assert dict(response.headers)["X-Content-Type-Options"] == "nosniff"


def test_a_colleague_answers_once_with_what_he_was_told() -> None:
    chat = Chat()
    chat.answers["Mike Chen"] = "first run\n```bash\nls <x>\n```"
    with browsing(with_account(chat)) as browser:
        browser.post("/login", username="ann", password="secret")
        page = browser.post("/direct/mike_chen", message="how?")[1]
        assert re.search(r"<pre><code>ls &lt;x&gt;</code></pre>", page)
        again = browser.post("/direct/AnyRoomNumber", message="and then?")[1]
        assert again.count("ls &lt;x&gt;") == 1
        assert "general" in browser.post("/channel/general", message="hello")[1]
    assert [message.author for message in chat.rooms["direct", "Mike Chen"]] == ["ann", "Mike Chen"] * 2


def test_what_a_page_shows_is_read_without_a_trace() -> None:
    sites = StandInSites()
    sites.chat.accounts.add("ann", "secret")
    sites.chat.answers["Mike Chen"] = "x"
    sites.chat.send("ann", "Mike Chen", "Ada,Stone,(555) 0101 & <co>")
    shown = sites.shown_text("http://the-agent-company.com:3000/direct/XyZ")
    assert shown is not None
    assert "Ada,Stone,(555) 0101 & <co>" in shown
    assert sites.shown_text("http://elsewhere.example/direct/XyZ") is None
    assert len(sites.chat.rooms["direct", "Mike Chen"]) == 2


@pytest.mark.parametrize("target", ["//evil.example/x", "/%00/%2e%2e/f", "http://[bad", "/f/a/1/b?x=%ff&x=2#y", ""])
def test_an_odd_address_is_answered(target: str) -> None:
    request = parse_request("GET", target, cookie="a=b; =; \x00", content_type="multipart/form-data", body=b"--")
    for site in (Forum(), FileShare(), Chat()):
        response = site.answer(request)
        assert response.status in (200, 303, 404)
        assert all("\n" not in value and "//" not in value[:2] for _, value in response.headers)


def test_code_is_set_apart_from_words() -> None:
    assert prose("a\n\nb<\n```bash\nrm -r x\n```") == "<p>a</p><p>b&lt;</p><pre><code>rm -r x</code></pre>"
    assert prose("odd ``` end") == "<p>odd</p><pre><code>end</code></pre>"


def test_a_repository_of_any_name_can_be_read() -> None:
    pages = OutsidePages()
    commit = pages["github.com", "/someone/Thing.git/info/refs"].split(b"\t")[0].decode()
    assert pages["github.com", f"/someone/Thing/objects/{commit[:2]}/{commit[2:]}"]
    assert pages.get(("example.org", "/someone/Thing/info/refs")) is None
    assert pages.get(("github.com", "/x")) is None
