"""One file over HTTP: limited in size and time, and continued where an earlier try was cut off."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from io import FileIO
from pathlib import Path, PurePosixPath
from typing import cast

from pydantic import ValidationError

from trueline import __version__
from trueline.errors import TruelineError
from trueline.records.base import Record
from trueline.tasks.addresses import web_parts
from trueline.text import printable

try:
    import fcntl
except ImportError:  # Windows: there, only one process at a time may fetch a file
    fcntl = None

_PIECE = 1 << 18
_SILENCE = 60.0
"""Seconds without data after which a download fails."""
_RANGE_NOT_SATISFIABLE = 416
_PARTIAL = 206
_PAGES = ("", ".htm", ".html", ".php", ".xhtml")


class DownloadError(TruelineError):
    """A file could not be downloaded."""


@dataclass(frozen=True)
class Limits:
    """Limits of one download."""

    largest: int
    """Bytes."""
    end: float
    """Time of `time.monotonic` by which it must have arrived."""
    unwanted: threading.Event
    """Set when nobody waits for it any more."""


class _Begun(Record):
    """Which file the beginning on disk belongs to: the server's own mark of its version."""

    url: str
    version: str


@dataclass(frozen=True)
class Transferred:
    """A file that has arrived."""

    path: Path
    """A new file beside the one that was named; the caller moves it to its place."""
    sha256: str
    size: int


def transfer(url: str, target: Path, limits: Limits) -> Transferred:
    """Download into a file that is made, or continued if it is the beginning of the same version.

    When it is cut off, the file stays, for the next call, if the server marks versions and can continue; otherwise it
    is removed. Processes that download into the same file wait for each other.

    Raises:
        DownloadError: The file is larger than allowed, late, or a web page in place of the file.
        urllib.error.HTTPError: The server refused.
        OSError: The connection broke.
    """
    note = target.with_name(f"{target.name}.json")
    with _locked(target) as file:
        begun = _begun(note, url)
        here = os.fstat(file.fileno()).st_size if begun else 0
        finished = False
        try:
            with _open(url, here, begun) as answer:
                _refuse_page(url, answer)
                whole = answer.status != _PARTIAL
                if whole:
                    here = 0
                elif not answer.headers.get("Content-Range", "").startswith(f"bytes {here}-"):
                    begun = ""
                    raise OSError("the server continued at another place")
                begun = _version(answer) if whole else begun
                if begun and whole:
                    note.write_text(_Begun(url=url, version=begun).model_dump_json(), "utf-8")
                file.truncate(here)
                _receive(url, answer, file, here, limits)
            file.seek(0)
            digest, size = hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size
            done = Transferred(target.with_name(f".{secrets.token_hex(8)}"), digest, size)
            target.rename(done.path)
            finished = True
            return done
        except urllib.error.HTTPError as error:
            if error.code == _RANGE_NOT_SATISFIABLE:
                begun = ""
                raise OSError("the server cannot continue the file") from error
            raise
        except DownloadError:
            begun = ""
            raise
        finally:
            if finished or not begun:
                note.unlink(missing_ok=True)
            if not (finished or begun):
                target.unlink(missing_ok=True)


@contextmanager
def _locked(target: Path) -> Generator[FileIO]:
    """The file, opened for this process alone."""
    while True:
        with target.open("a+b", buffering=0) as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            # Another process may have finished and moved it away meanwhile.
            if not target.exists() or os.fstat(file.fileno()).st_ino != target.stat().st_ino:
                continue
            yield file
            return


def _begun(note: Path, url: str) -> str:
    """The version of which there is a beginning; empty if there is none."""
    try:
        begun = _Begun.model_validate_json(note.read_bytes())
    except (OSError, ValidationError):
        return ""
    return begun.version if begun.url == url else ""


def _version(answer: HTTPResponse) -> str:
    """The server's mark of the version, if it is able to continue and the mark is a strong one."""
    tag = answer.headers.get("ETag", "")
    able = answer.headers.get("Accept-Ranges", "") == "bytes"
    return tag if able and tag.startswith('"') else ""


def _open(url: str, here: int, version: str) -> HTTPResponse:
    headers = {"User-Agent": f"trueline/{__version__}", "Accept-Encoding": "identity"}
    if here:
        headers |= {"Range": f"bytes={here}-", "If-Range": version}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - http only
    return cast("HTTPResponse", _opener().open(request, timeout=_SILENCE))


def _receive(url: str, answer: HTTPResponse, file: FileIO, here: int, limits: Limits) -> None:
    shown = printable(url)
    if here + (answer.length or 0) > limits.largest:
        raise DownloadError(f"{shown}: is larger than {limits.largest} bytes")
    size = here
    while piece := answer.read1(_PIECE):
        size += len(piece)
        if size > limits.largest:
            raise DownloadError(f"{shown}: is larger than {limits.largest} bytes")
        if time.monotonic() > limits.end:
            raise OSError("it did not arrive in time")
        if limits.unwanted.is_set():
            raise OSError("it was interrupted")
        if file.write(piece) != len(piece):
            raise OSError("the disk is full")
    if answer.length:
        raise OSError(f"the connection closed {answer.length} bytes early")


def _refuse_page(url: str, answer: HTTPResponse) -> None:
    """Refuse a login or warning page that a server sends in place of a file."""
    if answer.headers.get_content_type() != "text/html":
        return
    parts = web_parts(url)
    host = "" if parts is None else (parts.hostname or "")
    suffix = "" if parts is None else PurePosixPath(parts.path).suffix.lower()
    if suffix not in _PAGES or host == "drive.google.com" or host.endswith("usercontent.google.com"):
        raise DownloadError(f"{printable(url)}: the server answered with a web page, not with the file")


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
