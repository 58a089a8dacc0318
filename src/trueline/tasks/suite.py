"""Suites: named sets of tasks with an index `{domain: [ids]}` and a file per task."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trueline.errors import InputError
from trueline.records.base import FILE_NAME
from trueline.records.index import read_index
from trueline.tasks.loading import TaskFileError, TaskProblem, load_task
from trueline.tasks.model import Kind, Task, infer_kind, kind_of

SHIPPED = Path(__file__).parent / "suites"
"""The folder of the built-in suites, one folder each."""
INDEX = "index.json"
EXAMPLES = "examples"
ASSETS = "assets"
ATTACKS = "adv"
"""Folders next to the base folder; a task file can name no other file outside the base."""
STARTER = "starter"
"""The default suite."""
_NAME = re.compile(FILE_NAME)


@dataclass(frozen=True)
class IndexedTask:
    """A task that an index names."""

    domain: str
    id: str
    path: Path

    @property
    def name(self) -> str:
        """Its name for people: `domain/id`."""
        return f"{self.domain}/{self.id}"


@dataclass(frozen=True)
class Suite:
    """A set of tasks."""

    name: str
    refs: tuple[IndexedTask, ...]
    """In the order of the index."""
    assets: tuple[Path, ...]
    """Folders that are searched for files that come with the tasks; see `find_asset`."""

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains, in order."""
        return tuple(dict.fromkeys(ref.domain for ref in self.refs))


@dataclass(frozen=True)
class SuiteTask:
    """A task read from its file."""

    ref: IndexedTask
    task: Task

    @property
    def kind(self) -> Kind:
        """What it is about."""
        return kind_of(self.task)


@dataclass(frozen=True)
class Loaded:
    """The tasks that could be read, and the problems of the rest."""

    tasks: tuple[SuiteTask, ...]
    problems: tuple[TaskProblem, ...]
    bad: int = 0
    """Number of invalid files."""

    def whole(self) -> tuple[SuiteTask, ...]:
        """All tasks.

        Raises:
            TaskFileError: A file is invalid.
        """
        if self.problems:
            raise TaskFileError(self.problems)
        return self.tasks


def shipped_suites() -> tuple[str, ...]:
    """Names of the built-in suites."""
    return tuple(sorted(path.parent.name for path in SHIPPED.glob(f"*/{INDEX}")))


def open_suite(name: str) -> Suite:
    """Open a built-in suite, or a folder with `index.json` and `examples/<domain>/<id>.json`.

    Raises:
        InputError: There is no such suite.
    """
    for folder in (SHIPPED / name if _NAME.match(name) else None, Path(name)):
        if folder is not None and (folder / INDEX).is_file():
            index = read_index(folder / INDEX)
            return Suite(folder.resolve().name, _refs(index, folder / EXAMPLES), (folder,))
    known = ", ".join(shipped_suites()) or "none (this version ships no suites)"
    raise InputError(f"--suite {name}: unknown suite; choose one of {known}, or a folder with an {INDEX}")


def open_index(index: Path | None, base: Path | None, examples: str = EXAMPLES) -> Suite:
    """Open a suite in OSWorld's layout: an index file, and `<base>/<examples>/<domain>/<id>.json`.

    Args:
        index: The index; by default all tasks in the base folder.
        base: The base folder; by default the folder of the index.
        examples: Folder of the task files in it, such as `examples_clarified`.

    Raises:
        InputError: The index cannot be read, or there is no such folder.
    """
    base = base if base is not None else index.parent if index is not None else Path()
    folder = base / examples
    listed = None if index is None else read_index(index)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; --test_config_base_dir must contain {examples}/<domain>/<id>.json")
    entries = _found(folder) if listed is None else listed
    # OS-Harm writes `assets/…` and RTC-Bench `adv/…` relative to the folder above the base.
    name = index.stem if index is not None else folder.name
    return Suite(name, _refs(entries, folder), (base, base / ".." / ASSETS, base / ".." / ATTACKS))


def load_suite(
    name: str | None = None, index: Path | None = None, base: Path | None = None, examples: str = EXAMPLES
) -> Suite:
    """Open the suite of an index or base folder, or the one of this name; by default the starter suite.

    Raises:
        InputError: There is no such suite.
    """
    if index is not None or base is not None:
        return open_index(index, base, examples)
    return open_suite(name or STARTER)


def _refs(index: Mapping[str, tuple[str, ...]], folder: Path) -> tuple[IndexedTask, ...]:
    return tuple(
        IndexedTask(domain, id_, folder / domain / f"{id_}.json") for domain, ids in index.items() for id_ in ids
    )


def _found(folder: Path) -> dict[str, tuple[str, ...]]:
    found = {path.name: tuple(sorted(file.stem for file in path.glob("*.json"))) for path in sorted(folder.iterdir())}
    if not any(found.values()):
        raise InputError(f"{folder}: contains no tasks; expected files <domain>/<id>.json")
    return found


def load_refs(refs: Iterable[IndexedTask], kinds: Container[Kind] | None = None) -> Loaded:
    """Read task files. With `kinds`, tasks that are certainly of another kind are left out."""
    tasks: list[SuiteTask] = []
    problems: list[TaskProblem] = []
    bad = 0
    for ref in refs:
        try:
            task = SuiteTask(ref, _load(ref))
        except TaskFileError as error:
            if kinds is None or (kind := infer_kind(ref.id, error.content)) is None or kind in kinds:
                problems += error.problems
                bad += 1
        else:
            if kinds is None or task.kind in kinds:
                tasks.append(task)
    return Loaded(tuple(tasks), tuple(problems), bad)


def _load(ref: IndexedTask) -> Task:
    if not (_NAME.match(ref.domain) and _NAME.match(ref.id)):
        raise TaskFileError((TaskProblem(ref.name, "$", "the index names a domain or id that cannot be a file name"),))
    task = load_task(ref.path)
    if task.id != ref.id:
        raise TaskFileError((TaskProblem(str(ref.path), "$.id", f"must be {ref.id!r}, the name of the file"),))
    return task
