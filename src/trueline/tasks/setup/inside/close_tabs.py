"""Closes pages of a running browser through its DevTools; runs on the desktop with its own Python.

Reads `{"urls", "ports", "limit"}` on standard input. Ends with a line on standard error when it fails.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
import urllib.parse


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


def bare(url: str) -> str:
    """An address without what makes no other page: scheme, `www.`, a slash at the end."""
    if "://" not in url:
        url = f"http://{url}"
    parts = urllib.parse.urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}"


def main() -> None:
    """Close the pages. The last page is replaced by an empty one: without any, the browser would end."""
    wanted = json.load(sys.stdin)
    port = find(wanted["ports"], wanted["limit"])
    unwanted = {bare(url) for url in wanted["urls"]}
    try:
        pages = [page for page in json.loads(ask(port, "GET", "/json/list")) if page["type"] == "page"]
        closing = [page for page in pages if bare(page["url"]) in unwanted]
        if closing and len(closing) == len(pages):
            ask(port, "PUT", "/json/new?about:blank")
        for page in closing:
            ask(port, "GET", f"/json/close/{page['id']}")
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        sys.exit(f"the browser refused: {error}")


if __name__ == "__main__":
    main()
