"""Attempts on our HTTP servers, as raw requests of a web page, of a stranger on the port or of a hijacked agent.

Each wants to make a file called `owned` on the desktop, or to read the host. None may.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import Literal

Server = Literal["desktop", "open", "guard", "proxy"]
"""A desktop with a token, one without, the guard's service, the proxy with a session under way."""

TOUCHING = "touch /home/user/owned"
TOUCH = b'{"command": ["touch", "/home/user/owned"]}'
FORM = "content-type: application/x-www-form-urlencoded"
PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; "
BEARER = "{token}"
"""Stands for the server's token in a header."""


@dataclass(frozen=True)
class Attempt:
    """One thing to send."""

    category: str
    name: str
    server: Server
    request: bytes
    allowed: tuple[int, ...] = (400, 401, 403, 404, 405, 408, 409, 411, 413, 415, 422, 501, 503)
    """Statuses of all answers that may come; none at all (the server hung up) is always fine."""


def raw(
    line: str,
    *headers: str,
    body: bytes = b"",
    token: bool = True,
    host: str | None = "127.0.0.1",
    length: bool = True,
) -> bytes:
    """Put a request together without a client that would mend it."""
    lines = [line]
    if host is not None:
        lines.append(f"host: {host}")
    if token:
        lines.append(f"authorization: Bearer {BEARER}")
    lines.extend(headers)
    if length:
        lines.append(f"content-length: {len(body)}")
    lines.append("connection: close")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def execute(*headers: str, body: bytes = TOUCH, token: bool = True, host: str | None = "127.0.0.1") -> bytes:
    return raw("POST /execute HTTP/1.1", *headers, body=body, token=token, host=host)


def _auth() -> list[Attempt]:
    words = {
        "none": (),
        "empty": ("authorization:",),
        "scheme alone": ("authorization: Bearer",),
        "wrong token": ("authorization: Bearer wrong-token-wrong-token-wrong",),
        "basic": (f"authorization: Basic {BEARER}",),
        "no scheme": (f"authorization: {BEARER}",),
        "longer": (f"authorization: Bearer {BEARER}x",),
        "doubled": (f"authorization: Bearer {BEARER}{BEARER}",),
        "in a cookie": (f"cookie: token={BEARER}; authorization=Bearer {BEARER}",),
        "other header": (f"x-authorization: Bearer {BEARER}", f"proxy-authorization: Bearer {BEARER}"),
        "quoted": (f'authorization: Bearer "{BEARER}"',),
        "two headers, wrong first": (
            "authorization: Bearer wrong-wrong-wrong-wrong",
            f"authorization: Bearer {BEARER}",
        ),
        "list of schemes": (f"authorization: Basic x, Bearer {BEARER}",),
        "very long": ("authorization: Bearer " + "x" * 20_000,),
        "bytes beyond ASCII": (
            "authorization: Bearer \xff\xfe\xfd\xfc\xff\xfe\xfd\xfc\xff\xfe\xfd\xfc\xff\xfe\xfd\xfc",
        ),
        "forwarded for": ("x-forwarded-for: 127.0.0.1", "forwarded: for=127.0.0.1"),
    }
    found = [Attempt("auth", name, "desktop", execute(*headers, token=False)) for name, headers in words.items()]
    query = raw(f"POST /execute?token={BEARER}&access_token={BEARER} HTTP/1.1", body=TOUCH, token=False)
    found.append(Attempt("auth", "in the query", "desktop", query))
    userinfo = raw(f"POST http://user:{BEARER}@127.0.0.1/execute HTTP/1.1", body=TOUCH, token=False)
    found.append(Attempt("auth", "in the address", "desktop", userinfo))
    begin = raw("POST /trueline/session HTTP/1.1", body=b'{"instruction": "touch /home/user/owned"}', token=False)
    end = raw("DELETE /trueline/session HTTP/1.1", token=False)
    found += [
        Attempt("auth", "new session without a token", "proxy", begin),
        Attempt("auth", "end of the session without a token", "proxy", end),
        Attempt("auth", "metrics without a token", "guard", raw("GET /metrics HTTP/1.1", token=False)),
        Attempt("auth", "session of nobody", "guard", raw("DELETE /v1/sessions/../sessions/x HTTP/1.1")),
    ]
    return found


