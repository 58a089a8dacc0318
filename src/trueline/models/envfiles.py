"""Variables from the environment, `.env` and `.envrc`. The files are read, never run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trueline.errors import InputError

FILES = (".env", ".envrc")
"""In order of precedence; the process's own environment comes before both."""
ENVIRONMENT = "the environment"

_LINE = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$")
_BARE_END = re.compile(r"\s+#|\s*$")
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Env:
    """The variables. Values never appear in the representation."""

    values: Mapping[str, str] = field(repr=False)
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that a file sets by running a command, with the place: such a line is not understood on purpose."""
    written: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]], repr=False)
    """The places that contain each value: `ENVIRONMENT`, or a file that spells it out itself."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """The variables that a file sets, with the file."""
    borrowed: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The variables of the environment that a file's value is made of."""

    def set_name(self, *names: str) -> str | None:
        """Return which of these variables is set and not empty, the first of them."""
        return next((name for name in names if self.get(name)), None)

    def get(self, *names: str) -> str | None:
        """Return the first of these variables that is set and not empty."""
        return next((value for name in names if (value := self.values.get(name, "").strip())), None)


def load_env(folder: Path | None = None, environ: Mapping[str, str] | None = None) -> Env:
    """Read the environment and the two files of a folder (the current one unless told otherwise)."""
    folder = folder or Path()
    base = dict(os.environ if environ is None else environ)
    merged: dict[str, str] = {}
    commands: dict[str, str] = {}
    files: dict[str, str] = {}
    borrowed: dict[str, frozenset[str]] = {}
    spelled: list[tuple[str, str, str]] = []
    for name in reversed(FILES):
        path = folder / name
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as e:
            raise InputError(f"{path}: cannot be read ({type(e).__name__}); fix or remove it") from None
        file = _File(base)
        for number, key, raw in _assignments(text):
            if not file.assign(key, raw):
                commands[key] = f"{name}:{number}"
        merged |= file.values
        files |= dict.fromkeys(file.values, name)
        borrowed |= {key: frozenset(file.borrowed.get(key, ())) for key in file.values}
        spelled += [(key, value, name) for key, value in file.values.items() if not file.borrowed.get(key)]
    own = {key: value for key, value in base.items() if value or key not in merged}
    merged |= own
    written = {
        key: frozenset({*(name for k, v, name in spelled if (k, v) == (key, value)), *_outside(key, own, borrowed)})
        for key, value in merged.items()
    }
    return Env(
        merged,
        {key: place for key, place in commands.items() if not merged.get(key)},
        written=written,
        files={key: name for key, name in files.items() if key not in own},
        borrowed={key: names for key, names in borrowed.items() if key not in own and names},
    )


def _outside(key: str, own: Mapping[str, str], borrowed: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Whether a value is the environment's: set there, or made of what is set there."""
    return (ENVIRONMENT,) if key in own or borrowed.get(key) else ()


def _assignments(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, name and text of each assignment."""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _LINE.match(line):
            yield number, match[1], match[2].strip()


class _File:
    """The variables of one file, as they are set line by line."""

    def __init__(self, base: Mapping[str, str]) -> None:
        self.values: dict[str, str] = {}
        self.borrowed: dict[str, set[str]] = {}
        self._base = base

    def assign(self, key: str, raw: str) -> bool:
        """Set a variable; returns False for a value that needs a command."""
        used: set[str] = set()

        def look_up(name: str) -> str:
            if value := self._base.get(name):
                used.add(name)
                return value
            used.update(self.borrowed.get(name, ()))
            return self.values.get(name, "")

        value = _value(raw, look_up)
        if value is None:
            return False
        self.values[key], self.borrowed[key] = value, used
        return True


def _value(raw: str, look_up: Callable[[str], str]) -> str | None:
    """Return the value that a line gives a variable; one that needs a command is None."""
    if raw.startswith("'") and (end := raw.find("'", 1)) > 0:
        return raw[1:end]
    quoted = re.match(r'"((?:[^"\\]|\\.)*)"', raw)
    value = quoted[1] if quoted else raw[: end.start()] if (end := _BARE_END.search(raw)) else raw
    if not quoted and value.startswith("#"):
        return ""
    if "$(" in value or "`" in value:
        return None
    value = _VARIABLE.sub(lambda match: look_up(match[1] or match[2]), value)
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), value) if quoted else value
