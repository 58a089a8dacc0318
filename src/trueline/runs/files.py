"""The files that a run's tasks download: fetched before the first desktop starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trueline.records.episode_state import read_state
from trueline.runs.batch.types import BatchEvent, Job, Report
from trueline.runs.prepare import Run
from trueline.tasks.assets import FetchProgress, describe_missing, fetch_files, missing_files

_REPORTS = 10
"""Times that progress is reported."""


async def with_files(run: Run, report: Report) -> tuple[Job, ...]:
    """The jobs of a run, those marked whose files cannot be had; no desktop will be started for them.

    Files of episodes that are done are not fetched. With `offline`, none is.
    """
    lacking = {job: urls for job, urls in _missing(run).items() if not _is_done(run, job)}
    if not lacking:
        return run.jobs
    failed: Mapping[str, str] = {url: "" for urls in lacking.values() for url in urls}
    if not run.downloads.offline:
        report(BatchEvent("files", detail=f"{len(failed)} are fetched first"))

        def told(progress: FetchProgress) -> None:
            if progress.done * _REPORTS // progress.total > (progress.done - 1) * _REPORTS // progress.total:
                report(BatchEvent("files", detail=f"{progress.done} of {progress.total}, {progress.size >> 10:,} KiB"))

        failed = (await fetch_files(failed, run.downloads, told)).failed
    if failed:
        tasks = len({job.location.unit for job, urls in lacking.items() if not failed.keys().isdisjoint(urls)})
        report(BatchEvent("files", detail=f"{len(failed)} are missing, so {tasks} tasks cannot be set up"))
    return tuple(replace(job, missing_files=_why(lacking.get(job, ()), failed)) for job in run.jobs)


def _missing(run: Run) -> dict[Job, Sequence[str]]:
    found = zip(run.jobs, run.planned, strict=True)
    return {
        job: urls
        for job, planned in found
        if not job.unsupported and (urls := missing_files(planned.task.task, run.downloads))
    }


def _is_done(run: Run, job: Job) -> bool:
    folder = run.options.result_dir / job.path
    return not job.rerun and folder.is_dir() and read_state(folder).score is not None


def _why(urls: Sequence[str], failed: Mapping[str, str]) -> str:
    lacking = [url for url in urls if url in failed]
    told = next((failed[url] for url in lacking if failed[url]), "")
    return "; ".join(text for text in (describe_missing(lacking), told) if text)
