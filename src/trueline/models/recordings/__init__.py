"""Runs turned into fixtures: what was asked and answered, written down, and answered again without a network."""

from trueline.models.recordings.entry import Entry, RecordingError, read_recording
from trueline.models.recordings.record import RecordingModel
from trueline.models.recordings.replay import ReplayModel, UnseenRequestError

__all__ = ["Entry", "RecordingError", "RecordingModel", "ReplayModel", "UnseenRequestError", "read_recording"]
