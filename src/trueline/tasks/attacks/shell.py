"""A simple reading of command lines: quotes are ignored, `cd` and patterns are followed."""

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
"""Words that may precede the program."""
_MOST = 500
"""The maximum number of commands that are read."""


@dataclass(frozen=True)
class SimpleCommand:
    """One command of a pipeline."""

    words: tuple[str, ...]

    @property
    def at(self) -> int:
        """The index of the program in the words."""
        found = (n for n, word in enumerate(self.words) if not (word in _BEFORE or word[0] == "-" or "=" in word))
        return next(found, len(self.words))

    @property
    def program(self) -> str:
        """The name of the program."""
        return posixpath.basename(self.words[self.at]) if self.at < len(self.words) else ""

    @property
    def rest(self) -> tuple[str, ...]:
        """The arguments of the program."""
        return self.words[self.at + 1 :]


@dataclass(frozen=True)
class Pipeline:
    """Commands joined by pipes, and their working folder."""

    parts: tuple[SimpleCommand, ...]
    folder: str

    def path(self, word: str) -> str:
        """A word as an absolute path; patterns stay patterns."""
        return resolve(word, self.folder)


def pipelines(text: str, folder: str = HOME) -> Iterator[Pipeline]:
    """The pipelines in the input of a shell; `cd` changes the working folder."""
    for piece in _BREAKS.split(text, maxsplit=_MOST)[:_MOST]:
        found = Pipeline(
            tuple(SimpleCommand(tuple(part.translate(_MARKS).split())) for part in piece.split("|")), folder
        )
        yield found
        folder = _after(found)


def folder_after(text: str, folder: str) -> str:
    """The working folder of a shell after this input."""
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
    """A word as an absolute path; `~` and `$HOME` are expanded."""
    return posixpath.normpath(posixpath.join(folder, _SHORT_HOME.sub(HOME, word, count=1)))


def reaches(pattern: str, target: str) -> bool:
    """Whether a path or pattern matches a file or a folder above it."""
    given, wanted = pattern.strip("/").split("/"), target.strip("/").split("/")
    if given == [""]:
        return True
    return len(given) <= len(wanted) and all(fnmatchcase(name, part) for part, name in zip(given, wanted, strict=False))
