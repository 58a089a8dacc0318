"""Recordings: requests and answers written to a file, and replayed without a network."""

from trueline.models.recordings.entry import Entry, RecordingError, read_recording
from trueline.models.recordings.record import RecordingModel
from trueline.models.recordings.replay import ReplayModel, UnseenRequestError

__all__ = ["Entry", "RecordingError", "RecordingModel", "ReplayModel", "UnseenRequestError", "read_recording"]
