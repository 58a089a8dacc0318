"""Recordings: requests and answers written to a file, and replayed without a network."""

from trueline.models.recordings.record import RecordingModel
from trueline.models.recordings.replay import ReplayModel

__all__ = [
    "RecordingModel",
    "ReplayModel",
]
