"""Desktops started ahead of need."""

from __future__ import annotations

import asyncio
from typing import Self

from trueline.desktop.local.descriptors import needs_descriptors
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.ownership import owner
from trueline.desktop.local.perturbed_template import perturbed_template
from trueline.desktop.local.ready_template import ready_template
from trueline.desktop.local.running import Running
from trueline.desktop.types import DesktopError


async def start_running(options: LocalOptions) -> Running:
    """Start a desktop from the machine's ready template.

    Raises:
        DesktopUnavailable: This machine cannot; the message names what is missing.
        DesktopError: Too many files are open.
    """
    with needs_descriptors("starting a desktop"):
        template = await asyncio.to_thread(perturbed_template, await ready_template(), options.perturbation, owner())
        return await Running.start(options, template)


class Pool:
    """Keeps `size` desktops of the same options up and waiting; one that is taken is replaced in the background."""

    def __init__(self, options: LocalOptions | None = None, size: int = 1) -> None:
        """Set it up; entering starts the first desktops in the background."""
        self.options = options or LocalOptions()
        self.size = size
        self._coming: list[asyncio.Task[Running]] = []

    async def __aenter__(self) -> Self:
        self._fill()
        return self

    async def __aexit__(self, *exc: object) -> None:
        coming, self._coming, self.size = self._coming, [], 0
        for done in await asyncio.gather(*coming, return_exceptions=True):
            if isinstance(done, Running):
                await done.stop()

    async def take(self) -> Running:
        """Return a desktop that is up, waiting for one if need be; it is the caller's to stop.

        Raises:
            DesktopUnavailable: This machine cannot start one.
        """
        while True:
            self._fill()
            if not self._coming:
                return await start_running(self.options)
            ready = [task for task in self._coming if task.done()]
            task = (ready or self._coming)[0]
            self._coming.remove(task)
            self._fill()
            try:
                running = await task
                await running.windows()
            except BaseException as error:
                # Whoever waited may have given up in the very moment in which it came up: it is nobody's then.
                came = task.done() and not task.cancelled() and task.exception() is None
                if came:
                    await task.result().stop()
                if came and isinstance(error, DesktopError):
                    continue  # it was lost while it waited
                raise
            return running

    async def ready(self) -> None:
        """Wait until all that are being started are up."""
        self._fill()
        if self._coming:
            await asyncio.wait(self._coming)

    def _fill(self) -> None:
        while len(self._coming) < self.size:
            self._coming.append(asyncio.get_running_loop().create_task(start_running(self.options)))
