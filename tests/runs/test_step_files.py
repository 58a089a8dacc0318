"""A step of `trueline run --guard policy` runs in the files that docs/concepts/architecture.md lists, and no others."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from contextlib import nullcontext
from pathlib import Path
from types import CodeType, FrameType

import trueline
from support.small_suite import write_suite
from trueline.desktop.local import LocalDesktop
from trueline.records import EpisodeRecord, EpisodeWriter, read_episode
from trueline.runs.execute import execute
from trueline.runs.prepare import open_run
from trueline.runs.request import RunRequest
from trueline.runs.step import run_step

SOURCE = Path(trueline.__file__).parent
PAGE = SOURCE.parents[1] / "docs" / "concepts" / "architecture.md"
MOST_FILES = 12

WRITE = "I type it.\n```python\npyautogui.write('hello\\n')\npyautogui.hotkey('ctrl', 's')\n```"
DELETE = "```python\nimport subprocess\nsubprocess.run('rm -rf ~/Documents', shell=True)\n```"
ANSWERS = (DELETE, WRITE, DELETE, DELETE, "```\nDONE\n```")
"""A step that is revised, one of which nothing may run, and one that ends the episode."""


class StepTrace:
    """The files of `runs`, `agents` and `guard` (policy stage aside) in which a function runs during a step."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.steps = 0
        self._in_step = False

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of a call, as `sys.setprofile` wants it."""
        code = frame.f_code
        if event == "call" and code is run_step.__code__:
            self._in_step = True
        if self._in_step and event == "call" and (name := traced_file(code)):
            self.files.add(name)
        if event == "return" and (code.co_filename, code.co_name) == (execute.__code__.co_filename, "_record"):
            self._in_step = False
            self.steps += 1


def traced_file(code: CodeType) -> str | None:
    path = Path(code.co_filename)
    if not path.is_relative_to(SOURCE) or code.co_name == "<module>":
        return None
    name = path.relative_to(SOURCE).as_posix()
    return None if name.startswith("guard/policy/") or not name.startswith(("runs/", "agents/", "guard/")) else name


def play_traced(folder: Path, desktop: LocalDesktop, runner: asyncio.Runner, trace: StepTrace) -> EpisodeRecord:
    script = folder / "model.json"
    script.write_text(json.dumps({"rules": [{"answers": [{"text": text} for text in ANSWERS]}]}))
    request = RunRequest(
        suite=str(write_suite(folder / "suite", "t0")),
        model=f"scripted|{script}",
        observation_type="screenshot_a11y_tree",
        guard="policy",
        guard_max_revisions=1,
        guard_exhausted="skip",
        screen_width=1024,
        screen_height=768,
        result_dir=folder / "results",
    )

    async def play() -> None:
        async with open_run(request) as run:
            (job,) = run.jobs
            writer = EpisodeWriter(folder / "episode", job.begin())
            writer.finish(await job.play(desktop, writer, nullcontext))

    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        runner.run(play())
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return read_episode(folder / "episode").record


def listed_files() -> list[str]:
    """The first column of the table of a step's files."""
    table = PAGE.read_text("utf-8").partition("| file | what it does in a step |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)


def test_a_step_runs_in_the_files_that_the_architecture_lists(
    tmp_path: Path, desktop: LocalDesktop, runner: asyncio.Runner
) -> None:
    trace = StepTrace()
    record = play_traced(tmp_path, desktop, runner, trace)
    assert (record.end, record.score, trace.steps) == ("done", 1.0, 3)
    assert [[attempt.ran for attempt in step.attempts] for step in record.steps] == [[False, True], [False] * 2, [True]]
    assert sorted(trace.files) == sorted(listed_files())
    assert len(trace.files) <= MOST_FILES
