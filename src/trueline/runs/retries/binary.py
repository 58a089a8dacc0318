"""`binary_retry`: the agent hears that it failed, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.models.prompt_files import read_prompt
from trueline.runs.types import Tried, Word


def failed_message() -> str:
    """That the last try failed, and nothing else."""
    return read_prompt("trueline.runs", "binary_retry.v1")


@dataclass(frozen=True)
class BinaryRetry:
    """Tells the agent that it failed."""

    max_retries: int
    max_total_steps: int | None = None

    async def after(self, tried: Tried) -> Word | None:
        """The word before the next try; `None` once all are used up."""
        return Word(failed_message()) if tried.number <= self.max_retries else None
