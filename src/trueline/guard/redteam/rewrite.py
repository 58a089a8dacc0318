"""A model as the attacker's writer: it rewords the text on the screen against the verdict it got."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from trueline.guard.redteam.next_variation import TriedVariation
from trueline.models import Model, ModelError, Request, Schema, user

_LONGEST = 2000
_SECONDS = 120.0


class _Text(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str


@dataclass(frozen=True)
class Rewriter:
    """Asks a model for another text."""

    model: Model

    async def rewrite(self, text: str, reader: str, last: TriedVariation, episode: str) -> str | None:
        """Return another text, `None` when the model gives none; then the built-in changes are used."""
        asked = {"last_text": text, "reader": reader, "stopped_because": last.reason[:_LONGEST]}
        request = Request(
            messages=(user(json.dumps(asked, ensure_ascii=False)),),
            system=_prompt(),
            expects=Schema.from_model(_Text, name="text"),
            episode=episode,
            stage="redteam",
            deadline_s=_SECONDS,
        )
        try:
            answer = (await self.model.ask(request)).parse(_Text)
        except ModelError:
            return None
        return answer.text[:_LONGEST].strip() or None


@cache
def _prompt() -> str:
    return resources.files("trueline.guard.redteam").joinpath("prompts", "rewrite.v1.md").read_text(encoding="utf-8")
