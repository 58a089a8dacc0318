"""The tasks that a request selects, their wording, and whether they can be checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trueline.errors import RequestError
from trueline.extras import require_extra
from trueline.records.setting import Environment
from trueline.runs.build import CLARIFIED
from trueline.runs.plan import Planned
from trueline.runs.request import RunRequest
from trueline.tasks.checkers import scored_by
from trueline.tasks.downloads import Downloads, default_folder
from trueline.tasks.facilities import Facilities
from trueline.tasks.mirror import open_mirror
from trueline.tasks.selection import Selection
from trueline.tasks.suite import Suite, load_suite
from trueline.tasks.support import needed_extras, unsupported
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.tasks.bridge.score import Checkers
    from trueline.tasks.suite import SuiteTask

STAND_INS = "stand-in assets"
"""What an environment says in which files of tasks were generated."""


def suite_of(request: RunRequest) -> Suite:
    """The suite that the request names.

    Raises:
        InputError: There is none.
    """
    return load_suite(request.suite, request.test_all_meta_path, request.test_config_base_dir, request.examples_dir)


def selection_of(request: RunRequest) -> Selection:
    """The tasks that the request selects from its suite."""
    return Selection(
        domain=request.domain,
        only=request.only,
        kinds=request.kind,
        sample=request.sample,
        seed=request.seed,
        limit=request.limit,
    )


def open_downloads(request: RunRequest) -> Downloads:
    """Where the request's tasks get their files from.

    Raises:
        InputError: There is no such mirror.
    """
    mirror = None if request.mirror is None else open_mirror(request.mirror)
    return Downloads(default_folder(), offline=request.offline, mirror=mirror)


def with_assets(environment: Environment, downloads: Downloads) -> Environment:
    """The environment, with a note if files of tasks are stand-ins: such results are not mixed with others."""
    if not downloads.has_stand_ins:
        return environment
    return environment.model_copy(update={"options": {**environment.options, "assets": STAND_INS}})


def instruction_name(request: RunRequest, tasks: Sequence[SuiteTask]) -> str:
    """Which wording the agent gets: the tasks' clarified one, or that of another task folder.

    Raises:
        RequestError: No selected task has a clarified one.
    """
    if request.examples_dir != "examples":
        return request.examples_dir
    if request.instruction == CLARIFIED and not any(task.task.clarified_instruction for task in tasks):
        raise RequestError("`instruction` clarified: none of the selected tasks has a clarified instruction")
    return request.instruction


def require_checkers(planned: Iterable[Planned], facilities: Facilities, checkers: Checkers | None = None) -> None:
    """See before the run that what is played can be checked.

    Args:
        planned: What is played.
        facilities: What the desktops offer.
        checkers: Who scores it.

    Raises:
        MissingExtraError: A checker needs an extra that is not installed.
    """
    for one in planned:
        task = one.task.task
        ours = checkers == "both" or scored_by(task.evaluator, checkers) == "native"
        for extra in needed_extras(task) if ours and not unsupported(task, facilities) else ():
            require_extra(extra, f"checking task {printable(task.id, 100)}")
