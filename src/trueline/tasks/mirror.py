"""Other places of files that tasks download: a folder of files, or another web address."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar
from urllib.parse import SplitResult, parse_qs, unquote

from trueline.errors import InputError
from trueline.tasks.addresses import web_parts
from trueline.text import printable

STAND_INS_MARK = "stand-ins.json"
"""The file that marks a folder of generated files; see `trueline.tasks.stand_ins`."""
_CACHE_NAME = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_.+")
"""OSWorld's name of a downloaded file: the UUID of its address, and the name it gets on the desktop."""
_TOLD_APART = 2
"""Parts of its path by which a file is recognised: names such as `Gold.xlsx` stand for many files."""


@dataclass(frozen=True)
class FolderMirror:
    """A folder of files. It is read once, so that no address can name a file outside it."""

    folder: Path

    def find(self, url: str, /) -> Path | None:
        """The file of a URL; `None` if there is none, or several fit equally well.

        It is recognised by OSWorld's cache name, by the id in an address of Google Drive, or by the end of its path:
        at least two parts, the host counts as the first one.
        """
        parts = web_parts(url)
        if parts is None:
            return None
        by_cache_name, by_name, _ = self._index
        if (cached := by_cache_name.get(str(uuid.uuid5(uuid.NAMESPACE_URL, url)))) is not None:
            return cached
        drive_id = parse_qs(parts.query).get("id", [""])[0]
        if drive_id and len(known := by_name.get(drive_id, [])) == 1:
            return known[0]
        wanted = _path_parts(parts)
        fits = [
            (_common_end(wanted, path.relative_to(self.folder).parts), path) for path in by_name.get(wanted[-1], ())
        ]
        best = max((length for length, _ in fits), default=0)
        found = [path for length, path in fits if length == best]
        return found[0] if best >= _TOLD_APART and len(found) == 1 else None

    def addresses(self, _url: str, /) -> tuple[str, ...]:
        """None: a folder has no addresses."""
        return ()

    @property
    def has_stand_ins(self) -> bool:
        """Whether generated files are among its own, as their mark says."""
        return self._index[2]

    @cached_property
    def _index(self) -> tuple[dict[str, Path], dict[str, list[Path]], bool]:
        by_cache_name: dict[str, Path] = {}
        by_name: dict[str, list[Path]] = {}
        marked = False
        for place, folders, names in os.walk(self.folder):
            folders.sort()
            for name in sorted(names):
                path = Path(place, name)
                if not path.is_file():
                    continue
                if name == STAND_INS_MARK:
                    marked = True
                    continue
                if (cache_name := _CACHE_NAME.fullmatch(name)) is not None:
                    by_cache_name.setdefault(cache_name[1], path)
                for known_as in dict.fromkeys((name, path.stem)):
                    by_name.setdefault(known_as, []).append(path)
        return by_cache_name, by_name, marked


@dataclass(frozen=True)
class WebMirror:
    """A server that has the same files below a base address."""

    base: str
    has_stand_ins: ClassVar[bool] = False
    """Only a folder can be marked."""

    def find(self, _url: str, /) -> Path | None:
        """`None`: it has no files here."""
        return None

    def addresses(self, url: str, /) -> tuple[str, ...]:
        """Where to ask for a file instead, in this order: without the original host, and with it as a folder."""
        parts = web_parts(url)
        if parts is None:
            return ()
        rest = parts.path + (f"?{parts.query}" if parts.query else "")
        return f"{self.base}{rest}", f"{self.base}/{parts.netloc}{rest}"


Mirror = FolderMirror | WebMirror


def open_mirror(named: str) -> Mirror:
    """The mirror that a flag names.

    Raises:
        InputError: It is neither a folder nor a web address.
    """
    if "://" in named:
        parts = web_parts(named)
        if parts is None or not parts.netloc or parts.query or parts.fragment:
            raise InputError(
                f"mirror {printable(named, 200)}: must be a folder, or an address such as https://host/path"
            )
        return WebMirror(named.rstrip("/"))
    folder = Path(named)
    if not folder.is_dir():
        raise InputError(
            f"mirror {printable(named, 200)}: no such folder; name one, or an address such as https://host"
        )
    return FolderMirror(folder.resolve())


def _path_parts(parts: SplitResult) -> Sequence[str]:
    return [parts.netloc, *(part for part in unquote(parts.path).split("/") if part)]


def _common_end(wanted: Sequence[str], there: Sequence[str]) -> int:
    return _leading_equal(zip(reversed(wanted), reversed(there), strict=False))


def _leading_equal(pairs: Iterable[tuple[str, str]]) -> int:
    number = 0
    for one, other in pairs:
        if one != other:
            break
        number += 1
    return number
