"""Watching a live desktop in a browser."""

from trueline.desktop.watch.watching import watching

__all__ = ["watching"]