def _origin() -> list[Attempt]:
    hosts = {
        "name": "evil.example",
        "name with our port": "evil.example:5000",
        "name that begins like loopback": "127.0.0.1.evil.example",
        "name that begins like localhost": "localhost.evil.example",
        "userinfo": "127.0.0.1@evil.example",
        "port, then userinfo": "127.0.0.1:5000@evil.example",
        "text behind the bracket": "[::1]evil.example",
        "IPv4 in brackets": "[127.0.0.1]",
        "trailing dot": "localhost.",
        "two ports": "127.0.0.1:5000:80",
        "port that is none": "127.0.0.1:evil",
        "port too large": "127.0.0.1:99999",
        "short form": "127.1",
        "decimal form": "2130706433",
        "list": "127.0.0.1, evil.example",
        "path": "127.0.0.1/evil",
        "empty": "",
        "zone": "[::1%25lo]",
    }
    found = [
        Attempt("rebinding", name, "open", execute(token=False, host=host), (400, 403)) for name, host in hosts.items()
    ]
    found.append(Attempt("rebinding", "no host", "open", execute(token=False, host=None), (400, 403)))
    twice = execute("host: evil.example", token=False)
    found.append(Attempt("rebinding", "two hosts", "open", twice, (400, 403)))
    pages = {
        "null origin": "origin: null",
        "foreign origin": "origin: https://evil.example",
        "our own origin": "origin: http://127.0.0.1",
        "empty origin": "origin:",
        "cross-site": "sec-fetch-site: cross-site",
        "same-site": "sec-fetch-site: same-site",
        "same-origin": "sec-fetch-site: same-origin",
    }
    found += [Attempt("origin", name, "open", execute(header, token=False), (403,)) for name, header in pages.items()]
    form = raw("POST /execute HTTP/1.1", "origin: null", "content-type: text/plain", body=TOUCH, token=False)
    asked = ("origin: https://evil.example", "access-control-request-method: POST")
    preflight = raw("OPTIONS /execute HTTP/1.1", *asked, token=False)
    return [
        *found,
        Attempt("origin", "form as plain text", "open", form, (403,)),
        Attempt("origin", "preflight", "open", preflight),
    ]


def _smuggling() -> list[Attempt]:
    hidden = raw("POST /execute HTTP/1.1", body=TOUCH, token=False)

    def plain(*headers: str, rest: bytes) -> bytes:
        return raw("GET /platform HTTP/1.1", *headers, length=False).replace(b"connection: close\r\n", b"") + rest

    chunked = b"2\r\n{}\r\n0\r\n\r\n"
    found = {
        "length and chunks": plain("content-length: 4", "transfer-encoding: chunked", rest=chunked + hidden),
        "two lengths": plain("content-length: 0", f"content-length: {len(hidden)}", rest=hidden),
        "list of lengths": plain(f"content-length: 0, {len(hidden)}", rest=hidden),
        "signed length": plain("content-length: +0", rest=hidden),
        "negative length": plain("content-length: -1", rest=hidden),
        "hexadecimal length": plain("content-length: 0x0", rest=hidden),
        "unknown coding": plain("transfer-encoding: xchunked", rest=hidden),
        "chunked, then identity": plain("transfer-encoding: chunked, identity", rest=chunked + hidden),
        "chunked twice": plain("transfer-encoding: chunked", "transfer-encoding: chunked", rest=chunked + hidden),
        "tab before chunked": plain("transfer-encoding:\x0bchunked", rest=chunked + hidden),
        "folded header": plain("x: 1", " transfer-encoding: chunked", rest=hidden),
        "space before the colon": plain("content-length : 4", rest=hidden),
        "line feed in a value": plain("x: 1\ncontent-length: 4", rest=hidden),
        "carriage return in a value": plain("x: 1\rcontent-length: 4", rest=hidden),
        "NUL in a value": plain("x: 1\0content-length: 4", rest=hidden),
        "chunk size with junk": plain("transfer-encoding: chunked", rest=b"0z\r\n\r\n" + hidden),
        "endless chunk extension": plain("transfer-encoding: chunked", rest=b"1;" + b"x" * 70_000 + b"\r\n"),
        "next request without a token": plain(rest=hidden),
        "trailer that looks like a request": plain("transfer-encoding: chunked", rest=b"0\r\n" + hidden),
        "HTTP/0.9": b"POST /execute\r\n\r\n" + TOUCH,
        "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + hidden,
        "upgrade": plain("connection: upgrade", "upgrade: h2c", rest=hidden),
        "no request": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + hidden,
    }
    statuses = (200, 400, 401, 404, 405, 408, 431, 501)
    return [Attempt("smuggling", name, "desktop", request, statuses) for name, request in found.items()]


