"""Proves that tasks can be solved: a scripted end state of each scores 1, and the untouched desktop does not.

    .venv/bin/python benchmarks/tasks/end_states/run.py INDEX [--tasks ID ...] [--out FILE] [--write]

INDEX is OSWorld's `test_all.json` beside its `examples`; downloads are replaced by generated stand-ins. Each task runs
on a local desktop: set-up, score, again from the start set-up, end state, score. One JSON line per task is appended to
the output, and tasks that are there are not run again. `--write` makes docs/reference/end-states.md and claimed.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import applications
import browser
import commands
import editor
import files
import images
from table import PAGE, page
from trial import Trial, open_trials

from trueline.tasks.suite import SuiteTask, load_refs, open_index

RULES = (applications, browser, commands, editor, files, images)
"""The modules that register rules."""


CLAIMED = Path(__file__).with_name("claimed.json")
"""Ids of the tasks whose end state scored 1 and whose untouched desktop did not, as of the docs' table."""


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score scripted end states of OSWorld's tasks on local desktops")
    parser.add_argument("index", type=Path, help="OSWorld's test_all.json")
    parser.add_argument("--tasks", nargs="+", metavar="ID", help="only tasks whose ids begin like this")
    parser.add_argument("--domains", nargs="+", metavar="DOMAIN", help="only these domains")
    parser.add_argument("--claimed", action="store_true", help="only tasks that the docs' table counts as solved")
    parser.add_argument("--out", type=Path, default=Path("end-states.jsonl"), help="one JSON line per task")
    parser.add_argument("--again", action="store_true", help="run tasks again that did not score 1")
    parser.add_argument("--write", action="store_true", help="write the table of the docs from the output")
    return parser.parse_args()


def read(path: Path) -> dict[str, Trial]:
    """The last line of each task."""
    if not path.exists():
        return {}
    return {trial.task: trial for trial in (Trial(**json.loads(line)) for line in path.read_text("utf-8").splitlines())}


def chosen(asked: argparse.Namespace, known: dict[str, Trial]) -> list[SuiteTask]:
    """The tasks to run."""
    found: list[SuiteTask] = []
    claimed = set(json.loads(CLAIMED.read_text("utf-8"))) if asked.claimed else set[str]()
    for task in load_refs(open_index(asked.index, None).refs).whole():
        if asked.domains and task.ref.domain not in asked.domains:
            continue
        if asked.tasks and not task.task.id.startswith(tuple(asked.tasks)):
            continue
        if asked.claimed and task.task.id not in claimed:
            continue
        before = known.get(task.task.id)
        if before is None or (asked.again and not before.proves):
            found.append(task)
    return found


def append(trial: Trial, out: Path) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(trial.row(), ensure_ascii=False) + "\n")


async def run(tasks: list[SuiteTask], out: Path) -> None:
    async with open_trials(out.parent) as trials:
        for task in tasks:
            trial = await trials.run(task)
            append(trial, out)
            print(f"{trial.domain}/{trial.task[:8]} {trial.scorer} {trial.untouched} -> {trial.score} "
                  f"({trial.seconds:g} s) {trial.why}", flush=True)  # fmt: skip


def main() -> int:
    asked = parse()
    asked.out.resolve().parent.mkdir(parents=True, exist_ok=True)
    tasks = chosen(asked, read(asked.out))
    if tasks:
        asyncio.run(run(tasks, asked.out.resolve()))
    trials = read(asked.out)
    print(f"{sum(trial.proves for trial in trials.values())} of {len(trials)} tasks; load {os.getloadavg()[0]:.1f}")
    if asked.write:
        PAGE.write_text(page(list(trials.values())), "utf-8")
        solved = sorted(trial.task for trial in trials.values() if trial.proves)
        CLAIMED.write_text(json.dumps(solved, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
