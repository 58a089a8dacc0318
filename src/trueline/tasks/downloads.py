"""Files that tasks need from the web, downloaded once and stored by content."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import shutil
import threading
import time
import urllib.error
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path

from pydantic import ValidationError

from trueline.records.base import Count, Digest, Record
from trueline.tasks.addresses import web_parts
from trueline.tasks.mirror import FolderMirror, Mirror
from trueline.tasks.transfer import DownloadError, Limits, transfer
from trueline.text import printable

__all__ = ["DownloadError", "Downloads", "default_folder"]

LARGEST = 2 << 30
"""Bytes of one file."""
_TRIES = 3
_ROOM = 256 << 20
"""Bytes of the disk that downloads leave free."""


class _Entry(Record):
    """The response to a URL."""

    url: str
    sha256: Digest
    size: Count


class Downloads:
    """A cache folder: `urls/` maps each URL to a SHA-256, `objects/` holds the content by SHA-256.

    `partial/` holds the beginnings of files whose download was cut off.
    """

    def __init__(
        self,
        folder: Path,
        *,
        offline: bool = False,
        mirror: Mirror | None = None,
        largest: int = LARGEST,
        time_limit: float = 600.0,
        pause: float = 0.5,
    ) -> None:
        """Use this folder; with `offline`, nothing is downloaded.

        A file of a mirror's folder is used as it is, before one that was downloaded, and not put into the cache: it
        may be a stand-in. `pause` are the seconds before a second try; it doubles with each further one.
        """
        self.offline = offline
        self._folder = folder
        self._mirror = mirror
        self._largest = largest
        self._time_limit = time_limit
        self._pause = pause

    @property
    def has_stand_ins(self) -> bool:
        """Whether some of the files are generated ones: what is scored with them is no result of a benchmark."""
        return self._mirror is not None and self._mirror.has_stand_ins

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders that may also have files that come with the tasks."""
        return (self._mirror.folder,) if isinstance(self._mirror, FolderMirror) else ()

    def has(self, url: str) -> bool:
        """Whether the file of a URL is there; its content is not read."""
        if self._mirrored(url) is not None:
            return True
        return any(self._stored(address) is not None for address in self._addresses(url))

    def cached(self, url: str) -> Path | None:
        """The cached file of a URL, if it is there and intact."""
        entry = self._stored(url)
        if entry is None:
            return None
        path = self._object(entry.sha256)
        try:
            with path.open("rb") as file:
                intact = hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
        except OSError:
            return None
        return path if intact else None

    async def fetch(self, url: str) -> Path:
        """The file of a URL, from the mirror, the cache or the web.

        Raises:
            DownloadError: It cannot be downloaded; the message names the URL and the reason.
        """
        unwanted = threading.Event()
        try:
            return await asyncio.to_thread(self._fetch, url, unwanted)
        finally:
            # A thread cannot be cancelled, and the program would wait for it at its end.
            unwanted.set()

    def _fetch(self, url: str, unwanted: threading.Event) -> Path:
        shown = printable(url)
        if web_parts(url) is None:
            raise DownloadError(f"{shown}: only http and https addresses are fetched")
        if (mirrored := self._mirrored(url)) is not None:
            return mirrored
        addresses = self._addresses(url)
        for address in addresses:
            if (known := self.cached(address)) is not None:
                return known
        if self.offline:
            raise DownloadError(f"{shown}: not in {self._folder}, and --offline is set; download it once without it")
        for address in addresses[:-1]:
            with suppress(DownloadError):
                return self._download(address, unwanted)
        return self._download(addresses[-1], unwanted)

    def _addresses(self, url: str) -> tuple[str, ...]:
        return (*(() if self._mirror is None else self._mirror.addresses(url)), url)

    def _mirrored(self, url: str) -> Path | None:
        found = None if self._mirror is None else self._mirror.find(url)
        return found if found is not None and found.stat().st_size <= self._largest else None

    def _download(self, url: str, unwanted: threading.Event) -> Path:
        shown = printable(url)
        limits = Limits(self._largest, time.monotonic() + self._time_limit, unwanted)
        for attempt in range(_TRIES):
            try:
                return self._get(url, limits)
            except urllib.error.HTTPError as error:
                error.close()
                if error.code < 500 or attempt == _TRIES - 1:
                    raise DownloadError(f"{shown}: the server answered {error.code}") from error
            except (OSError, HTTPException, ValueError) as error:
                if attempt == _TRIES - 1 or time.monotonic() > limits.end or unwanted.is_set():
                    raise DownloadError(f"{shown}: cannot be fetched: {printable(str(error))}") from error
            time.sleep(self._pause * 2**attempt)
        raise AssertionError("the last try returns or raises")

    def _get(self, url: str, limits: Limits) -> Path:
        building = self._folder / "partial" / _key(url)
        building.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        free = shutil.disk_usage(self._folder).free - _ROOM
        if free <= 0:
            raise DownloadError(f"{self._folder}: the disk is full; free some space, or set TRUELINE_CACHE_DIR")
        done = transfer(url, building, replace(limits, largest=min(limits.largest, free)))
        return self._keep(done.path, _Entry(url=url, sha256=done.sha256, size=done.size))

    def _keep(self, building: Path, entry: _Entry) -> Path:
        target, note = self._object(entry.sha256), self._entry(entry.url)
        for path in (target, note):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.replace(building, target)
        half = note.with_name(f".{secrets.token_hex(8)}")
        half.write_text(entry.model_dump_json(), "utf-8")
        os.replace(half, note)
        return target

    def _stored(self, url: str) -> _Entry | None:
        """What is known of a URL whose file is there and has the right size."""
        try:
            entry = _Entry.model_validate_json(self._entry(url).read_bytes())
            there = self._object(entry.sha256).stat().st_size == entry.size
        except (OSError, ValidationError):
            return None
        return entry if there and entry.url == url else None

    def _object(self, digest: str) -> Path:
        return self._folder / "objects" / digest[:2] / digest

    def _entry(self, url: str) -> Path:
        return self._folder / "urls" / f"{_key(url)}.json"


def _key(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()


def default_folder() -> Path:
    """The folder of downloads: in $TRUELINE_CACHE_DIR, or in the user's cache folder."""
    from trueline.models.cache.path import cache_path

    return cache_path().parent / "downloads"