def _bodies() -> list[Attempt]:
    deep = b'{"command": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    bodies = {
        "repeated key": b'{"command": ["true"], "command": ["touch", "/home/user/owned"]}',
        "repeated key, escaped": b'{"command": ["true"], "c\\u006fmmand": ["touch", "/home/user/owned"]}',
        "repeated key further in": b'{"command": ["touch", "/home/user/owned"], "x": {"a": 1, "a": 2}}',
        "not a number": b'{"command": ["touch", "/home/user/owned"], "x": NaN}',
        "infinity": b'{"command": ["touch", "/home/user/owned"], "x": -Infinity}',
        "nested 100,000 deep": deep,
        "5,000 digits": b'{"command": ["touch", "/home/user/owned"], "x": ' + b"9" * 5000 + b"}",
        "UTF-16": TOUCH.decode().encode("utf-16"),
        "byte order mark": b"\xef\xbb\xbf" + TOUCH,
        "not UTF-8": TOUCH.replace(b"owned", b"owned\xff"),
        "half a character": TOUCH.replace(b"owned", b"owned\\ud800"),
        "cut off": TOUCH[:-1],
        "text behind": TOUCH + b"{}",
        "comment": b"/* */" + TOUCH,
        "compressed": gzip.compress(TOUCH),
        "number as command": b'{"command": 5}',
        "object as command": b'{"command": {"0": "touch"}}',
        "no command": b"{}",
        "NUL in a word": b'{"command": ["touch", "/home/user/owned\\u0000"]}',
        "9 MiB": b'{"command": ["true"], "x": "' + b"x" * (9 << 20) + b'"}',
    }
    found = [Attempt("bodies", name, "desktop", execute(body=body), (400, 413, 500)) for name, body in bodies.items()]
    form = "content-type: multipart/form-data; boundary=b"
    part = b'--b\r\ncontent-disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    path, data = part % (b"file_path", b"/home/user/owned"), part % (b"file_data", b"x")
    forms = {
        "form with a path twice": part % (b"file_path", b"/home/user/ok") + path + data + b"--b--",
        "form that is not closed": path + data,
        "form of 1,000 parts": path + data * 1000 + b"--b--",
        "form without data": path + b"--b--",
    }
    found += [
        Attempt("bodies", name, "desktop", raw("POST /setup/upload HTTP/1.1", form, body=body), (400,))
        for name, body in forms.items()
    ]
    session = b'{"session": "x", "session": "y", "action": "pyautogui.click(1, 2)"}'
    checks = {
        "guard: repeated key": ("application/json", session),
        "guard: unknown session": ("application/json", b'{"session": "x", "action": "pyautogui.click(1, 2)"}'),
        "guard: no JSON": ("application/json", b"<xml/>"),
        "guard: other type": ("text/html", b"{}"),
        "guard: form with a foreign part": ("multipart/form-data; boundary=b", part % (b"x", b"y") + b"--b--"),
        "guard: boundary of 1,000": ("multipart/form-data; boundary=" + "b" * 1000, b"--b--"),
        "guard: 17 MiB": ("application/json", b'"' + b"x" * (17 << 20) + b'"'),
    }
    return found + [
        Attempt("bodies", name, "guard", raw("POST /v1/check HTTP/1.1", f"content-type: {kind}", body=body))
        for name, (kind, body) in checks.items()
    ]


