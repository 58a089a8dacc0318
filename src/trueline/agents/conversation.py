"""What agents tell their models in a conversation; the words are in `prompts/turns.v1.md`."""

from __future__ import annotations

from trueline.models.prompt_files import Phrases
from trueline.records.verdict import Feedback

PACKAGE = "trueline.agents"
TURNS = "turns.v1"

phrase = Phrases(PACKAGE, TURNS)


def task_message(instruction: str, plan: str | None) -> str:
    """The message that tells the agent its task."""
    task = phrase("task", instruction=instruction)
    return f"{task}\n\n{phrase('plan', plan=plan)}" if plan else task


def feedback_message(feedback: Feedback) -> str:
    """The message that tells the agent why its proposal was rejected."""
    parts = [phrase("rejected", wrong=feedback.wrong)]
    if feedback.misled_by:
        parts.append(phrase("misled", by=feedback.misled_by))
    if feedback.instead:
        parts.append(phrase("instead", instead=feedback.instead))
    return "\n".join(parts)
