"""Scores read from result folders, as runs and as tables."""
