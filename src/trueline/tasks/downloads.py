"""Files that tasks need from the web, downloaded once and stored by content."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import time
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from trueline import __version__
from trueline.errors import TruelineError
from trueline.records.base import Count, Digest, Record
from trueline.tasks.addresses import web_parts
from trueline.text import printable

_PIECE = 1 << 18
_TRIES = 3
_PAUSE = 0.5
_SILENCE = 60.0
"""Seconds without data after which a download fails."""


class DownloadError(TruelineError):
    """A file could not be downloaded."""


class _Entry(Record):
    """The response to a URL."""

    url: str
    sha256: Digest
    size: Count


class Downloads:
    """A cache folder: `urls/` maps each URL to a SHA-256, `objects/` holds the content by SHA-256."""

    def __init__(
        self, folder: Path, *, offline: bool = False, largest: int = 2 << 30, time_limit: float = 600.0
    ) -> None:
        """Use this folder; with `offline`, nothing is downloaded."""
        self._folder = folder
        self._offline = offline
        self._largest = largest
        self._time_limit = time_limit

    def cached(self, url: str) -> Path | None:
        """The cached file of a URL, if it is there and intact."""
        try:
            entry = _Entry.model_validate_json(self._entry(url).read_bytes())
            path = self._object(entry.sha256)
            with path.open("rb") as file:
                whole = hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
        except (OSError, ValidationError):
            return None
        return path if whole and entry.url == url else None

    async def fetch(self, url: str) -> Path:
        """The file of a URL, from the cache or the web.

        Raises:
            DownloadError: It cannot be downloaded; the message names the URL and the reason.
        """
        return await asyncio.to_thread(self._fetch, url)

    def _fetch(self, url: str) -> Path:
        if (known := self.cached(url)) is not None:
            return known
        shown = printable(url)
        if web_parts(url) is None:
            raise DownloadError(f"{shown}: only http and https addresses are fetched")
        if self._offline:
            raise DownloadError(f"{shown}: not in {self._folder}, and --offline is set; download it once without it")
        end = time.monotonic() + self._time_limit
        for attempt in range(_TRIES):
            try:
                return self._get(url, end)
            except urllib.error.HTTPError as error:
                error.close()
                if error.code < 500 or attempt == _TRIES - 1:
                    raise DownloadError(f"{shown}: the server answered {error.code}") from error
            except (OSError, HTTPException, ValueError) as error:
                if attempt == _TRIES - 1:
                    raise DownloadError(f"{shown}: cannot be fetched: {printable(str(error))}") from error
            time.sleep(_PAUSE * 2**attempt)
        raise AssertionError("the last try returns or raises")

    def _get(self, url: str, end: float) -> Path:
        request = urllib.request.Request(url, headers={"User-Agent": f"trueline/{__version__}"})  # noqa: S310 - http only
        digest, size = hashlib.sha256(), 0
        building = self._folder / f".{secrets.token_hex(8)}"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with cast("HTTPResponse", _opener().open(request, timeout=_SILENCE)) as answer, building.open("xb") as file:
                while piece := answer.read1(_PIECE):
                    size += len(piece)
                    if size > self._largest:
                        raise DownloadError(f"{printable(url)}: is larger than {self._largest} bytes")
                    if time.monotonic() > end:
                        raise DownloadError(f"{printable(url)}: did not arrive within {self._time_limit:g} s")
                    digest.update(piece)
                    file.write(piece)
                if answer.length:
                    raise OSError(f"the connection closed {answer.length} bytes early")
            return self._keep(building, _Entry(url=url, sha256=digest.hexdigest(), size=size))
        finally:
            building.unlink(missing_ok=True)

    def _keep(self, building: Path, entry: _Entry) -> Path:
        target, note = self._object(entry.sha256), self._entry(entry.url)
        for path in (target, note):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.replace(building, target)
        half = note.with_name(f".{secrets.token_hex(8)}")
        half.write_text(entry.model_dump_json(), "utf-8")
        os.replace(half, note)
        return target

    def _object(self, digest: str) -> Path:
        return self._folder / "objects" / digest[:2] / digest

    def _entry(self, url: str) -> Path:
        return self._folder / "urls" / f"{hashlib.sha256(url.encode('utf-8', 'surrogatepass')).hexdigest()}.json"


def _opener() -> urllib.request.OpenerDirector:
    """An opener for http and https only: redirects cannot lead to files, data or ftp."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def default_folder() -> Path:
    """The folder of downloads: in $TRUELINE_CACHE_DIR, or in the user's cache folder."""
    from trueline.models.cache.path import cache_path

    return cache_path().parent / "downloads"
