"""What task files say about the tasks of episodes whose record lacks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.folder.json_values import as_list, as_object, as_text, load_file
from trueline.records.layout import check_name
from trueline.records.problem import Problem


@dataclass(frozen=True)
class TaskFile:
    """What the file of a task says."""

    instruction: str | None = None
    """The user's own words."""
    config: tuple[dict[str, JsonValue], ...] | None = None
    """The steps that set its desktop up; `None` where the file lists none, or was not found."""


TaskFiles = Callable[[str, str], TaskFile]
"""Returns what the file of a task says, by domain and id; an empty one where there is none."""
TaskTexts = Callable[[str, str], str | None]
"""Returns the text of a task from its file, by domain and id."""


def no_task_files(_domain: str, _task: str) -> TaskFile:
    """Use no task files."""
    return TaskFile()


def no_task_texts(_domain: str, _task: str) -> None:
    """Use no task files."""
    return


def task_files_below(base: Path) -> TaskFiles:
    """Read `<base>/examples/<domain>/<id>.json`, the layout of OSWorld and OS-Harm."""

    def look_up(domain: str, task: str) -> TaskFile:
        content = _content(base, domain, task)
        if content.get("variation"):
            # Its texts hold placeholders, and which values an episode drew is not known here.
            return TaskFile()
        steps = content.get("config")
        config = tuple(map(as_object, as_list(steps))) if isinstance(steps, list) else None
        return TaskFile(as_text(content.get("instruction")), config)

    return look_up


def task_texts_below(base: Path) -> TaskTexts:
    """Read task texts from `<base>/examples/<domain>/<id>.json`, the layout of OSWorld and OS-Harm."""
    return lambda domain, task: as_text(_content(base, domain, task).get("instruction"))


def _content(base: Path, domain: str, task: str) -> dict[str, JsonValue]:
    try:
        folder, name = base / "examples" / check_name(domain, "domain"), f"{check_name(task, 'task')}.json"
    except InputError:
        return {}
    value = load_file(folder, name)
    return {} if isinstance(value, Problem) else as_object(value)