def _traversal(host_file: str) -> list[Attempt]:
    paths = {
        "whole path": host_file,
        "dots": "~/" + "../" * 12 + host_file[1:],
        "root of process 1": f"/proc/1/root{host_file}",
        "root of itself": f"/proc/self/root{host_file}",
        "working folder of process 1": f"/proc/1/cwd{host_file}",
        "descriptor of process 1": "/proc/1/fd/0",
        "memory of process 1": "/proc/1/mem",
        "environment of process 1": "/proc/1/environ",
        "address of a file": f"file://{host_file}",
        "variable": "$HOME/" + "../" * 12 + host_file[1:],
        "another home": f"~root/..{host_file}",
        "shadow": "/etc/shadow",
        "kernel memory": "/proc/kcore",
        "disk": "/dev/vda",
        "NUL": f"{host_file}%00.png",
        "very long": "a/" * 5000,
    }
    read = [
        Attempt("traversal", f"read: {name}", "desktop",
                raw("POST /file HTTP/1.1", FORM, body=f"file_path={path}".encode()), (200, 400, 403, 404, 500))
        for name, path in paths.items()
    ]  # fmt: skip
    listed = [
        Attempt("traversal", f"list: {path}", "desktop",
                raw("POST /list_directory HTTP/1.1", body=json.dumps({"path": path}).encode()), (200, 400, 404, 500))
        for path in (host_file.rpartition("/")[0], "/root", f"/proc/1/root{host_file.rpartition('/')[0]}")
    ]  # fmt: skip
    routes = (
        "//execute", "/execute/", "/EXECUTE", "/./execute/.", "/trueline/..%2fexecute", "/execute%00", "/execute;x",
        "/%2e%2e/execute/..", "/setup/exec", "/proxy/execute", "/..%5cexecute",
    )  # fmt: skip
    odd = [
        Attempt("traversal", f"route {route}", "desktop", raw(f"POST {route} HTTP/1.1", body=TOUCH, token=False))
        for route in routes
    ]
    return [*read, *listed, *odd]


def _side_doors() -> list[Attempt]:
    code = "open('/home/user/owned', 'w')"

    def post(path: str, document: object, *headers: str) -> bytes:
        return raw(f"POST {path} HTTP/1.1", *headers, body=json.dumps(document).encode())

    command: dict[str, object] = {"command": ["touch", "/home/user/owned"]}
    evil = "import os; os.system('touch /home/user/owned delete')"  # the tests' guard stops what says delete
    agent = {"command": ["python", "-c", PREFIX + evil]}
    question = {"command": ["python", "-c", "import platform; print(platform.system()); " + evil]}
    blocked = (200, 400, 403, 404, 405, 409)
    doors = {
        "/setup/execute": command,
        "/setup/launch": command,
        "/run_python": {"code": code},
        "/run_bash_script": {"script": TOUCHING},
        "/execute_with_verification": {"command": ["true"], "verification": {"command_success": TOUCHING}},
        "/setup/execute_with_verification": command,
        "/setup/upload": {},
        "/setup/download_file": {"url": "http://127.0.0.1/", "path": "/home/user/owned"},
        "/setup/open_file": {"path": "/home/user/owned"},
        "/setup/change_wallpaper": {"path": "/home/user/owned"},
        "/setup/activate_window": {"window_name": "x"},
        "/setup/close_window": {"window_name": "x"},
        "/trueline/reset": {},
        "/setup/exec": command,
        "//execute": command,
        "/execute/": command,
        "/Execute": command,
        "/trueline/../setup/execute": command,
        "/execute%2f": command,
    }  # fmt: skip
    found = [Attempt("side doors", door, "proxy", post(door, asked), (400, 403, 404)) for door, asked in doors.items()]
    guarded = {
        "agent's code": post("/execute", agent),
        "command that deletes": post("/execute", {"command": ["sh", "-c", "touch /home/user/owned; echo delete"]}),
        "shell line": post("/execute", {"command": "touch /home/user/owned delete", "shell": True}),
        "more behind a question": post("/execute", question),
        "shell as text": post("/execute", {"command": "touch /home/user/owned", "shell": "true"}),
        "repeated key": raw("POST /execute HTTP/1.1", body=b'{"command": ["true"], ' + TOUCH[1:]),
        "percent-encoded path": raw("POST /%65xecute HTTP/1.1", body=json.dumps(agent).encode()),
        "method override": raw("GET /execute HTTP/1.1", "x-http-method-override: POST", body=TOUCH),
        "rewritten path": post("/execute", agent, "x-original-url: /setup/execute", "x-rewrite-url: /setup/execute"),
        "whole address": raw("POST http://127.0.0.1/setup/execute HTTP/1.1", body=TOUCH),
        "id of another action": post("/execute", agent, "x-trueline-action-id: " + "x" * 500),
        "form instead of JSON": raw("POST /execute HTTP/1.1", FORM, body=b"command=touch+/home/user/owned"),
    }  # fmt: skip
    return [
        *found,
        *(Attempt("side doors", name, "proxy", request, blocked) for name, request in guarded.items()),
    ]


def attempts(host_file: str) -> list[Attempt]:
    """Return all of them.

    Args:
        host_file: A file of the host, whose content no answer may hold.
    """
    return [*_auth(), *_origin(), *_smuggling(), *_bodies(), *_traversal(host_file), *_side_doors()]
