"""The guard offline: over MisActBench, with the files of DeAction, resumable at any moment."""

from trueline.guard.bench.cases import Key, Source, read_sources
from trueline.guard.bench.connection_watch import ConnectionWatch, UnreachableError, WatchedModel, WatchedRetry
from trueline.guard.bench.evaluate import run_bench, steps_left
from trueline.guard.bench.store import Store

__all__ = [
    "ConnectionWatch",
    "Key",
    "Source",
    "Store",
    "UnreachableError",
    "WatchedModel",
    "WatchedRetry",
    "read_sources",
    "run_bench",
    "steps_left",
]
