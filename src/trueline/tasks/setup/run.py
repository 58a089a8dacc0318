"""Doing a task's steps in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from trueline.desktop.types import DesktopError, DesktopLost, PathRefused, RunResult, Settled
from trueline.errors import InputError
from trueline.tasks.downloads import DownloadError
from trueline.tasks.model import (
    ActivateWindow,
    ChromeOpenTabs,
    CloseWindow,
    Download,
    Execute,
    Launch,
    Open,
    OtherStep,
    Sleep,
    Step,
    UploadFile,
)
from trueline.tasks.setup import files, programs, tabs, windows
from trueline.tasks.setup.errors import StepError, StepFailed
from trueline.tasks.workspace import Workspace


@dataclass(frozen=True)
class StepReport:
    """How one step went."""

    type: str
    seconds: float
    returncode: int | None = None
    """Of the program it ran. OSWorld's tasks let commands end as they like: another code than 0 is no failure."""
    output: str = ""
    missed: str = ""
    """Why a step was passed over that may be: see `run_steps`."""


async def run_steps(steps: Sequence[Step], workspace: Workspace, *, lenient: bool = False) -> tuple[StepReport, ...]:
    """Do the steps in order, then wait until the screen has settled.

    Args:
        steps: What to do.
        workspace: Where.
        lenient: After the agent: a window or file that is no longer there is its doing, and no failure.

    Raises:
        StepError: A step failed; it says which, why and what it printed.
        DesktopLost: The desktop is gone.
    """
    reports: list[StepReport] = []
    for number, step in enumerate(steps, 1):
        began = time.monotonic()
        missed = ""
        done: RunResult | None = None
        try:
            done = await _do(step, workspace, windows.GONE if lenient else windows.COMES)
        except DesktopLost:
            raise
        except StepFailed as error:
            if not (lenient and isinstance(step, ActivateWindow | CloseWindow | Open)):
                raise StepError(number, step, str(error), error.output) from error
            missed = str(error)
        except (DesktopError, PathRefused, DownloadError, InputError) as error:
            raise StepError(number, step, str(error)) from error
        output = "" if done is None else done.text + done.stderr.decode("utf-8", "replace")
        code = None if done is None else done.returncode
        reports.append(StepReport(step.type, time.monotonic() - began, code, output[:10_000], missed))
    if steps:
        await workspace.desktop.wait_for(Settled())
    return tuple(reports)


async def _do(step: Step, workspace: Workspace, patience: float) -> RunResult | None:
    match step:
        case Launch():
            return await programs.launch(step, workspace)
        case Execute():
            return await programs.execute(step, workspace)
        case Open():
            return await programs.open_path(step, workspace)
        case Download():
            return await files.download(step, workspace)
        case UploadFile():
            return await files.upload(step, workspace)
        case ActivateWindow():
            return await windows.activate(step, workspace, within=patience)
        case CloseWindow():
            return await windows.close(step, workspace, within=patience)
        case Sleep():
            await asyncio.sleep(step.parameters.seconds)
            return None
        case ChromeOpenTabs():
            return await tabs.open_tabs(step, workspace)
        case OtherStep():
            raise StepFailed(f"Trueline cannot do steps of the type {step.type!r}")
