"""Progress on stderr while episodes run: a live bar, plain lines or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.batch.types import BatchEvent

Tell = Callable[["BatchEvent"], None]


@contextmanager
def progress(kind: str, *, agent: bool = False) -> Generator[Tell]:
    """Return the function to call for each progress event while the block runs.

    Args:
        kind: `auto`, `rich`, `plain`, `json` or `none`.
        agent: Whether the agent of each episode is named.
    """
    if kind == "auto":
        kind = "rich" if sys.stderr.isatty() else "plain"
    if kind == "rich":
        with _rich(agent) as tell:
            yield tell
    else:
        yield {"plain": partial(_plain, agent), "json": _json}.get(kind, _do_nothing)


def episode_name(path: str, *, agent: bool = False) -> str:
    """An episode's name for people, from its folder: `text_editor/minutes (document: stop_task), run1`.

    Args:
        path: Below the result folder.
        agent: Whether the agent is named, which differs between the episodes of an audit.
    """
    from trueline.records.layout import parse_location

    found = parse_location(Path(path))
    if found is None:
        return path
    unit = found.unit
    injected = f" ({unit.vector}: {unit.goal})" if unit.vector else ""
    run = f", run{found.run}" if found.run else ""
    return f"{unit.domain}/{unit.task}{injected}{run}{f', {found.model}' if agent else ''}"


def line(told: BatchEvent, *, agent: bool = False) -> str:
    """One line for a progress event; hostile text in it is escaped."""
    where = f"[{told.done}/{told.total}] {episode_name(told.path, agent=agent)}"
    match told.what:
        case "ended" | "skipped":
            return printable(f"{where}: {_outcome(told)}", 500)
        case "again":
            return printable(f"{where}: will be tried again ({told.detail})", 500)
        case "paused":
            return printable(f"{where}: the model cannot be reached: {told.detail}", 500)
        case "waiting":
            return printable(f"{where}: {told.detail}", 500)
        case "elsewhere":
            return printable(f"{where}: another process runs it", 500)
        case "files":
            return printable(f"files that tasks download: {told.detail}", 500)
        case "started":
            return printable(f"{where}: started", 500)


def _outcome(told: BatchEvent) -> str:
    record = told.record
    kept = "already there, " if told.what == "skipped" else ""
    if record is None:
        return f"{kept}scored"
    if record.unscored is not None:
        return f"{kept}unscored: {record.unscored.value} {record.detail}"
    seconds = f", {record.timings.total:.1f} s" if record.timings and record.timings.total else ""
    end = record.end.value if record.end else "ended"
    score = "no score" if record.score is None else f"score {record.score:g}"
    return f"{kept}{end}, {score}, {len(record.steps)} steps{seconds}"


def _plain(agent: bool, told: BatchEvent) -> None:
    if told.what != "started":
        print(line(told, agent=agent), file=sys.stderr, flush=True)


def _json(told: BatchEvent) -> None:
    record = told.record
    document = {
        "event": told.what,
        "path": told.path,
        "detail": told.detail,
        "done": told.done,
        "total": told.total,
        "end": record.end.value if record and record.end else None,
        "unscored": record.unscored.value if record and record.unscored else None,
        "score": record.score if record else None,
    }
    print(json.dumps(document), file=sys.stderr, flush=True)


def _do_nothing(_: BatchEvent) -> None:
    pass


@contextmanager
def _rich(agent: bool) -> Generator[Tell]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("episodes", total=None)

        def tell(told: BatchEvent) -> None:
            if told.what != "files":
                bar.update(task, total=told.total, completed=told.done)
            if told.what == "started":
                bar.update(task, description=escape(printable(episode_name(told.path, agent=agent), 60)))
            else:
                bar.console.print(escape(line(told, agent=agent)), highlight=False, soft_wrap=True)

        yield tell
