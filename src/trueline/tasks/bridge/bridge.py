"""OSWorld's evaluators for a whole run: one worker, started when it is first needed and again after it broke."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from trueline.desktop.types import Desktop
from trueline.errors import TruelineError
from trueline.tasks.bridge.environment import OSWorldEnvironment, find_environment
from trueline.tasks.bridge.evaluation import BridgedEvaluation, BridgedTask, open_evaluation
from trueline.tasks.bridge.sandbox import EvaluationLimits
from trueline.tasks.bridge.worker import BridgeWorker


class Bridge:
    """An async context manager; leaving it ends the worker. One event loop uses it."""

    def __init__(
        self, environment: OSWorldEnvironment | Path | None = None, *, limits: EvaluationLimits | None = None
    ) -> None:
        """Start nothing yet.

        Args:
            environment: Where OSWorld's package is; by default the one that `install-osworld` made.
            limits: Limits of each evaluation.
        """
        self._environment = environment
        self._limits = limits or EvaluationLimits()
        self._worker: BridgeWorker | None = None
        self._starting = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Bridge:
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait((self._warming,))
        if self._worker is not None:
            await self._worker.close()

    def warm(self) -> None:
        """Start the worker in the background, so that the first evaluation need not wait for it."""

        async def start() -> None:
            with suppress(TruelineError):  # whoever needs the worker is told
                await self.worker()

        if self._warming is None:
            self._warming = asyncio.create_task(start())

    async def worker(self) -> BridgeWorker:
        """The worker, started if it is not running.

        Raises:
            InputError: The environment is missing, or this machine cannot run the sandbox.
        """
        async with self._starting:
            if self._worker is None or self._worker.ended:
                if self._worker is not None:
                    await self._worker.close()
                found = self._environment
                environment = found if isinstance(found, OSWorldEnvironment) else find_environment(found)
                self._worker = await BridgeWorker.start(environment, self._limits)
            return self._worker

    @asynccontextmanager
    async def evaluation(
        self, desktop: Desktop | None, task: BridgedTask, files: Mapping[str, bytes] | None = None
    ) -> AsyncGenerator[BridgedEvaluation]:
        """Start an evaluation in a process of its own; see `open_evaluation`.

        Raises:
            InputError: OSWorld's evaluators cannot run here.
            CheckerError: It cannot be started.
        """
        worker = await self.worker()
        async with open_evaluation(worker, desktop, task, files or {}, self._limits.seconds) as evaluation:
            yield evaluation
