"""Untrusted names and paths of foreign files: none may lead out of the folder it belongs to."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from trueline.errors import InputError
from trueline.records.layout import check_name
from trueline.records.pointer_files import ANNEX_POINTER, HEAD, NotFetchedError, link_fault, pointer_fault
from trueline.text import printable

_CLEAN = re.compile(r"[^A-Za-z0-9._@+=,()-]+")
_MISREAD = re.compile(r"__inject__|_jailbreak$|^\.|^run[1-9]\d*$")
"""Parts with a special meaning to readers of result folders."""
_LONGEST = 120
_STORED = re.compile(r"[^/\\\x00-\x1f\x7f.][^/\\\x00-\x1f\x7f]*\.(?:png|jpe?g|gif|webp|xml\.gz)", re.IGNORECASE)
_GZIP = b"\x1f\x8b"
_MAGIC = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp"}


class RefusedError(InputError):
    """A path that leads out of its data set, or not to a picture."""


def folder_name(text: str) -> str:
    """A name that is safe as one level of a result folder; one that had to be changed ends in a digest of the text."""
    try:
        if not _MISREAD.search(text) and len(text) <= _LONGEST:
            return check_name(text, "name")
    except InputError:
        pass
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
    clean = _CLEAN.sub("_", text).replace("__inject__", "_inject_").strip("._")[:_LONGEST]
    return f"{clean}-{digest}" if clean else digest


def find_inside(text: str, bases: Sequence[Path], roots: Sequence[Path]) -> Path | None:
    """Find the file or folder that a data set names, symbolic links followed.

    Args:
        text: The path as the data set has it; `~/` is the user's home.
        bases: Folders it may be relative to, tried in turn.
        roots: Folders it must lie in.

    Returns:
        Its real path, or `None` when there is nothing of this name.

    Raises:
        RefusedError: It leads out of all the roots, whether there is anything or not.
        NotFetchedError: It is a link of git-annex whose file was not fetched.
    """
    shown = printable(text, 200)
    home = Path.home() / text[2:] if text.startswith("~/") else None
    candidates = [home] if home else [Path(text)] if Path(text).is_absolute() else [base / text for base in bases]
    real_roots = [Path(os.path.realpath(root)) for root in roots]
    outside = True
    for candidate in candidates:
        try:
            real = Path(os.path.realpath(candidate))
            if not real.exists() and (pointer := link_fault(candidate)) == ANNEX_POINTER:
                raise NotFetchedError(f"{shown}: {pointer}")
            inside = any(real.is_relative_to(root) for root in real_roots)
            if inside and real.exists():
                return real
        except (OSError, ValueError):  # too long, a NUL, broken Unicode
            raise RefusedError(f"{shown}: is not a path") from None
        outside = outside and not inside
    if outside:
        raise RefusedError(f"{shown}: leads out of {roots[0]}; put the files there (copies, not links)")
    return None


def picture_suffix(path: Path) -> str:
    """The suffix that fits what a file holds, by its first bytes.

    Raises:
        RefusedError: It is not a picture.
        NotFetchedError: It is a pointer to one.
    """
    if not path.is_file():
        raise RefusedError(f"{path}: is not a file")
    try:
        with path.open("rb") as file:
            start = file.read(1024)
    except OSError as error:
        raise RefusedError(f"{path}: cannot be read ({error.strerror})") from error
    for magic, suffix in _MAGIC.items():
        if start.startswith(magic) and (suffix != ".webp" or start[8:12] == b"WEBP"):
            return suffix
    if (pointer := pointer_fault(start)) is not None:
        raise NotFetchedError(f"{path}: {pointer}")
    raise RefusedError(f"{path}: is not a picture (PNG, JPEG, GIF or WebP)")


def is_stored_name(name: str) -> bool:
    """Whether this can be the name of a picture or a packed tree in an episode's folder."""
    return _STORED.fullmatch(name) is not None


def find_stored(folder: Path, name: str) -> Path | None:
    """Find a picture or a packed tree that a record names; `None` when it is gone.

    Raises:
        RefusedError: The name is not that of a picture or tree in this folder.
    """
    if not is_stored_name(name):
        raise RefusedError(f"{printable(name, 200)}: is not the file name of an episode's picture or tree")
    path = find_inside(name, (folder,), (folder,))
    if path is not None and path.is_file() and name.lower().endswith(".xml.gz"):
        with path.open("rb") as file:
            start = file.read(HEAD)
        if (pointer := pointer_fault(start)) is not None:
            raise NotFetchedError(f"{path}: {pointer}")
        if not start.startswith(_GZIP):
            raise RefusedError(f"{path}: is not compressed with gzip")
    elif path is not None:
        picture_suffix(path)
    return path


def put_file(source: Path, target: Path, *, link: bool = False) -> None:
    """Copy a file to a new name, or give it a second name on the same disk; the source is never changed."""
    if link:
        try:
            os.link(os.path.realpath(source), target)
            return
        except OSError:
            pass  # another disk, or a file system without links
    with source.open("rb") as reading, open(target, "xb", opener=_for_owner) as writing:
        shutil.copyfileobj(reading, writing, 1 << 20)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
