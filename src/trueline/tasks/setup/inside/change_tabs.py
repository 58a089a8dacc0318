"""Opens or closes pages of a running browser through its DevTools; runs on the desktop with its own Python.

Reads `{"do", "urls", "ports", "limit"}` on standard input; `do` is `open` or `close`. Ends with a line on standard
error when it fails.
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


def open_pages(port: int, urls: list[str]) -> None:
    """Open the pages, then close those that were there and show nothing."""
    opened = [json.loads(ask(port, "PUT", f"/json/new?{urllib.parse.quote(url, safe='')}"))["id"] for url in urls]
    pages: list[dict[str, str]] = json.loads(ask(port, "GET", "/json/list")) if opened else []
    for page in pages:
        if page["type"] == "page" and page["id"] not in opened and page["url"].startswith(BLANK):
            ask(port, "GET", f"/json/close/{page['id']}")


def close_pages(port: int, urls: list[str]) -> None:
    """Close the pages. The last page is replaced by an empty one: without any, the browser would end."""
    unwanted = {bare(url) for url in urls}
    pages = [page for page in json.loads(ask(port, "GET", "/json/list")) if page["type"] == "page"]
    closing = [page for page in pages if bare(page["url"]) in unwanted]
    if closing and len(closing) == len(pages):
        ask(port, "PUT", "/json/new?about:blank")
    for page in closing:
        ask(port, "GET", f"/json/close/{page['id']}")


def bare(url: str) -> str:
    """An address without what makes no other page: scheme, `www.`, a slash at the end."""
    if "://" not in url:
        url = f"http://{url}"
    parts = urllib.parse.urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}"


def main() -> None:
    """Do what is asked for."""
    wanted = json.load(sys.stdin)
    port = find(wanted["ports"], wanted["limit"])
    try:
        (open_pages if wanted["do"] == "open" else close_pages)(port, wanted["urls"])
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        sys.exit(f"the browser refused: {error}")


if __name__ == "__main__":
    main()
