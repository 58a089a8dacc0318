"""`binary_retry`: the agent is told that it failed, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.runs.prompt_files import BINARY_RETRY, read_prompt
from trueline.runs.types import FailedTry, UserMessage


@dataclass(frozen=True)
class BinaryRetry:
    """Tells the agent that it failed."""

    max_retries: int
    max_total_steps: int | None = None

    async def after(self, tried: FailedTry) -> UserMessage | None:
        """The user's message before the next try; `None` when no retries are left."""
        return UserMessage(read_prompt(BINARY_RETRY)) if tried.number <= self.max_retries else None
