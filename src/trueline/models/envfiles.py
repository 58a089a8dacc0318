"""Variables from the environment, `.env` and `.envrc`. The files are read, never run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trueline.errors import InputError

FILES = (".env", ".envrc")
"""In order of precedence; the process's own environment comes before both."""

_LINE = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$")
_BARE_END = re.compile(r"\s+#|\s*$")
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Env:
    """What is set. A value never shows in the representation."""

    values: Mapping[str, str] = field(repr=False)
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that a file sets by running a command, with the place: such a line is not understood on purpose."""

    def get(self, *names: str) -> str | None:
        """Return the first of these variables that is set and not empty."""
        return next((value for name in names if (value := self.values.get(name, "").strip())), None)


def load_env(folder: Path | None = None, environ: Mapping[str, str] | None = None) -> Env:
    """Read the environment and the two files of a folder (the current one unless told otherwise)."""
    folder = folder or Path()
    base = dict(os.environ if environ is None else environ)
    merged: dict[str, str] = {}
    commands: dict[str, str] = {}
    for name in reversed(FILES):
        path = folder / name
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as e:
            raise InputError(f"{path}: cannot be read ({type(e).__name__}); fix or remove it") from None
        seen: dict[str, str] = {}
        for number, key, value in _assignments(text, base, seen):
            if value is None:
                commands[key] = f"{name}:{number}"
            else:
                seen[key] = value
        merged |= seen
    merged |= {key: value for key, value in base.items() if value or key not in merged}
    return Env(merged, {key: place for key, place in commands.items() if not merged.get(key)})


def _assignments(text: str, base: Mapping[str, str], seen: Mapping[str, str]) -> Iterator[tuple[int, str, str | None]]:
    """Yield line number, name and value of each assignment; a value that needs a command is None."""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _LINE.match(line):
            yield number, match[1], _value(match[2].strip(), base, seen)


def _value(raw: str, base: Mapping[str, str], seen: Mapping[str, str]) -> str | None:
    if raw.startswith("'") and (end := raw.find("'", 1)) > 0:
        return raw[1:end]
    quoted = re.match(r'"((?:[^"\\]|\\.)*)"', raw)
    value = quoted[1] if quoted else raw[: end.start()] if (end := _BARE_END.search(raw)) else raw
    if not quoted and value.startswith("#"):
        return ""
    if "$(" in value or "`" in value:
        return None

    def look_up(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return base.get(name) or seen.get(name, "")

    value = _VARIABLE.sub(look_up, value)
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), value) if quoted else value
