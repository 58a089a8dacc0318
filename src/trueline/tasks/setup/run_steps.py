"""Running the setup steps of a task in order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from trueline.desktop.types import CommandResult, DesktopError, DesktopLost, PathRefused, Settled
from trueline.errors import InputError, TruelineError
from trueline.tasks.downloads import DownloadError
from trueline.tasks.model import Step
from trueline.tasks.setup.errors import StepError, StepFailed
from trueline.tasks.setup_steps import SETUP_STEPS, StepKind, step_parameters
from trueline.tasks.workspace import Workspace
from trueline.validation import describe_validation_error

_OF_WINDOWS = frozenset({"activate_window", "close_window"})
_STARTING = frozenset({"launch", "open", "execute", "command", "chrome_open_tabs"})
"""Steps that may open a window."""


@dataclass(frozen=True)
class StepReport:
    """How one step went."""

    type: str
    seconds: float
    returncode: int | None = None
    """Exit code of the program it ran. As in OSWorld, a code other than 0 is not a failure."""
    output: str = ""
    missed: str = ""
    """Why a step that may be skipped was skipped."""


async def run_steps(steps: Sequence[Step], workspace: Workspace, *, lenient: bool = False) -> tuple[StepReport, ...]:
    """Run the steps in order, then wait until the screen has settled.

    Args:
        steps: The steps.
        workspace: The desktop they run on.
        lenient: After the agent has acted: a window or file that is gone is its doing, not a failure.

    Raises:
        StepError: A step failed; it says which, why and what it printed.
        DesktopLost: The desktop is gone.
    """
    workspace = replace(workspace, after_agent=lenient)
    reports: list[StepReport] = []
    started = False
    for number, step in enumerate(steps, 1):
        began = time.monotonic()
        missed = ""
        kind: StepKind | None = None
        done: CommandResult | None = None
        try:
            kind = SETUP_STEPS.find(step.type)
            done = await _do(step, workspace, kind)
        except DesktopLost:
            raise
        except StepFailed as error:
            # OSWorld passes over a window that is not there; here only where no step before could have opened it.
            idle = not started and step.type in _OF_WINDOWS
            if not ((lenient or idle) and kind is not None and kind.may_be_skipped):
                raise StepError(number, step, str(error), error.output) from error
            missed = str(error)
        except (DesktopError, PathRefused, DownloadError, InputError) as error:
            raise StepError(number, step, str(error)) from error
        started = started or step.type in _STARTING
        output = "" if done is None else done.text + done.stderr.decode("utf-8", "replace")
        code = None if done is None else done.returncode
        reports.append(StepReport(step.type, time.monotonic() - began, code, output[:10_000], missed))
    if steps:
        await workspace.desktop.wait_for(Settled())
    return tuple(reports)


async def _do(step: Step, workspace: Workspace, kind: StepKind) -> CommandResult | None:
    try:
        return await kind.run(step_parameters(step, kind), workspace)
    except ValidationError as error:
        raise StepFailed(f"parameters.{describe_validation_error(error)}") from error
    except (TruelineError, StepFailed):
        raise
    except Exception as error:
        # Code of another package must not end the run.
        raise StepFailed(f"{type(error).__name__}: {error}") from error
