"""Trueline measures computer-use agents and keeps them on task.

The names below are the public Python API; everything else is private. They are imported when they are first used, so
that `import trueline` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueline.agents.types import Agent
    from trueline.desktop.open import open_desktop
    from trueline.guard.guarded import guarded
    from trueline.guard.registry import open_guard
    from trueline.guard.types import Guard
    from trueline.judge.api import judge, judge_async
    from trueline.judge.report import JudgeReport
    from trueline.judge.request import JudgeRequest
    from trueline.models.build import open_model
    from trueline.records.folder.reader import read_episode
    from trueline.runs.play import run, run_async
    from trueline.runs.request import RunRequest
    from trueline.runs.result import RunResult
    from trueline.stats.metrics.api import metrics
    from trueline.stats.metrics.report import MetricsReport
    from trueline.stats.results.read import read_results
    from trueline.tasks.model.task import Task
    from trueline.tasks.suite import Suite, load_suite

__version__ = "0.1.0"

_PUBLIC = {
    "Agent": "trueline.agents.types",
    "Guard": "trueline.guard.types",
    "JudgeReport": "trueline.judge.report",
    "JudgeRequest": "trueline.judge.request",
    "MetricsReport": "trueline.stats.metrics.report",
    "RunRequest": "trueline.runs.request",
    "RunResult": "trueline.runs.result",
    "Suite": "trueline.tasks.suite",
    "Task": "trueline.tasks.model.task",
    "guarded": "trueline.guard.guarded",
    "judge": "trueline.judge.api",
    "judge_async": "trueline.judge.api",
    "load_suite": "trueline.tasks.suite",
    "metrics": "trueline.stats.metrics.api",
    "open_desktop": "trueline.desktop.open",
    "open_guard": "trueline.guard.registry",
    "open_model": "trueline.models.build",
    "read_episode": "trueline.records.folder.reader",
    "read_results": "trueline.stats.results.read",
    "run": "trueline.runs.play",
    "run_async": "trueline.runs.play",
}
__all__ = [
    "Agent",
    "Guard",
    "JudgeReport",
    "JudgeRequest",
    "MetricsReport",
    "RunRequest",
    "RunResult",
    "Suite",
    "Task",
    "__version__",
    "guarded",
    "judge",
    "judge_async",
    "load_suite",
    "metrics",
    "open_desktop",
    "open_guard",
    "open_model",
    "read_episode",
    "read_results",
    "run",
    "run_async",
]


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(_PUBLIC[name])
    # The import itself has set a name that is also a package: `judge`, which can be called.
    found: object = globals().setdefault(name, getattr(module, name))
    return found


def __dir__() -> list[str]:
    return [*globals(), *_PUBLIC]
