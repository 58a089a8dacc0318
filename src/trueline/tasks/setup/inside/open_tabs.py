"""Opens pages in a running browser through its DevTools; runs on the desktop with its own Python.

Reads `{"urls", "ports", "limit"}` on standard input. Ends with a line on standard error when it fails.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
import urllib.parse

BLANK = ("about:blank", "chrome://newtab/", "chrome://new-tab-page/")


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


def find(ports: list[int], limit: float) -> tuple[int, list[str]]:
    """The port on which a browser answers, and the empty pages it shows."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        for port in ports:
            try:
                pages = json.loads(ask(port, "GET", "/json/list"))
            except (OSError, http.client.HTTPException, ValueError):
                continue
            return port, [page["id"] for page in pages if page.get("type") == "page" and page.get("url") in BLANK]
        time.sleep(0.1)
    sys.exit(f"no browser answers on the DevTools ports {ports} within {limit:g} s")


def main() -> None:
    """Open the pages, then close those that show nothing."""
    wanted = json.load(sys.stdin)
    port, empty = find(wanted["ports"], wanted["limit"])
    try:
        for url in wanted["urls"]:
            ask(port, "PUT", f"/json/new?{urllib.parse.quote(url, safe='')}")
        for page in empty if wanted["urls"] else []:
            ask(port, "GET", f"/json/close/{page}")
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"the browser refused: {error}")


main()
