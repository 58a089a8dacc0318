"""Adds visits to the history of a browser that is not running; runs on the desktop with its own Python.

Reads a list of `{"url", "title", "visit_time_from_now_in_seconds"}` on standard input. Ends with a line on standard
error when it fails.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time

HISTORY = os.path.expanduser("~/.config/google-chrome/Default/History")
SINCE_1601 = 11_644_473_600
"""Seconds from the browser's first day to Unix time's."""
LINK = 0x30000000 | 0
"""A visit by a link that begins and ends its chain of redirects."""


def insert(database: sqlite3.Connection, table: str, **values: int | str) -> int:
    """Insert a row and return its id."""
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    row = database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values())).lastrowid  # noqa: S608 - names of ours
    assert row is not None
    return row


def main() -> None:
    """Add the visits."""
    visits = json.load(sys.stdin)
    if not os.path.exists(HISTORY):
        sys.exit(f"{HISTORY}: the browser has no history yet; start it once before")
    now = time.time()
    try:
        with sqlite3.connect(HISTORY, timeout=5) as database:
            for visit in visits:
                moment = int((now - visit["visit_time_from_now_in_seconds"] + SINCE_1601) * 1_000_000)
                page = insert(
                    database, "urls", url=visit["url"], title=visit["title"], visit_count=1, typed_count=0,
                    last_visit_time=moment, hidden=0,
                )  # fmt: skip
                insert(database, "visits", url=page, visit_time=moment, from_visit=0, transition=LINK, segment_id=0,
                       visit_duration=0)  # fmt: skip
    except sqlite3.Error as error:
        sys.exit(f"{HISTORY}: cannot be changed ({error}); the browser must not be running")


if __name__ == "__main__":
    main()
