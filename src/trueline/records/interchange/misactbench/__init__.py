"""MisActBench and the files of DeAction that go with it.

`read_benchmark` and `write_benchmark` for the labelled trajectories, `find_screens` for their pictures,
`read_results`/`write_results` and `read_narratives`/`write_narratives` for what a detector leaves behind.
"""

from trueline.records.interchange.misactbench.from_episodes import export_benchmark
from trueline.records.interchange.misactbench.model import START, Benchmark, BenchmarkStep, BenchmarkTrajectory
from trueline.records.interchange.misactbench.read import Unreadable, read_benchmark
from trueline.records.interchange.misactbench.results import (
    MISSING_LABEL,
    MISSING_PRE_SCREENSHOT,
    Evaluation,
    NarrativeCache,
    NarrativeSummary,
    ResultStep,
    ResultTrajectory,
    read_narratives,
    read_results,
    write_narratives,
    write_results,
)
from trueline.records.interchange.misactbench.screens import Screens, find_screens
from trueline.records.interchange.misactbench.to_episodes import import_benchmark
from trueline.records.interchange.misactbench.write import write_benchmark

__all__ = [
    "MISSING_LABEL",
    "MISSING_PRE_SCREENSHOT",
    "START",
    "Benchmark",
    "BenchmarkStep",
    "BenchmarkTrajectory",
    "Evaluation",
    "NarrativeCache",
    "NarrativeSummary",
    "ResultStep",
    "ResultTrajectory",
    "Screens",
    "Unreadable",
    "export_benchmark",
    "find_screens",
    "import_benchmark",
    "read_benchmark",
    "read_narratives",
    "read_results",
    "write_benchmark",
    "write_narratives",
    "write_results",
]
