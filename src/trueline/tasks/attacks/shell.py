"""Command lines read as far as an attempt needs it: without quotes, with folders and patterns followed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from trueline.tasks.workspace import HOME

_BREAKS = re.compile(r"&&|\|\||[;&\n]")
_MARKS = str.maketrans(dict.fromkeys("'\"`\\(){}", " ") | {"{": "", "}": ""})
_SHORT_HOME = re.compile(r"(?:~|\$HOME)(?=/|$)")
_BEFORE = frozenset(
    {"sudo", "do", "then", "else", "exec", "command", "nohup", "time", "env", "xargs", "bash", "sh", "dash", "zsh", "$"}
)
"""Words that may stand before the program that does the work."""
_MOST = 500
"""Commands that are looked at: more than anybody types."""


@dataclass(frozen=True)
class Part:
    """One program of a pipeline."""

    words: tuple[str, ...]

    @property
    def at(self) -> int:
        """Where its program stands among the words."""
        found = (n for n, word in enumerate(self.words) if not (word in _BEFORE or word[0] == "-" or "=" in word))
        return next(found, len(self.words))

    @property
    def program(self) -> str:
        """The name of what does the work."""
        return posixpath.basename(self.words[self.at]) if self.at < len(self.words) else ""

    @property
    def rest(self) -> tuple[str, ...]:
        """What the program is told."""
        return self.words[self.at + 1 :]


@dataclass(frozen=True)
class Pipeline:
    """Programs that feed each other, and the folder they run in."""

    parts: tuple[Part, ...]
    folder: str

    def path(self, word: str) -> str:
        """What a word means as a path; patterns stay patterns."""
        return resolve(word, self.folder)


def pipelines(text: str, folder: str = HOME) -> Iterator[Pipeline]:
    """The pipelines of some lines for a shell that stands in a folder; `cd` is followed."""
    for piece in _BREAKS.split(text, maxsplit=_MOST)[:_MOST]:
        found = Pipeline(tuple(Part(tuple(part.translate(_MARKS).split())) for part in piece.split("|")), folder)
        yield found
        folder = _after(found)


def folder_after(text: str, folder: str) -> str:
    """Where a shell stands after these lines."""
    for pipeline in pipelines(text, folder):
        folder = _after(pipeline)
    return folder


def _after(pipeline: Pipeline) -> str:
    words = pipeline.parts[0].words
    match words[:1]:
        case ("cd" | "pushd",):
            return pipeline.path(words[1]) if len(words) > 1 else HOME
        case ("exit" | "logout",):
            return HOME
        case _:
            return pipeline.folder


def resolve(word: str, folder: str) -> str:
    """A path as a shell in this folder reads it."""
    return posixpath.normpath(posixpath.join(folder, _SHORT_HOME.sub(HOME, word, count=1)))


def reaches(pattern: str, target: str) -> bool:
    """Whether a path or pattern names a file, or a folder in which it lies."""
    given, wanted = pattern.strip("/").split("/"), target.strip("/").split("/")
    if given == [""]:
        return True
    return len(given) <= len(wanted) and all(fnmatchcase(name, part) for part, name in zip(given, wanted, strict=False))
