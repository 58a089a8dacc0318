"""Writes misactbench.json in the shape of the published set."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from trueline.records.interchange.misactbench.model import Benchmark, BenchmarkTrajectory
from trueline.records.interchange.strict_json import write_json

BENCHMARK_FILE = "misactbench.json"


def dump_trajectory(trajectory: BenchmarkTrajectory) -> dict[str, JsonValue]:
    """One entry of the file: steps as an object keyed by their number, with the keys that each was given."""
    data = trajectory.model_dump(mode="json")
    data["steps"] = {str(step.step_idx): step.model_dump(mode="json", exclude_unset=True) for step in trajectory.steps}
    return data


def dump_benchmark(benchmark: Benchmark) -> dict[str, JsonValue]:
    """The whole file: an object keyed by trajectory id."""
    return {trajectory.trajectory_id: dump_trajectory(trajectory) for trajectory in benchmark.trajectories}


def write_benchmark(path: Path, benchmark: Benchmark) -> None:
    """Write the file by atomic rename."""
    write_json(path, dump_benchmark(benchmark))
