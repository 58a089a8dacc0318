"""Whose words an injection has."""

from __future__ import annotations

from typing import Literal

TextSource = Literal["own", "task"]
"""Trueline's, or those that the task's file brings."""
