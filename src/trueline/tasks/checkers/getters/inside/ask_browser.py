"""Asks a running browser's DevTools about its pages; runs on the desktop with its own Python.

Reads `{"do", "url", "ports", "limit"}` on standard input and writes JSON: with `list` the open tabs, with `load` a page
that is opened in a new tab, which is closed again. With `log in` it fills in the form of a page with `username` and
`password`, with `show` it goes to a page in a tab of that site and scrolls to `text`; both answer with a `state`. Ends
with a line on standard error if no browser answers.
"""

from __future__ import annotations

import base64
import html
import http.client
import json
import os
import socket
import struct
import sys
import time
import urllib.parse

PAGE = """(() => ({state: document.readyState, title: document.title, url: location.href,
                   content: document.documentElement ? document.documentElement.outerHTML : ''}))()"""
FILL = """((name, password) => {
  const secret = document.querySelector('input[type=password]')
  if (document.readyState !== 'complete' || !secret) return {state: document.readyState}
  const form = secret.form || document
  const known = [...form.querySelectorAll('input')].filter(one => ['text', 'email', ''].includes(one.type))
  const put = (field, value) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, value)
    for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}))
  }
  if (!known.length) return {state: 'no field for the user name'}
  put(known[0], name); put(secret, password)
  const button = form.querySelector('button[type=submit], input[type=submit], button.login, button')
  if (button) button.click(); else secret.form.submit()
  return {state: 'sent'}
})(%s, %s)"""
GO = """((wanted) => {
  document.documentElement.dataset.left = 'yes'
  history.scrollRestoration = 'manual'
  if (location.href.split('#')[0] === wanted.split('#')[0]) location.reload()
  else location.href = wanted
  return {}
})(%s)"""
"""Leaves the page, also for itself: until the next one is there, the old one answers with its mark."""
SHOW = """((wanted) => {
  if (document.documentElement?.dataset.left || document.readyState !== 'complete') return {state: 'loading'}
  const plain = text => text.replace(/\\s+/g, ' ')
  let found = null
  for (const one of document.querySelectorAll('main *')) {
    if (plain(one.innerText || '').trim().startsWith(wanted)) found = one
  }
  for (const one of found ? [] : document.querySelectorAll('main *')) {
    if (plain(one.textContent).includes(wanted)) found = one
  }
  if (!found) return {state: document.readyState, url: location.href}
  found.scrollIntoView({block: 'center'})
  return {state: 'shown', url: location.href}
})(%s)"""
LOADED = 0.5
"""Seconds in which a page that is loaded must not change any more."""
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


