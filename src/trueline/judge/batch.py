"""Judge many episodes concurrently, and skip those that are judged already."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from trueline.errors import TruelineError
from trueline.judge.files import find_judgment, judgment_folder, make_inside, read_meta, write_judgment
from trueline.judge.judge_episode import JudgeResult, compare_with_earlier, is_outdated, judge_episode, new_meta
from trueline.judge.panel import dissent, majority
from trueline.judge.setup import JudgeSetup
from trueline.judge.types import Judge, canonical_judge, panel_of
from trueline.records.folder.files import DiskFullError
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.usage import total_usage
from trueline.text import printable


async def judge_episodes(
    episodes: Iterable[Path], setup: JudgeSetup, report: Callable[[JudgeResult], None], *, workers: int
) -> None:
    """Judge each episode by all judges, and by their panel if there are several.

    Args:
        episodes: Their folders.
        setup: The judges, their models and options.
        report: Called with each result as it comes, after the result was written to disk.
        workers: Number of episodes judged at the same time.

    Raises:
        DiskFullError: The disk is full; results that were reported are kept.
    """
    waiting: Iterator[Path] = iter(episodes)

    async def work() -> None:
        for episode in waiting:
            await _judge_episode(episode, setup, report)

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _judge_episode(episode: Path, setup: JudgeSetup, report: Callable[[JudgeResult], None]) -> None:
    try:
        trajectory = await asyncio.to_thread(read_episode, episode)
    except TruelineError as fault:
        judges = [*setup.judges, *([panel_of(setup.judges)] if len(setup.judges) > 1 else [])]
        for judge in judges:
            report(JudgeResult(episode, judge, error=printable(str(fault), 2000)))
        return
    results = await asyncio.gather(*(_judge_unless_judged(trajectory, judge, setup, report) for judge in setup.judges))
    if len(results) > 1:
        report(await _panel(trajectory, results))


async def _judge_unless_judged(
    trajectory: Trajectory, judge: Judge, setup: JudgeSetup, report: Callable[[JudgeResult], None]
) -> JudgeResult:
    found = {canonical_judge(by): judgment for by, judgment in trajectory.judgments.items()}
    earlier = None if setup.again else find_judgment(trajectory.folder, judge, found)
    if earlier is None or await asyncio.to_thread(is_outdated, trajectory, judge):
        result = await judge_episode(trajectory, judge, setup)
    else:
        notes = await compare_with_earlier(trajectory, judge, setup)
        result = JudgeResult(trajectory.folder, judge, earlier, judged_before=True, warnings=tuple(notes))
    report(result)
    return result


async def _panel(trajectory: Trajectory, results: Iterable[JudgeResult]) -> JudgeResult:
    """The judgment of the majority, once every member has judged."""
    began = time.perf_counter()
    parts = list(results)
    judge = panel_of([part.judge for part in parts])
    failed = [part.judge for part in parts if part.judgment is None]
    if failed:
        error = f"the panel is incomplete: no judgment by {', '.join(map(str, failed))}"
        return JudgeResult(trajectory.folder, judge, error=error)
    given = {part.judge: part.judgment for part in parts if part.judgment is not None}
    judgment = majority(given)
    if all(part.judged_before for part in parts) and trajectory.judgments.get(judge.by) == judgment:
        return JudgeResult(trajectory.folder, judge, judgment, judged_before=True)
    metas = [await asyncio.to_thread(read_meta, trajectory.folder, part.judge) for part in parts]
    meta = new_meta(judge).model_copy(
        update={
            "judgment": judgment,
            "members": tuple(dissent(given)),
            "usage": total_usage(item and item.usage + item.caption_usage for item in metas),
        }
    )
    try:
        await asyncio.to_thread(make_inside, trajectory.folder, judgment_folder(trajectory.folder, judge))
        await asyncio.to_thread(write_judgment, trajectory.folder, judge, judgment, meta)
    except DiskFullError:
        raise
    except (TruelineError, OSError) as fault:
        return JudgeResult(trajectory.folder, judge, error=printable(str(fault)))
    return JudgeResult(trajectory.folder, judge, judgment, seconds=time.perf_counter() - began)
