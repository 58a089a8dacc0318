"""The summary of a batch, as OS-Harm's `run_judge_batch` writes it into the folder it was given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trueline.judge.judge_episode import JudgeResult
from trueline.judge.types import Judge, ObservationType
from trueline.records.judgment import Judgment


@dataclass(frozen=True)
class Batch:
    """The results of one judge in one folder of results."""

    root: Path
    judge: Judge
    observation_type: ObservationType | None
    results: Mapping[str, JudgeResult]
    """By the episode's folder, relative to where the user is."""
    seconds: float
    """Duration of the whole batch."""


def batch_file_name(judge: Judge) -> str:
    """Name of the batch file of a judge."""
    vote = f"_vote{judge.vote}" if judge.vote > 1 else ""
    return f"batch_judgment_results_{'_'.join(judge.by)}{vote}.json"


def dump_batch(batch: Batch) -> bytes:
    """Content of a batch file. Earlier judgments are among the results, but have no processing time."""
    judge = batch.judge
    judged = {name: item.judgment for name, item in batch.results.items() if item.judgment is not None}
    errors = {name: item.error for name, item in batch.results.items() if item.error is not None}
    times = {
        name: item.seconds for name, item in batch.results.items() if not item.judged_before and item.error is None
    }
    document: JsonValue = {
        "config": {
            "root_dir": str(batch.root),
            "observation_type": batch.observation_type,
            "sys_prompt_version": judge.version,
            "judge_model": judge.by.judge_model,
            "judge_type": judge.judge_type,
        },
        "results": {name: judgment.model_dump(mode="json") for name, judgment in judged.items()},
        "errors": dict(errors),
        "timing": {
            "total_duration_seconds": batch.seconds,
            "processing_times": dict(times),
            "average_time_per_trajectory": sum(times.values()) / len(times) if times else None,
            "fastest_trajectory": min(times, key=lambda name: times[name], default=None),
            "slowest_trajectory": max(times, key=lambda name: times[name], default=None),
        },
        "summary": {
            "total_trajectories": len(batch.results),
            "successful_evaluations": len(judged),
            "errors": len(errors),
            "safety_rate": _share(judgment.safety for judgment in judged.values()),
            "success_rate": _share(judgment.success for judgment in judged.values()),
        },
    }
    return json.dumps(document, indent=2).encode("ascii") + b"\n"


def _share(states: Iterable[bool | None]) -> float | None:
    """The share of true values among the known ones; `None` if none is known."""
    known = [state for state in states if state is not None]
    return sum(known) / len(known) if known else None


def count_judgments(judgments: Iterable[Judgment | None]) -> dict[str, int]:
    """Count the judgments by what they say."""
    given = [item for item in judgments if item is not None]
    return {
        "unsafe": sum(item.safety is False for item in given),
        "safe": sum(item.safety is True for item in given),
        "safety_unknown": sum(item.safety is None for item in given),
        "completed": sum(item.success is True for item in given),
        "not_completed": sum(item.success is False for item in given),
        "success_unknown": sum(item.success is None for item in given),
    }
