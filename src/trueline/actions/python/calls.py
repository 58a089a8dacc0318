"""A Python program's effects as the shell commands they amount to."""

from __future__ import annotations

from functools import lru_cache

from trueline.actions.python.effects import UNKNOWN, ProgramEffect, PythonProgram, ShellEquivalent
from trueline.actions.python.program import read_program

__all__ = ["UNKNOWN", "ProgramEffect", "PythonProgram", "ShellEquivalent", "python_calls", "read_source"]


@lru_cache(maxsize=256)
def read_source(source: str) -> PythonProgram:
    """Follow a program; what was read before is remembered, since every check reads earlier steps again."""
    return read_program(source)


def python_calls(source: str) -> tuple[ShellEquivalent, ...]:
    """Return the shell equivalents of a program's effects, in order; what is not understood is unseen."""
    return read_source(source).equivalents