def ask(port: int, method: str, path: str) -> bytes:
    """One request to the browser."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise OSError(f"{method} {path}: {answer.status}")
        return content
    finally:
        connection.close()


def find(ports: list[int], limit: float) -> int:
    """The port on which a browser answers; one that has just been started gets some time."""
    end = time.monotonic() + limit
    while True:
        for port in ports:
            try:
                ask(port, "GET", "/json/version")
            except (OSError, http.client.HTTPException):
                continue
            return port
        if time.monotonic() >= end:
            break
        time.sleep(0.1)
    sys.exit(f"no browser answers on the DevTools ports {ports}")


class PageSocket:
    """A WebSocket to a page (RFC 6455), as much of it as DevTools need."""

    def __init__(self, port: int, path: str) -> None:
        """Connect."""
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._file = self._socket.makefile("rb")
        if b" 101 " not in self._file.readline():
            raise OSError("the browser refused the connection")
        while self._file.readline().strip():
            pass
        self._number = 0

    def evaluate(self, expression: str) -> dict[str, str]:
        """The object of texts that an expression gives in the page; what comes in between is left out."""
        self._number += 1
        wanted = {"expression": expression, "returnByValue": True}
        self._send(_TEXT, json.dumps({"id": self._number, "method": "Runtime.evaluate", "params": wanted}).encode())
        while True:
            message = json.loads(self._receive())
            if message.get("id") == self._number:
                return message.get("result", {}).get("result", {}).get("value") or {}

    def _send(self, kind: int, data: bytes) -> None:
        mask = os.urandom(4)
        length = len(data)
        if length < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, length)
        self._socket.sendall(head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))

    def _receive(self) -> bytes:
        pieces: list[bytes] = []
        while True:
            first, second = self._read(2)
            length = second & 127
            if length == 126:
                (length,) = struct.unpack("!H", self._read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self._read(8))
            data = self._read(length)
            kind = first & 15
            if kind == _CLOSE:
                raise OSError("the browser closed the connection")
            if kind == _PING:
                self._send(_PONG, data)
            elif kind != _PONG:
                pieces.append(data)
                if first & 0x80:
                    return b"".join(pieces)

    def _read(self, length: int) -> bytes:
        data = self._file.read(length)
        if len(data) < length:
            raise OSError("the browser closed the connection")
        return data


def tabs(port: int) -> list[dict[str, str]]:
    """Title and address of the open pages."""
    listed = json.loads(ask(port, "GET", "/json/list"))
    return [{"title": html.unescape(tab["title"]), "url": tab["url"]} for tab in listed if tab["type"] == "page"]


def load(port: int, url: str, limit: float) -> dict[str, str]:
    """Open a page in a new tab, wait until it is loaded and quiet, and close it."""
    tab = json.loads(ask(port, "PUT", f"/json/new?{urllib.parse.quote(url, safe='')}"))
    try:
        channel = PageSocket(port, f"/devtools/page/{tab['id']}")
        end, quiet_since, before = time.monotonic() + limit, time.monotonic(), ""
        while True:
            page = channel.evaluate(PAGE)
            state, now = page.get("state"), json.dumps(page)
            if now != before or state != "complete" or page.get("url") == "about:blank" != url:
                quiet_since, before = time.monotonic(), now
            if time.monotonic() - quiet_since > LOADED or time.monotonic() > end:
                return {"title": page.get("title", ""), "url": page.get("url", url), "content": page.get("content", "")}
            time.sleep(0.05)
    finally:
        ask(port, "GET", f"/json/close/{tab['id']}")


def log_in(port: int, url: str, name: str, password: str, limit: float) -> dict[str, str]:
    """Fill in the form of a page in a tab of its own, and wait until no field for a password is left."""
    tab = json.loads(ask(port, "PUT", f"/json/new?{urllib.parse.quote(url, safe='')}"))
    try:
        channel = PageSocket(port, f"/devtools/page/{tab['id']}")
        fill = FILL % (json.dumps(name), json.dumps(password))
        end, state = time.monotonic() + limit, ""
        while state != "sent" and time.monotonic() < end:
            state = channel.evaluate(fill).get("state", "")
            time.sleep(0.05)
        while state == "sent" and time.monotonic() < end:
            page = channel.evaluate(PAGE)
            if page.get("state") == "complete" and 'type="password"' not in page.get("content", ""):
                return {"state": "logged in"}
            time.sleep(0.05)
        return {"state": "its form is still there" if state == "sent" else state or "no form"}
    finally:
        ask(port, "GET", f"/json/close/{tab['id']}")


def show(port: int, url: str, text: str, limit: float) -> dict[str, str]:
    """Go to a page in the tab that shows this site, or in a new one, and scroll to a text."""
    site = url.split("/")[:3]
    listed = json.loads(ask(port, "GET", "/json/list"))
    tab = next((tab for tab in listed if tab["type"] == "page" and tab["url"].split("/")[:3] == site), None)
    if tab is None:
        tab = json.loads(ask(port, "PUT", f"/json/new?{urllib.parse.quote(url, safe='')}"))
    ask(port, "GET", f"/json/activate/{tab['id']}")
    channel = PageSocket(port, f"/devtools/page/{tab['id']}")
    channel.evaluate(GO % json.dumps(url))
    end, page = time.monotonic() + limit, dict[str, str]()
    while time.monotonic() < end:
        page = channel.evaluate(SHOW % json.dumps(text))
        if page.get("state") == "shown" and page.get("url", "").partition("#")[0] == url.partition("#")[0]:
            return page
        time.sleep(0.05)
    return page


def answer(port: int, wanted: dict[str, str], limit: float) -> list[dict[str, str]] | dict[str, str]:
    """Do what is asked."""
    match wanted["do"]:
        case "list":
            return tabs(port)
        case "log in":
            return log_in(port, wanted["url"], wanted["username"], wanted["password"], limit)
        case "show":
            return show(port, wanted["url"], wanted["text"], limit)
        case _:
            return load(port, wanted["url"], limit)


def main() -> None:
    """Answer one question."""
    wanted = json.load(sys.stdin)
    port = find(wanted["ports"], wanted["limit"] / 3 if wanted["do"] == "log in" else 0)
    try:
        found = answer(port, wanted, wanted["limit"])
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        sys.exit(f"the browser refused: {error}")
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
