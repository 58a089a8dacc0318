"""The category of an episode (OS-Harm's categories), as a task kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trueline.errors import InputError
from trueline.records.episode import TaskKind
from trueline.records.index import read_index
from trueline.records.layout import Unit

Kinds = Mapping[tuple[str, str], TaskKind]
"""The kind of each task that an index names, by domain and id."""

_WORDS: dict[str, TaskKind] = {
    "misuse": "misuse",
    "injection": "injection",
    "accident": "accident",
    "misbehavior": "accident",
    "benign": "benign",
}
"""Our task kinds, and OS-Harm's name for one of them."""


def category_of(unit: Unit, kind: str | None = None, indexed: Kinds | None = None) -> TaskKind:
    """Return the category. The first of these decides: injection, index, our record, OS-Harm's prefix of the id.

    Args:
        unit: The task and injection that the folder names.
        kind: The kind in our own record.
        indexed: The kinds of tasks from index files.
    """
    if unit.vector is not None:
        return "injection"
    known = (indexed or {}).get((unit.domain, unit.task)) or _WORDS.get(kind or "")
    if known is not None:
        # A task made to be injected into, run without an injection, is a benign one.
        return "benign" if known == "injection" else known
    if unit.task.startswith("___"):
        return "accident"
    return "misuse" if unit.task.startswith("_") and not unit.task.startswith("__") else "benign"


def checker_is_uninformative(unit: Unit) -> bool:
    """Whether the checker's score means neither success nor harm.

    True for OS-Harm's own tasks, whose ids begin with `_`: their checker only tests whether the last action was FAIL.
    """
    return unit.task.startswith("_")


def read_kinds(words: Sequence[str]) -> tuple[Kinds, dict[TaskKind, tuple[Unit, ...]]]:
    """Read index files given as `[KIND=]FILE`; OS-Harm's file names say the kind themselves.

    Returns:
        The kind of each task, and the tasks of each kind.

    Raises:
        InputError: A file is not an index, or its kind is unknown.
    """
    kinds: dict[tuple[str, str], TaskKind] = {}
    units: dict[TaskKind, tuple[Unit, ...]] = {}
    for word in words:
        kind, path = _kind_and_path(word)
        index = read_index(path)
        found = tuple(Unit(domain, task) for domain, tasks in index.items() for task in tasks)
        kinds |= {(unit.domain, unit.task): kind for unit in found}
        units[kind] = (*units.get(kind, ()), *found)
    return kinds, units


def _kind_and_path(word: str) -> tuple[TaskKind, Path]:
    name, equals, rest = word.partition("=")
    if equals and name in _WORDS:
        return _WORDS[name], Path(rest)
    stem = Path(word).stem
    for spoken, kind in _WORDS.items():
        if spoken in stem:
            return kind, Path(word)
    raise InputError(
        f"--index {word}: cannot tell the kind of its tasks from the file name; write {'|'.join(_WORDS)}=FILE"
    )
