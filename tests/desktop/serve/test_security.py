"""Who is let in, what is too much, and that nothing of the host can be reached through the server."""

from __future__ import annotations

import asyncio
import contextlib
import io
from pathlib import Path

import aiohttp
import pytest

from support.desktop_service import TOKEN, Service, served
from trueline.desktop.serve.access import Access
from trueline.desktop.serve.app import ENDPOINTS
from trueline.desktop.serve.body import read_form
from trueline.desktop.serve.replies import ReceivedRequest, Refused
from trueline.desktop.serve.settings import ServeSettings
from trueline.errors import InputError


def form(path: str, content: bytes) -> aiohttp.FormData:
    fields = aiohttp.FormData()
    fields.add_field("file_path", path)
    fields.add_field("file_data", content, filename="x")
    return fields


@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"])
def test_without_the_token_nothing_is_answered(runner: asyncio.Runner, service: Service, given: str | None) -> None:
    nobody = Service(service.desktop, service.port, None)
    headers = {} if given is None else {"authorization": given}
    for endpoint in ENDPOINTS:
        for path in endpoint.paths:
            answer = runner.run(nobody.ask(endpoint.method, path, headers=headers))
            assert answer.status == 401 and answer.headers["WWW-Authenticate"] == "Bearer", path
            assert TOKEN not in answer.text


def test_unknown_paths_and_methods(runner: asyncio.Runner, service: Service) -> None:
    assert runner.run(service.get("/nowhere")).status == 404
    assert runner.run(service.post("/screenshot")).status == 405


def test_web_pages_are_kept_out_where_there_is_no_token() -> None:
    open_ = Access(None)
    for host in ("127.0.0.1:5000", "localhost", "LOCALHOST:5000", "[::1]:5000", "10.0.0.7:5000"):
        open_.check({"host": host})
    for headers in (
        {"host": "evil.example:5000"},
        {"host": "127.0.0.1.evil.example"},
        {"host": ""},
        {},
        {"host": "127.0.0.1:5000", "origin": "http://evil.example"},
        {"host": "127.0.0.1:5000", "origin": "null"},
        {"host": "127.0.0.1:5000", "sec-fetch-site": "cross-site"},
    ):
        with pytest.raises(Refused) as refused:
            open_.check(headers)
        assert refused.value.status == 403
    # Who holds the token is no web page.
    Access(TOKEN).check({"host": "proxy.example", "authorization": f"Bearer {TOKEN}"})


@pytest.mark.parametrize("token", ["", "short", "with space in the middle", "ünprintable-characters"])
def test_tokens_that_are_none(token: str) -> None:
    with pytest.raises(InputError, match="at least 16"):
        Access(token)


def test_too_large_and_too_slow(runner: asyncio.Runner, service: Service) -> None:
    small, hasty = ServeSettings(max_body=1000, max_upload=10_000, max_file=3000), ServeSettings(body_seconds=0.3)

    async def work() -> None:
        async with served(service.desktop, settings=small) as narrow:
            assert (await narrow.post("/execute", {"command": ["true", "x" * 2000]})).status == 413
            assert (await narrow.ask("POST", "/setup/upload", data=form("~/x", b"x" * 20_000))).status == 413
            assert (await narrow.ask("POST", "/setup/upload", data=form("~/x", b"x" * 5000))).status == 200
            assert (await narrow.ask("POST", "/file", data={"file_path": "~/x"})).status == 500
        async with served(service.desktop, settings=hasty) as slow:
            reader, writer = await asyncio.open_connection("127.0.0.1", slow.port)
            head = f"POST /execute HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\ncontent-length: 10\r\n\r\n12"
            writer.write(head.encode())
            assert b" 408 " in await asyncio.wait_for(reader.readline(), 20)
            writer.close()

    runner.run(work())


@pytest.mark.parametrize(
    "begun", [b"", b"GET /screenshot HTTP/1.1\r\nhost: x\r\nx-slow: "], ids=["silent", "half a head"]
)
def test_connections_that_hold_something_up_are_ended(runner: asyncio.Runner, service: Service, begun: bytes) -> None:
    async def work() -> None:
        async with served(service.desktop, settings=ServeSettings(peer_seconds=0.3)) as hasty:
            reader, writer = await asyncio.open_connection("127.0.0.1", hasty.port)
            writer.write(begun)
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
            assert (await hasty.get("/platform")).status == 200

    runner.run(asyncio.wait_for(work(), 60))


