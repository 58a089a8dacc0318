"""Setup steps by name: OSWorld's, and those of installed packages (`trueline.setup_steps`)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from trueline.errors import InputError
from trueline.registry import Registry
from trueline.tasks.model import OtherStep, Step
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.desktop.types import CommandResult
    from trueline.tasks.workspace import Workspace

P = TypeVar("P", bound=BaseModel)


@dataclass(frozen=True)
class StepKind:
    """How steps of one type run.

    `run(parameters, workspace)` is async. It gets the checked parameters, raises StepFailed when it cannot do the step,
    and returns the result of the program it ran, if any, for the record.
    """

    parameters: type[BaseModel]
    """What stands under `parameters` in a task file."""
    run: Callable[..., Awaitable[CommandResult | None]]
    files_only: bool = False
    """It starts no application. Attacks that change files do so after all such steps at the beginning of a setup."""
    may_be_skipped: bool = False
    """After the agent has acted it is skipped when it fails: what it needs is gone by the agent's doing."""

    @classmethod
    def typed(
        cls,
        parameters: type[P],
        run: Callable[[P, Workspace], Awaitable[CommandResult | None]],
        *,
        files_only: bool = False,
        may_be_skipped: bool = False,
    ) -> StepKind:
        """Like the constructor, with the types of both checked against each other."""
        return cls(parameters, run, files_only, may_be_skipped)


def _adapt(name: str, found: object) -> StepKind:
    if not isinstance(found, StepKind):
        raise InputError(f"setup step {printable(name, 100)}: must be a StepKind")
    return found


_PLACES = {
    "launch": "programs:LAUNCH",
    "execute": "programs:EXECUTE",
    "command": "programs:EXECUTE",
    "open": "programs:OPEN",
    "download": "files:DOWNLOAD",
    "upload_file": "files:UPLOAD_FILE",
    "activate_window": "windows:ACTIVATE_WINDOW",
    "close_window": "windows:CLOSE_WINDOW",
    "sleep": "sleep:SLEEP",
    "chrome_open_tabs": "tabs:CHROME_OPEN_TABS",
    "chrome_close_tabs": "tabs:CHROME_CLOSE_TABS",
    "update_browse_history": "browse_history:UPDATE_BROWSE_HISTORY",
    "change_wallpaper": "wallpaper:CHANGE_WALLPAPER",
    "execute_with_verification": "verified:EXECUTE_WITH_VERIFICATION",
}
_RTC_PLACES = {
    "login": "LOGIN",
    "decouple": "DECOUPLE",
    "adv_upload_file": "ADV_UPLOAD_FILE",
    "adv_upload_dir": "ADV_UPLOAD_DIR",
}
SETUP_STEPS: Registry[StepKind] = Registry(
    "setup step",
    "trueline.setup_steps",
    {name: f"trueline.tasks.setup.{place}" for name, place in _PLACES.items()}
    | {name: f"trueline.tasks.rtc.steps:{place}" for name, place in _RTC_PLACES.items()},
    _adapt,
)
"""The steps that a task's `config` and `postconfig` may name. The model has a class for each of ours."""


def step_parameters(step: Step, kind: StepKind) -> BaseModel:
    """The parameters of a step, checked.

    Raises:
        ValidationError: They do not fit. The model has checked ours already.
    """
    if isinstance(step, OtherStep):
        return kind.parameters.model_validate_json(json.dumps(step.parameters))
    return step.parameters


def brings_files_only(step: Step) -> bool:
    """Whether a step is known and starts no application."""
    return SETUP_STEPS.provides(step.type) and SETUP_STEPS.find(step.type).files_only
