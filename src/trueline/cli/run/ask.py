"""A person at the terminal is asked whether a proposal may run."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from trueline.text import printable

if TYPE_CHECKING:
    from trueline.guard.session import Outcome
    from trueline.runs.types import Ask


def person() -> Ask | None:
    """Who can be asked; `None` when nobody sits at a terminal."""
    return _ask if sys.stdin.isatty() and sys.stderr.isatty() else None


async def _ask(outcome: Outcome) -> bool:
    from trueline.guard.wording import action_text

    lines = [
        f"The guard says {outcome.verdict.decision.value}: {printable(outcome.verdict.reason, 500)}",
        *(f"  {printable(line, 200)}" for line in action_text(outcome.proposal.actions).splitlines()[:20]),
        "Let it run? Type yes: ",
    ]
    print("\n".join(lines), end="", file=sys.stderr, flush=True)
    answer = await asyncio.to_thread(sys.stdin.readline)
    return answer.strip().lower() == "yes"
