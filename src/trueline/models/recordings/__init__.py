"""Recordings: requests and answers written to a file, and replayed without a network."""

from trueline.models.recordings.entry import RecordingError
from trueline.models.recordings.record import RecordingModel
from trueline.models.recordings.replay import ReplayModel, UnseenRequestError

__all__ = ["RecordingError", "RecordingModel", "ReplayModel", "UnseenRequestError"]
