"""The guard offline: over MisActBench, with the files of DeAction, resumable at any moment."""

from trueline.guard.bench.cases import LabelledTrajectory, read_sources
from trueline.guard.bench.connection_watch import ModelsUnreachableError

__all__ = [
    "LabelledTrajectory",
    "ModelsUnreachableError",
    "read_sources",
]
