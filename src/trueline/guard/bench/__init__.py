"""The guard offline: over MisActBench, with the files of DeAction, resumable at any moment."""

from trueline.guard.bench.cases import LabelledTrajectory, StepKey, read_sources
from trueline.guard.bench.connection_watch import ConnectionWatch, ModelsUnreachableError, WatchedModel, WatchedRetry
from trueline.guard.bench.evaluate import run_bench, steps_left
from trueline.guard.bench.store import BenchStore

__all__ = [
    "BenchStore",
    "ConnectionWatch",
    "LabelledTrajectory",
    "ModelsUnreachableError",
    "StepKey",
    "WatchedModel",
    "WatchedRetry",
    "read_sources",
    "run_bench",
    "steps_left",
]
