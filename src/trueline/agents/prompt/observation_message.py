"""From an observation to the parts of a message."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from trueline.agents.conversation import phrase
from trueline.agents.prompt.options import PromptOptions
from trueline.agents.prompt.tokens import cut
from trueline.agents.screenshots import screenshot
from trueline.desktop.marks import marked
from trueline.errors import InputError
from trueline.models import Image, Text, image_from_bytes
from trueline.records.observation import Observation
from trueline.records.tree import linearise, marks_text


@dataclass(frozen=True)
class ObservationParts:
    """What the model is shown of an observation: in the current turn, and later as history."""

    now: tuple[Text | Image, ...]
    later: tuple[Text | Image, ...]


async def observation_parts(obs: Observation, options: PromptOptions) -> ObservationParts:
    """Return the parts of a message that show an observation."""
    kind = options.observation_type
    listed = words(obs, options)
    if listed is None and kind != "screenshot":
        raise InputError("the observation has no accessibility tree, which the agent requires")
    if kind == "som":
        shot = _picture(await asyncio.to_thread(marked, screenshot(obs), obs.marks))
        return ObservationParts(
            (Text(text=phrase("see som", marks=listed or "")), shot), (Text(text=phrase("saw som")), shot)
        )
    parts: list[Text | Image] = []
    if listed is None:
        parts.append(Text(text=phrase("see screenshot")))
    else:
        parts.append(Text(text=phrase(f"see {kind}", tree=listed)))
    if kind != "a11y_tree":
        parts.append(_picture(screenshot(obs)))
    return ObservationParts(tuple(parts), tuple(parts))


def words(obs: Observation, options: PromptOptions) -> str | None:
    """The text that the model reads of an observation; `None` if it gets only the screenshot."""
    kind, most = options.observation_type, options.a11y_tree_max_tokens
    if kind == "som":
        return cut(marks_text(obs.marks), most)
    return None if kind == "screenshot" or obs.tree is None else cut(linearise(obs.tree), most)


def _picture(encoded: bytes) -> Image:
    return image_from_bytes(encoded).model_copy(update={"detail": "high"})
