"""`clarify_upon_retry`: a simulated user says what went wrong, and is kept from giving the solution away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, JsonValue

from trueline.models import Model, Request, Schema, user
from trueline.models.prompt_files import fill_prompts, read_prompt
from trueline.records.setting import Sampling
from trueline.records.step import Step
from trueline.records.usage import NO_USAGE
from trueline.runs.retries.binary import failed_message
from trueline.runs.retries.leaks import leaks, secrets_of
from trueline.runs.types import FailedTry, UserMessage
from trueline.text import printable

TRIES = 3
"""How often the simulated user is asked before one retry."""
_LONGEST_ACTION = 600
_LONGEST_THOUGHT = 600
_MOST_STEPS = 60
_LONGEST_WORD = 1_500


class UserReply(BaseModel):
    """What the simulated user answers."""

    thought: str
    message: str


@dataclass(frozen=True)
class ClarifyUponRetry:
    """Asks a model that plays the user; a message that reveals the solution is not passed on."""

    model: Model
    instruction: str
    """As the task says it."""
    evaluator: JsonValue
    """How the task is checked: the simulated user's evaluation signals."""
    max_retries: int
    max_total_steps: int | None = None
    sampling: Sampling = field(default_factory=Sampling)
    episode: str = ""

    async def after(self, tried: FailedTry) -> UserMessage | None:
        """The user's message before the next try; if every message reveals the solution, only that it failed."""
        if tried.number > self.max_retries:
            return None
        secrets = secrets_of(self.evaluator, self.instruction)
        usage, refused = NO_USAGE, ""
        for _ in range(TRIES):
            answer = await self.model.ask(self._request(tried, refused))
            usage += answer.usage
            message = printable(" ".join(answer.parse(UserReply).message.split()), limit=_LONGEST_WORD)
            found = leaks(message, secrets)
            if message and not found:
                return UserMessage(fill_prompts("trueline.runs", ("clarify_retry.v1",), message=message), usage)
            refused = (
                f"\n\nYour last message was not passed on: it held {', '.join(found) or 'nothing'}. Say it without."
            )
        return UserMessage(failed_message(), usage)

    def _request(self, tried: FailedTry, refused: str) -> Request:
        shown = {
            "task": self.instruction,
            "check": self.evaluator,
            "score": tried.score,
            "ended": tried.end.value,
            "what the agent did": _shorten_steps(tried.steps),
        }
        return Request(
            messages=(user(json.dumps(shown, ensure_ascii=False, indent=1) + refused),),
            system=read_prompt("trueline.runs", "user_sim.v1"),
            sampling=self.sampling,
            expects=Schema.from_model(UserReply, name="user"),
            purpose="user_sim",
            episode=self.episode,
        )


def _shorten_steps(steps: Sequence[Step]) -> list[dict[str, JsonValue]]:
    """What the agent said and did, shortened."""
    told: list[dict[str, JsonValue]] = []
    for step in steps[-_MOST_STEPS:]:
        proposal = step.proposal
        actions = [result.action.model_dump_json(exclude_defaults=True) for result in step.results]
        told.append(
            {
                "step": step.number,
                "thought": printable(proposal.thought or "", limit=_LONGEST_THOUGHT) if proposal else "",
                "actions": [printable(action, limit=_LONGEST_ACTION) for action in actions],
                "errors": [printable(result.error, limit=200) for result in step.results if result.error],
            }
        )
    return told
