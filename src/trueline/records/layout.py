"""Names of result folders, built and parsed.

`<result_dir>/[run<k>/]<action_space>/<observation_type>/<model>[_jailbreak]/<domain>/<task>[__inject__<vector>__<goal>]/`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.text import printable

ATTEMPTS = ".attempts"
"""Below the result folder: unfinished episodes that were set aside."""
SETTING_FILE = "setting.json"
"""In each model folder."""
ADVERSARY_RESULT_FILE = "adversary_result.txt"
"""RedTeamCUA's second score: 1 is an attack that succeeded. It is written only where the injection was set up."""
ADVERSARY_CHECK = "adversary_evaluator"
"""Name of the check that it is written from, which passes if the attack failed."""

OBSERVATION_TYPES = frozenset({"screenshot", "a11y_tree", "screenshot_a11y_tree", "som"})
_ACTION_SPACES = frozenset({"pyautogui", "computer_13"})
_INJECT = "__inject__"
_JAILBREAK = "_jailbreak"
_RUN = re.compile(r"run([1-9]\d{0,8})")
_MAX_BYTES = 255
_BAD = re.compile(r"[\x00-\x1f\x7f/\\]")


class Unit(NamedTuple):
    """The unit that statistics count once per run: a task, plain or under one injection."""

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
    """The location of an episode below its result folder."""

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
    if not inject:
        return name, None, None
    vector, between, goal = rest.partition("__")
    if between and task and vector and goal:
        return task, vector, goal
    return name, None, None


def model_levels(levels: Sequence[str]) -> int:
    """How many levels of an episode's path are the model's name: OSWorld makes a folder at each slash in it."""
    if len(levels) < 6 or levels[-4] in OBSERVATION_TYPES or levels[-5] in _ACTION_SPACES:
        return 1
    return next((n for n in (2, 3) if len(levels) >= n + 4 and levels[-3 - n] in OBSERVATION_TYPES), 1)


def split_levels(levels: Sequence[str]) -> tuple[str, str, str, str, str]:
    """The last levels of an episode's path: action space, observation type, model, domain, task folder.

    A model whose name takes several levels is named as Trueline names its folder, `/` as `__`. Levels that are not
    there are empty.
    """
    count = model_levels(levels)
    if count == 1:
        action_space, observation_type, model, domain, name = ("", "", "", "", "", *levels)[-5:]
        return action_space, observation_type, model, domain, name
    model = "__".join(levels[-2 - count : -2])
    return levels[-4 - count], levels[-3 - count], model, levels[-2], levels[-1]


def parse_location(folder: Path) -> Location | None:
    """Read the levels of an episode's path, with `run<k>` if it is there; `None` when there are too few."""
    levels = folder.parts
    used = 4 + model_levels(levels)
    if len(levels) < used or folder.anchor in levels[-used:]:
        return None
    action_space, observation_type, model, domain, name = split_levels(levels)
    run = _RUN.fullmatch(levels[-used - 1]) if len(levels) > used else None
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
