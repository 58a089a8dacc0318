"""The step that adds visits to the browser's history."""

from __future__ import annotations

import json

from trueline.tasks.model.steps import HistoryParameters
from trueline.tasks.setup.inside_programs import run_inside
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace


async def _update_history(parameters: HistoryParameters, workspace: Workspace) -> None:
    """Write into the browser's own file, which it reads when it starts."""
    visits = json.dumps([visit.model_dump() for visit in parameters.history]).encode()
    failed = "the history could not be changed"
    await run_inside(workspace, "browse_history.py", stdin=visits, time_limit=30.0, failed=failed)


UPDATE_BROWSE_HISTORY = StepKind.typed(HistoryParameters, _update_history, files_only=True)