def test_no_file_of_the_host_is_read_or_written(runner: asyncio.Runner, service: Service, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    file = tmp_path / "secret.txt"
    file.write_text("of the host")
    file.chmod(0o666)

    async def work() -> None:
        await service.post("/execute", {"command": ["ln", "-sfn", str(tmp_path), "/home/user/out"]})
        await service.post("/execute", {"command": ["ln", "-sf", str(file), "/home/user/link"]})
        ways = (str(file), "~/link", f"~/out/{file.name}", f"~/{'../' * 12}{str(file)[1:]}", f"/proc/1/root{file}")
        for way in ways:
            got = await service.ask("POST", "/file", data={"file_path": way})
            assert got.status in (404, 500) and b"of the host" not in got.body, way
        for way in (*ways, f"~/out/new-{file.name}"):
            await service.ask("POST", "/setup/upload", data=form(way, b"overwritten"))
        for document in ({"path": str(tmp_path)}, {"path": "~/out"}):
            listed = await service.post("/list_directory", document)
            # An upload may have made such a folder inside; what lies in the host's is not in it.
            assert "of the host" not in listed.text
            inside = await service.post("/execute", {"command": ["cat", str(file)]})
            assert "of the host" not in inside.json["output"]
        for path in ("/setup/change_wallpaper", "/setup/open_file"):
            await service.post(path, {"path": f"/proc/1/root{file}"})
        users = (await service.ask("POST", "/file", data={"file_path": "/etc/passwd"})).text.splitlines()
        assert [line.split(":")[0] for line in users] == ["root", "user", "nobody"]
        assert (await service.ask("POST", "/file", data={"file_path": "/etc/shadow"})).status in (404, 500)

    runner.run(asyncio.wait_for(work(), 60))
    assert file.read_text() == "of the host" and [entry.name for entry in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "path", ["", "/proc/self/mem", "/dev/zero", "/etc/passwd", "/usr/bin/x", "~/a\0b", "/home/user"]
)
def test_uploads_that_are_refused(runner: asyncio.Runner, service: Service, path: str) -> None:
    answer = runner.run(service.ask("POST", "/setup/upload", data=form(path, b"x")))
    assert answer.status in (400, 500) and answer.json["type"] == "path"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=b", b"no boundary"),
        ("multipart/form-data; boundary=b", b'--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nopen'),
        ("multipart/form-data; boundary=b", b"--b\r\nno end of the head\r\n--b--"),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\nx" * 20 + b"--b--"),
        ("application/x-www-form-urlencoded", b"a=1&" * 50),
        ("application/x-www-form-urlencoded", b"\xff\xfe"),
    ],
)
def test_forms_that_are_none(kind: str, body: bytes) -> None:
    with pytest.raises(Refused) as refused:
        read_form(ReceivedRequest(kind, body))
    assert refused.value.status == 400


def test_odd_action_ids(runner: asyncio.Runner, service: Service) -> None:
    for id in ("x" * 300, " ", "a\tb"):
        answer = runner.run(service.post("/execute", {"command": ["true"]}, headers={"x-trueline-action-id": id}))
        assert answer.status == 400


def test_what_an_application_shows_is_no_page(runner: asyncio.Runner, service: Service) -> None:
    answer = runner.run(service.post("/setup/launch", {"command": ["true", "<script>alert(1)</script>"]}))
    assert (answer.type, answer.headers["X-Content-Type-Options"]) == ("text/plain", "nosniff")


@pytest.mark.parametrize(
    "name", ["line\nfeed", "carriage\rreturn", "tab\there", "bell\x07", 'quote"', "back\\slash", "ünï", "\u200b"]
)
def test_a_file_of_any_name_is_answered(runner: asyncio.Runner, service: Service, name: str) -> None:
    async def work() -> None:
        assert (await service.ask("POST", "/setup/upload", data=form(f"~/{name}", b"content"))).status == 200
        got = await service.ask("POST", "/file", data={"file_path": f"~/{name}"})
        assert (got.status, got.body) == (200, b"content")
        assert got.headers["Content-Disposition"].isprintable()

    runner.run(asyncio.wait_for(work(), 60))


@pytest.mark.parametrize("name", ["a\0b", "\0", "x" * 5000, "x" * 300])
def test_a_name_that_no_file_has_is_an_error(runner: asyncio.Runner, service: Service, name: str) -> None:
    for path, fields in (("/file", {"file_path": f"~/{name}"}), ("/setup/upload", form(f"~/{name}", b"x"))):
        answer = runner.run(asyncio.wait_for(service.ask("POST", path, data=fields), 60))
        assert answer.status in (400, 404, 500) and answer.json["type"] in ("path", "refused")


def test_uploads_share_one_memory(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with served(service.desktop, settings=ServeSettings(max_held=1 << 20)) as narrow:
            head = b'--b\r\ncontent-disposition: form-data; name="file_path"\r\n\r\n~/x\r\n'
            large = io.BytesIO(head + b"x" * (2 << 20))
            kind = {"content-type": "multipart/form-data; boundary=b"}
            assert (await narrow.ask("POST", "/setup/upload", data=large, headers=kind)).status == 503
            assert (await narrow.ask("POST", "/setup/upload", data=form("~/x", b"x" * 900_000))).status == 200
            assert (await narrow.post("/execute", {"command": ["true"]})).status == 200

    runner.run(asyncio.wait_for(work(), 60))
