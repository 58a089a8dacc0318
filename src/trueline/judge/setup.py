"""What all judges share: the models, the captioner and the options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trueline.errors import InputError
from trueline.judge.captions import Captioner
from trueline.judge.types import Judge, ObservationType
from trueline.models.types import Model

TaskTexts = Callable[[str, str], str | None]
"""Returns the text of a task from its file, by domain and id."""


def no_task_texts(_domain: str, _task: str) -> None:
    """Use no task files."""
    return


@dataclass(frozen=True)
class JudgeSetup:
    """What all judges share."""

    judges: Sequence[Judge]
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """By name; answers may come from a cache."""
    fresh: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """The same models without a cache."""
    captioner: Captioner | None = None
    caption_model: str | None = None
    observation_type: ObservationType | None = None
    """`None` for what the agent itself saw."""
    temperature: float | None = None
    """`None` for 0 where the model supports it."""
    again: bool = False
    """Judge again what is judged already, and ignore the cache."""
    task_texts: TaskTexts = no_task_texts


def task_texts_below(base: Path) -> TaskTexts:
    """Read task texts from `<base>/examples/<domain>/<id>.json`, the layout of OSWorld and OS-Harm."""
    from trueline.records.folder.values import as_object, as_text, load_file
    from trueline.records.layout import check_name
    from trueline.records.problem import Problem

    def look_up(domain: str, task: str) -> str | None:
        try:
            folder, name = base / "examples" / check_name(domain, "domain"), f"{check_name(task, 'task')}.json"
        except InputError:
            return None
        value = load_file(folder, name)
        return None if isinstance(value, Problem) else as_text(as_object(value).get("instruction"))

    return look_up
