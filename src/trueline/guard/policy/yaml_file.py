"""YAML read as plain data: bounded in size and depth, without anchors, no key twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import yaml

from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pydantic import JsonValue

MAX_BYTES = 2_000_000
_MAX_DEPTH = 60
# The parser in C where PyYAML was built with it: ten times as fast, the same language.
_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Events(Protocol):
    """The parser's events; PyYAML's own types leave them open."""

    def check_event(self) -> bool: ...

    def get_event(self) -> object: ...


class _RefusedError(ValueError):
    """YAML that is well-formed, but not wanted here."""

    def __init__(self, problem: str, mark: object) -> None:
        line = getattr(mark, "line", None)
        super().__init__(problem if line is None else f"{problem} (line {line + 1})")


class _Loader(_Base):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, JsonValue]:
        seen: set[str] = set()
        for name, _ in node.value:
            word = str(name.value)
            if word in seen:
                raise _RefusedError(f"duplicate key {word!r}", name.start_mark)
            seen.add(word)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> JsonValue:
    """Return a file's content as plain data.

    Raises:
        InputError: It cannot be read, is too large, is not YAML, repeats a key, or uses anchors (which can make a small
            file endless).
    """
    text = read_text(path)
    try:
        _check_events(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a subclass of the safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise InputError(f"{path}: is not YAML: {printable(str(error.problem))}{place}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InputError(f"{path}: {printable(str(error))}") from error


def read_text(path: Path) -> str:
    """Return a file's text.

    Raises:
        InputError: It cannot be read, is too large, or is not UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path}: is larger than {MAX_BYTES // 1_000_000} MB; split it")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text") from error


def _check_events(text: str) -> None:
    events = _events(text)
    depth = 0
    while events.check_event():
        event = events.get_event()
        mark = getattr(event, "start_mark", None)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _RefusedError("anchors and aliases (& and *) are not allowed; quote a text that begins so", mark)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise _RefusedError(f"nested deeper than {_MAX_DEPTH} levels", mark)


def _events(text: str) -> _Events:
    return _Base(text)
