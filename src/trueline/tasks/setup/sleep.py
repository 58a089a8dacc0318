"""The step that waits."""

from __future__ import annotations

import asyncio

from trueline.tasks.model.steps import SleepParameters
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace


async def _sleep(parameters: SleepParameters, _: Workspace) -> None:
    await asyncio.sleep(parameters.seconds)


SLEEP = StepKind.typed(SleepParameters, _sleep)
