"""Numbers that flags take."""

from __future__ import annotations

import argparse
import math


def positive(word: str) -> float:
    """Parse a positive number."""
    value = float(word)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be greater than 0, not {word}")
    return value


def count(word: str) -> int:
    """Parse a positive integer."""
    value = int(word)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be greater than 0, not {word}")
    return value
