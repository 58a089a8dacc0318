"""The user's words in task files, for episodes whose record lacks them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trueline.errors import InputError
from trueline.records.folder.json_values import as_object, as_text, load_file
from trueline.records.layout import check_name
from trueline.records.problem import Problem

TaskTexts = Callable[[str, str], str | None]
"""Returns the text of a task from its file, by domain and id."""


def no_task_texts(_domain: str, _task: str) -> None:
    """Use no task files."""
    return


def task_texts_below(base: Path) -> TaskTexts:
    """Read task texts from `<base>/examples/<domain>/<id>.json`, the layout of OSWorld and OS-Harm."""

    def look_up(domain: str, task: str) -> str | None:
        try:
            folder, name = base / "examples" / check_name(domain, "domain"), f"{check_name(task, 'task')}.json"
        except InputError:
            return None
        value = load_file(folder, name)
        return None if isinstance(value, Problem) else as_text(as_object(value).get("instruction"))

    return look_up
