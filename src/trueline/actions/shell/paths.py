"""Paths as rules name them: `~` for the home folder, no dots, the working folder put in where it is known."""

from __future__ import annotations

import fnmatch
import posixpath
import re

_HOME = re.compile(r"^(?:/home/[^/*?]+|/home/[^/]+(?=/[^/*])|/root|~[\w.-]*|\$HOME|\$\{HOME\})(?=/|$)")
_EVERYTHING = re.compile(r"(?:\*+|\.\*|\.\[!?\^?\.\]\*|\.\.\?\*|\{\*,\.\*\}|\?\*|\*\.\*)")
DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|md|loop|dm-)\w*")
HISTORY_FILES = re.compile(r"~/\.(?:bash|zsh|python|mysql|psql)_history$|/var/log/")
_WILDCARD = re.compile(r"[*?\[]")
_MANY_SLASHES = re.compile(r"/{2,}")


def normal_path(word: str, folder: str | None = None) -> str:
    """Return the path a word stands for; a relative one stays relative when the working folder is not known."""
    path = _HOME.sub("~", word.removeprefix("file://"), count=1)
    if not path.startswith(("/", "~")) and folder is not None:
        path = f"{folder}/{path}"
    trailing = "/" if path.endswith("/") else ""
    if path == "~" or path.startswith("~/"):
        path = "/home/user" + path[1:]  # written out, so that `~/..` leads where it does
    path = posixpath.normpath(_MANY_SLASHES.sub("/", path))
    path = _HOME.sub("~", path, count=1)
    return path if path in ("/", "~") else path + trailing


def whole_folder(path: str) -> str:
    """Return the folder of which a path stands for everything: `~/Documents` for `~/Documents/*` and for itself."""
    while True:
        path = path.rstrip("/") or "/"
        head, _, last = path.rpartition("/")
        if not _EVERYTHING.fullmatch(last):
            return path
        path = head or ("/" if path.startswith("/") else ".")


def looks_like_path(word: str) -> bool:
    """Tell whether a word can only be meant as a path."""
    return word.startswith(("/", "~", "./", "../", "$HOME", "file://")) or word in (".", "..")


def before_wildcard(path: str) -> str:
    """Return the part of a path that is certain."""
    return _WILDCARD.split(path, maxsplit=1)[0]


def could_be(path: str, pattern: str, *, above: bool = False) -> bool:
    """Tell whether a path with wildcards can stand for what a rule names.

    Args:
        path: As the command names it.
        pattern: The rule's, in which wildcards stand for any name.
        above: Whether a folder above it counts too.
    """
    parts, named = path.rstrip("/").split("/"), pattern.rstrip("/").split("/")
    if (
        not _WILDCARD.search(path)
        or len(named) < 2
        or len(parts) > len(named)
        or (len(parts) < len(named) and not above)
    ):
        return False
    return all(_name_fits(name, part) for name, part in zip(named, parts, strict=False))


def _name_fits(name: str, part: str) -> bool:
    """As a shell matches: a wildcard does not stand for the dot of a hidden file."""
    if name.startswith(".") and part[:1] in ("*", "?", "["):
        return False
    return fnmatch.fnmatchcase(name.replace("*", "x"), part)
