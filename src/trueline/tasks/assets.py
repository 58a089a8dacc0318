"""The files that tasks download: which are there, and how to get the rest before anything starts."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from trueline.tasks.addresses import web_parts
from trueline.tasks.downloads import DownloadError, Downloads
from trueline.tasks.model import Task
from trueline.tasks.needs import needs_of
from trueline.text import printable

AT_ONCE = 4
"""Files that are fetched at the same time."""
_PER_HOST = 2
MOST = 40 << 30
"""Bytes that one call fetches at most."""


@dataclass(frozen=True)
class FetchProgress:
    """How far a fetch is."""

    done: int
    total: int
    size: int
    """Bytes of all files that were fetched."""


@dataclass(frozen=True)
class Fetched:
    """The result of a fetch."""

    there: int
    """Files that were there before."""
    new: int
    """Files that were fetched."""
    size: int
    """Bytes of the fetched files."""
    failed: Mapping[str, str]
    """Why files could not be had, by URL."""


def missing_files(task: Task, downloads: Downloads) -> tuple[str, ...]:
    """The URLs of a task's files that are not there."""
    return tuple(url for url in needs_of(task).downloads if not downloads.has(url))


def describe_missing(urls: Iterable[str]) -> str:
    """One line about a task's files that are not there; empty without any."""
    listed = [*urls]
    if not listed:
        return ""
    more = f" and {len(listed) - 1} more" if len(listed) > 1 else ""
    return f"files that were not downloaded: {printable(listed[0], 300)}{more}; get them with: trueline tasks fetch"


async def fetch_files(
    urls: Iterable[str],
    downloads: Downloads,
    report: Callable[[FetchProgress], None],
    *,
    at_once: int = AT_ONCE,
    most: int = MOST,
) -> Fetched:
    """Fetch files that are not there yet, a few at a time and fewer from the same host.

    One that fails does not stop the others; call it again to try those that failed.

    Args:
        urls: Their addresses.
        downloads: Where they go.
        report: Is told after each file.
        at_once: Files at the same time.
        most: Bytes after which no further file is begun.
    """
    wanted = tuple(dict.fromkeys(urls))
    lacking = [url for url in wanted if not downloads.has(url)]
    hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(_PER_HOST))
    slots = asyncio.Semaphore(at_once)
    failed: dict[str, str] = {}
    done = size = 0

    async def fetch(url: str) -> None:
        nonlocal done, size
        parts = web_parts(url)
        async with hosts["" if parts is None else parts.netloc], slots:
            if size >= most:
                failed[url] = f"not begun: {most} bytes were fetched already; run the same command again for the rest"
            else:
                try:
                    path = await downloads.fetch(url)
                    size += path.stat().st_size
                except DownloadError as error:
                    failed[url] = str(error)
        done += 1
        report(FetchProgress(done, len(lacking), size))

    async with asyncio.TaskGroup() as group:
        for url in lacking:
            group.create_task(fetch(url))
    return Fetched(len(wanted) - len(lacking), len(lacking) - len(failed), size, failed)
