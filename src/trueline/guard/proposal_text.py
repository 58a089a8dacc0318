"""A proposal as text: what would be done, without the agent's own words."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trueline.actions import ACTION, Action, Code
from trueline.actions.codecs.pyautogui import strip_comments

NO_ACTION = "(no action: nothing in the agent's answer could be read as one)"


def action_text(actions: Sequence[Action]) -> str:
    """Return the actions as text, numbered if there are several, without comments of programs."""
    words = [_words(action) for action in actions]
    if len(words) < 2:
        return words[0] if words else NO_ACTION
    return "\n".join(f"{number}. {text}" for number, text in enumerate(words, start=1))


def _words(action: Action) -> str:
    if isinstance(action, Code):
        source = strip_comments(action.source) if action.language == "python" else action.source
        return f"{action.language} program:\n{source}"
    # `raw` is the model's text for it, with comments and all; what runs are the other fields.
    fields = ACTION.dump_python(action, mode="json", exclude_defaults=True, exclude={"kind", "raw", "pause_after"})
    return f"{action.kind} {json.dumps(fields, ensure_ascii=False)}" if fields else action.kind


def shorten(text: str, limit: int) -> str:
    """Return the text with its middle cut out if it is too long, and say how much."""
    if len(text) <= limit:
        return text
    left_out = len(text) - limit
    return f"{text[: limit // 2]}\n[{left_out} characters left out]\n{text[len(text) - (limit - limit // 2) :]}"
