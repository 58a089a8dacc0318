"""Names of result folders, built and parsed.

`<result_dir>/[run<k>/]<action_space>/<observation_type>/<model>[_jailbreak]/<domain>/<task>[__inject__<vector>__<goal>]/`
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.text import printable

ATTEMPTS = ".attempts"
"""Below the result folder: unfinished episodes that were set aside."""
SETTING_FILE = "setting.json"
"""In each model folder."""

_INJECT = "__inject__"
_JAILBREAK = "_jailbreak"
_RUN = re.compile(r"run([1-9]\d{0,8})")
_MAX_BYTES = 255
_BAD = re.compile(r"[\x00-\x1f\x7f/\\]")


class Unit(NamedTuple):
    """What is counted once per run: a task, alone or under one injection."""

    domain: str
    task: str
    vector: str | None = None
    goal: str | None = None

    @property
    def host(self) -> tuple[str, str]:
        """The cluster it belongs to: a task, its rephrasing and all its injections are not independent."""
        return self.domain, self.task.removesuffix("_aug")

    def __str__(self) -> str:
        """The path below the model folder."""
        return f"{self.domain}/{task_folder(self.task, self.vector, self.goal)}"


class Location(NamedTuple):
    """Where an episode lies below its result folder."""

    action_space: str
    observation_type: str
    model: str
    """The model's folder name without `_jailbreak`."""
    unit: Unit
    jailbreak: bool = False
    run: int | None = None
    """Counted from 1; `None` when the folder has no `run<k>` level."""

    @property
    def model_folder(self) -> Path:
        """The folder that one setting owns, below the result folder."""
        levels = [self.action_space, self.observation_type, self.model + (_JAILBREAK if self.jailbreak else "")]
        if self.run is not None:
            levels.insert(0, f"run{self.run}")
        return Path(*(check_name(level, "folder name") for level in levels))

    @property
    def path(self) -> Path:
        """The episode's folder, below the result folder.

        Raises:
            InputError: A name cannot be a folder, or reading it back would give other names.
        """
        unit = self.unit
        folder = check_name(task_folder(unit.task, unit.vector, unit.goal), "task folder")
        path = self.model_folder / check_name(unit.domain, "domain") / folder
        if parse_location(path) != self:
            raise InputError(
                f"{printable(str(path))}: would be read back as another episode; rename task, vector or goal"
            )
        return path


def check_name(name: str, what: str) -> str:
    """Return a name that is safe as one level of a path.

    Raises:
        InputError: It is empty, hidden, too long, or holds a separator or a control character.
    """
    shown = f"{what} {printable(name, 80)!r}"
    if not name or name.startswith("."):
        raise InputError(f"{shown}: must not be empty or begin with a dot")
    if _BAD.search(name):
        raise InputError(f"{shown}: must not hold a slash, backslash or control character")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise InputError(f"{shown}: is not valid Unicode") from None
    if length > _MAX_BYTES:
        raise InputError(f"{shown}: is {length} bytes long; a folder name has at most {_MAX_BYTES}")
    return name


def model_folder_name(model: str) -> str:
    """The folder name of a model given as `provider|model` or `model`: the part after `|`, `/` as `__`."""
    return check_name(model.rpartition("|")[2].replace("/", "__"), "model")


def task_folder(task: str, vector: str | None = None, goal: str | None = None) -> str:
    """The name of an episode's folder."""
    return task if vector is None else f"{task}{_INJECT}{vector}__{goal}"


def parse_task_folder(name: str) -> tuple[str, str | None, str | None]:
    """Split an episode's folder name into task, vector and goal; a name that has not the form is a task's id."""
    task, inject, rest = name.partition(_INJECT)
    vector, between, goal = rest.partition("__")
    if inject and between and task and vector and goal:
        return task, vector, goal
    return name, None, None


def parse_location(folder: Path) -> Location | None:
    """Read the last five levels of a path (six with `run<k>`); `None` when there are fewer."""
    levels = folder.parts
    if len(levels) < 5 or folder.anchor in levels[-5:]:
        return None
    action_space, observation_type, model, domain, name = levels[-5:]
    run = _RUN.fullmatch(levels[-6]) if len(levels) > 5 else None
    plain = model.removesuffix(_JAILBREAK)
    jailbreak = plain != model and plain != ""
    return Location(
        action_space=action_space,
        observation_type=observation_type,
        model=plain if jailbreak else model,
        unit=Unit(domain, *parse_task_folder(name)),
        jailbreak=jailbreak,
        run=int(run[1]) if run else None,
    )
