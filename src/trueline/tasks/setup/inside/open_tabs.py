"""Opens pages in a running browser through its DevTools; runs on the desktop with its own Python.

Reads `{"urls", "ports", "limit"}` on standard input. Ends with a line on standard error when it fails.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
import urllib.parse

BLANK = ("about:blank", "chrome://newtab", "chrome://new-tab-page")


def ask(port: int, method: str, path: str) -> bytes:
    """One request to the browser."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
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
    """The port on which a browser answers."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        for port in ports:
            try:
                ask(port, "GET", "/json/version")
            except (OSError, http.client.HTTPException):
                continue
            return port
        time.sleep(0.1)
    sys.exit(f"no browser answers on the DevTools ports {ports} within {limit:g} s")


def main() -> None:
    """Open the pages, then close those that were there and show nothing."""
    wanted = json.load(sys.stdin)
    port = find(wanted["ports"], wanted["limit"])
    try:
        opened = [
            json.loads(ask(port, "PUT", f"/json/new?{urllib.parse.quote(url, safe='')}"))["id"]
            for url in wanted["urls"]
        ]
        pages: list[dict[str, str]] = json.loads(ask(port, "GET", "/json/list")) if opened else []
        for page in pages:
            if page["type"] == "page" and page["id"] not in opened and page["url"].startswith(BLANK):
                ask(port, "GET", f"/json/close/{page['id']}")
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        sys.exit(f"the browser refused: {error}")


main()
