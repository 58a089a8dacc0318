"""Many episodes before their judges, side by side, skipping what is judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from trueline.errors import TruelineError
from trueline.judge.bench import Bench
from trueline.judge.files import find_judgment, judgment_folder, make_inside, read_meta, write_judgment
from trueline.judge.one import Outcome, judge_one, judged_otherwise, new_meta, outdated
from trueline.judge.panel import dissent, majority
from trueline.judge.types import Judge, known_by, panel_of
from trueline.records.folder.files import DiskFullError
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.usage import total_usage
from trueline.text import printable


async def judge_all(episodes: Iterable[Path], bench: Bench, report: Callable[[Outcome], None], *, workers: int) -> None:
    """Judge episodes, each by all judges of the bench, and their panel where there are several.

    Args:
        episodes: Their folders.
        bench: Judges, models and choices.
        report: Is told of each outcome as it comes; what it was told is on disk, whatever happens then.
        workers: How many episodes are judged at the same time.

    Raises:
        DiskFullError: There is no room; what was reported is kept.
    """
    waiting: Iterator[Path] = iter(episodes)

    async def work() -> None:
        for episode in waiting:
            await _judge_episode(episode, bench, report)

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _judge_episode(episode: Path, bench: Bench, report: Callable[[Outcome], None]) -> None:
    try:
        trajectory = await asyncio.to_thread(read_episode, episode)
    except TruelineError as fault:
        judges = [*bench.judges, *([panel_of(bench.judges)] if len(bench.judges) > 1 else [])]
        for judge in judges:
            report(Outcome(episode, judge, error=printable(str(fault), 2000)))
        return
    outcomes = await asyncio.gather(*(_judge_unless_judged(trajectory, judge, bench, report) for judge in bench.judges))
    if len(outcomes) > 1:
        report(await _panel(trajectory, outcomes))


async def _judge_unless_judged(
    trajectory: Trajectory, judge: Judge, bench: Bench, report: Callable[[Outcome], None]
) -> Outcome:
    found = {known_by(by): judgment for by, judgment in trajectory.judgments.items()}
    earlier = None if bench.again else find_judgment(trajectory.folder, judge, found)
    if earlier is None or await asyncio.to_thread(outdated, trajectory, judge):
        outcome = await judge_one(trajectory, judge, bench)
    else:
        notes = await judged_otherwise(trajectory, judge, bench)
        outcome = Outcome(trajectory.folder, judge, earlier, before=True, warnings=tuple(notes))
    report(outcome)
    return outcome


async def _panel(trajectory: Trajectory, outcomes: Iterable[Outcome]) -> Outcome:
    """The majority of the members, once every one of them has judged."""
    began = time.perf_counter()
    parts = list(outcomes)
    judge = panel_of([part.judge for part in parts])
    failed = [part.judge for part in parts if part.judgment is None]
    if failed:
        error = f"the panel is not complete: no judgment by {', '.join(map(str, failed))}"
        return Outcome(trajectory.folder, judge, error=error)
    given = {part.judge: part.judgment for part in parts if part.judgment is not None}
    judgment = majority(given)
    if all(part.before for part in parts) and trajectory.judgments.get(judge.by) == judgment:
        return Outcome(trajectory.folder, judge, judgment, before=True)
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
        return Outcome(trajectory.folder, judge, error=printable(str(fault)))
    return Outcome(trajectory.folder, judge, judgment, seconds=time.perf_counter() - began)
