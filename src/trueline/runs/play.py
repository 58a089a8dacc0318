"""Run a request from Python: `run` waits for the result, `run_async` tells what happens on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from trueline.blocking import run_blocking
from trueline.errors import RequestError
from trueline.extras import require_extra
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.batch.types import BatchEvent, BatchResult, Report
from trueline.runs.judging import judge_run
from trueline.runs.manifest import write_manifest
from trueline.runs.prepare import Run, claim_folders, open_run
from trueline.runs.request import RunRequest
from trueline.runs.request_file import make_request
from trueline.runs.result import RunResult

if TYPE_CHECKING:
    from trueline.guard.correction import Ask

Asking = Callable[[str], "Ask"]
"""Returns who is asked about the proposals of the episode of this name."""


async def play(request: RunRequest, run: Run, report: Report) -> BatchResult:
    """Play all episodes of a run that are not done yet, and write its manifest.

    Args:
        request: As it was given, before defaults were put in.
        run: What was made of it.
        report: Is told what happens.

    Raises:
        SettingClash: The result folder holds results of another setting.
    """
    claim_folders(run)
    write_manifest(request, run)
    return await run_batch(run.jobs, run.open_desktop, run.options, report)


def run(
    request: RunRequest | None = None,
    /,
    *,
    ask: Asking | None = None,
    report: Report | None = None,
    **fields: object,
) -> RunResult:
    """Run tasks on desktops and return the result; call it again to resume.

    Where the request names a judge, it judges the episodes afterwards (`RunResult.judging`). Works in a notebook as
    well, where an event loop runs already. Ctrl-C interrupts it; what was played is kept.

    Args:
        request: What to run.
        ask: From an episode's name to who is asked, where the request wants a person to decide.
        report: Is told what happens, from another thread where an event loop runs already.
        fields: Fields of `RunRequest`; with a request, they replace its own. `agent` and `guard` may be classes.

    Raises:
        InputError: Something that is asked for is missing or wrong; nothing was started.
    """
    request = _request(request, fields)
    return run_blocking(_run(request, ask, report or _ignore))


async def run_async(
    request: RunRequest | None = None, /, *, ask: Asking | None = None, **fields: object
) -> AsyncGenerator[BatchEvent | RunResult]:
    """Like `run`, as an iterator over progress events; the last item is the `RunResult`.

    Leaving the loop early interrupts the run: close the iterator (`contextlib.aclosing`) to wait for that.
    """
    request = _request(request, fields)
    news: asyncio.Queue[BatchEvent | RunResult | None] = asyncio.Queue()

    async def work() -> None:
        try:
            news.put_nowait(await _run(request, ask, news.put_nowait))
        finally:
            news.put_nowait(None)

    task = asyncio.create_task(work())
    try:
        while (item := await news.get()) is not None:
            yield item
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _run(request: RunRequest, ask: Asking | None, report: Report) -> RunResult:
    require_extra("desktop", "running tasks")
    async with open_run(request, ask=ask) as prepared:
        result = RunResult.from_batch(prepared, await play(request, prepared, report))
    return replace(result, judging=await judge_run(prepared.request, result.spent))


def _request(request: RunRequest | None, fields: dict[str, object]) -> RunRequest:
    """The request with these fields over it."""
    for name in ("agent", "guard"):
        if isinstance(fields.get(name), type):
            fields[name] = _import_path(fields[name])
    before = {} if request is None else request.model_dump(exclude_unset=True)
    return make_request({**before, **fields})


def _import_path(made_by: object) -> str:
    """The import path of a class."""
    name: str = getattr(made_by, "__qualname__", "")
    if "<locals>" in name:
        raise RequestError(f"{name}: a class defined in a function cannot be imported again; define it at module level")
    return f"{getattr(made_by, '__module__', '')}:{name}"


def _ignore(_: BatchEvent) -> None:
    pass
