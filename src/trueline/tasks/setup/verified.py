"""The step that runs a program and waits until its effect is there."""

from __future__ import annotations

import asyncio
import time

from trueline.desktop.types import CommandResult
from trueline.tasks.commands import argv_of, run_command
from trueline.tasks.model import is_true
from trueline.tasks.model.steps import VerifiedParameters, WantedEffect
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace


async def _execute(parameters: VerifiedParameters, workspace: Workspace) -> CommandResult:
    argv = argv_of(parameters.command, shell=is_true(parameters.shell), workspace=workspace)
    done = await run_command(workspace, argv)
    end = time.monotonic() + parameters.max_wait_time
    while True:
        lacking = await _lacking(parameters.verification, workspace)
        if not lacking:
            return done
        if time.monotonic() > end:
            output = done.text + done.stderr.decode("utf-8", "replace")
            raise StepFailed(f"not verified within {parameters.max_wait_time:g} s: {lacking}", output)
        await asyncio.sleep(min(parameters.check_interval, 1.0))


async def _lacking(wanted: WantedEffect, workspace: Workspace) -> str:
    """What is not as it should be; empty if all is."""
    if wanted.window_exists is not None:
        titles = [window.title for window in await workspace.desktop.windows()]
        if not any(wanted.window_exists.lower() in title.lower() for title in titles):
            return f"no window {wanted.window_exists!r}; there are {titles}"
    if wanted.command_success is not None:
        argv = ("/bin/sh", "-c", workspace.fill_placeholders(wanted.command_success))
        done = await workspace.desktop.run(argv, time_limit=10.0)
        if done.returncode != 0:
            return f"{wanted.command_success!r} exited with code {done.returncode}"
    return ""


EXECUTE_WITH_VERIFICATION = StepKind.typed(VerifiedParameters, _execute)
