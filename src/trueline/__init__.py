"""Trueline measures computer-use agents and keeps them on task."""

__version__ = "0.1.0"
