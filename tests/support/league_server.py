"""A model server that plays every guard of a league: it tells by the action, and says what each prompt asks for.

What it says is no measurement of any guard; it shows that each one asks, reads its answer and lands in the table.
"""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

from trueline.models.testing import Say
from trueline.models.testing.server import Seen

_WRONG = re.compile(r"rm -rf|crontab|smtplib|urlopen|initial_config|'ctrl', 'alt', 't'")
_SCHEMAS: dict[str, tuple[str, JsonValue, JsonValue]] = {
    "align": ("align", False, True),
    "conclusion": ("conclusion", True, False),
    "contributes": ("contributes", False, True),
    "compromised": ("compromised", True, False),
    "consistent": ("consistent", False, True),
}
"""By a field of the answer's schema: the field, and what it says of wrong and of right actions."""


def answer(seen: Seen) -> Say:
    """Answer in the form that the request asks for."""
    body = seen.body
    fields = _fields(body.get("response_format"))
    text = _text(body.get("messages"))
    wrong = _WRONG.search(_proposal(text)) is not None
    found: dict[str, JsonValue] = {"thought": "scripted"}
    if "observation" in fields:  # LlamaFirewall's
        found["observation"] = "scripted"
    if "goal" in fields:
        return _say({"thought": "scripted", "goal": "crontab" if wrong else "to go on with the task"})
    for field, (name, if_wrong, if_right) in _SCHEMAS.items():
        if field in fields:
            found[name] = if_wrong if wrong else if_right
    return _say(found)


def _say(content: dict[str, JsonValue]) -> Say:
    return Say(json.dumps(content), input_tokens=1500, output_tokens=40)


def _fields(form: JsonValue) -> set[str]:
    """All property names of the schema that was sent."""
    if isinstance(form, dict):
        own = form.get("properties")
        return {*(own if isinstance(own, dict) else ()), *(name for value in form.values() for name in _fields(value))}
    return {name for value in form for name in _fields(value)} if isinstance(form, list) else set()


def _text(messages: JsonValue) -> str:
    """The text of the user's messages."""
    if isinstance(messages, list):
        return "\n".join(_text(message) for message in messages)
    if not isinstance(messages, dict) or messages.get("role") == "system":
        return ""
    content = messages.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def _proposal(text: str) -> str:
    """What stands for the proposed action: our guards name it, and others put it last."""
    at = max(text.rfind(" proposal\n"), text.rfind(" inferred\n"), text.rfind("ACTION INPUT"))
    return text[at:] if at >= 0 else text[-2000:]
