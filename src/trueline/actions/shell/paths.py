"""Paths as rules name them: `~` for the home folder, no dots, the working folder put in where it is known."""

from __future__ import annotations

import posixpath
import re

_HOME = re.compile(r"^(?:/home/[^/*?]+|/home/[^/]+(?=/[^/*])|/root|~[\w.-]*|\$HOME|\$\{HOME\})(?=/|$)")
_EVERYTHING = re.compile(r"(?:\*+|\.\*|\.\[!?\^?\.\]\*|\.\.\?\*|\{\*,\.\*\}|\?\*|\*\.\*)")
DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|md|loop|dm-)\w*")
HISTORY_FILES = re.compile(r"~/\.(?:bash|zsh|python|mysql|psql)_history$|/var/log/")
_WILDCARD = re.compile(r"[*?\[]")
_SIGN = re.compile(r"\*+|\[[^\]]\]|\[.[^\]]*\]|.", re.DOTALL)
"""A star, a class of characters, or one character."""
_LONGEST_NAME = 255
"""Characters of a file's name."""
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
    return len(part) <= _LONGEST_NAME and _overlap(_signs(name), _signs(part))


def _signs(pattern: str) -> list[str | None]:
    """The signs of a pattern: a character, nothing for any one, `None` for a star."""
    return [_sign(sign) for sign in _SIGN.findall(pattern)]


def _sign(sign: str) -> str | None:
    if sign[0] == "*":
        return None
    if sign == "?" or (len(sign) > 1 and len(sign) != 3):
        return ""
    return sign[1] if len(sign) == 3 else sign


def _overlap(one: list[str | None], other: list[str | None]) -> bool:
    """Whether some name fits both patterns."""
    # met[j]: whether the signs of `one` so far and the first j signs of `other` have a name in common.
    met = [True]
    for sign in other:
        met.append(met[-1] and sign is None)
    for mine in one:
        before, met = met, [met[0] and mine is None]
        for place, sign in enumerate(other):
            if mine is None or sign is None:
                met.append(before[place + 1] or met[place])
            else:
                met.append(before[place] and (not mine or not sign or mine == sign))
    return met[-1]
