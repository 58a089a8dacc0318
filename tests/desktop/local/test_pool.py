"""Whoever waits for a desktop of the pool may give up at any moment; none is left behind."""

from __future__ import annotations

import asyncio

from trueline.desktop.local import LocalOptions, Pool
from trueline.desktop.local.running import Running


def test_giving_up_at_any_moment_leaks_no_desktop(machine: None, runner: asyncio.Runner) -> None:
    came: list[Running] = []

    def note(task: asyncio.Task[Running]) -> None:
        if not task.cancelled() and task.exception() is None:
            came.append(task.result())

    async def give_up(pool: Pool, *, ready: bool) -> None:
        (coming,) = pool._coming
        coming.add_done_callback(note)
        if ready:  # it is up and being looked at
            await asyncio.wait([coming])
        taking = asyncio.create_task(pool.take())
        if ready:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            taking.cancel()
        else:  # it comes up: ours is called before whoever waits gets it
            coming.add_done_callback(lambda _: taking.cancel())
        await asyncio.wait([taking])
        assert taking.cancelled()

    async def work() -> None:
        async with Pool(LocalOptions(width=640, height=480), size=1) as pool:
            await give_up(pool, ready=False)
            await give_up(pool, ready=True)

    runner.run(asyncio.wait_for(work(), 60))
    assert len(came) == 2
    for running in came:
        assert running.sandbox._started.process.returncode is not None, "its supervisor still runs"
