"""Whether what a simulated user says gives the solution away. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import JsonValue

_SHORTEST = 4
"""Shorter strings of a checker (`1`, `txt`) stand in any sentence by chance."""
_HOW = (
    ("code", re.compile(r"```|`[^`\n]+`|\b(?:pyautogui|subprocess|import os)\b")),
    ("a command", re.compile(r"(?m)(?:^|\s)(?:sudo|apt-get|chmod|mkdir|sed|awk|grep|mv|cp|rm)\s+[-/~.\w]")),
    ("coordinates", re.compile(r"\(\s*\d{1,4}\s*,\s*\d{1,4}\s*\)")),
    ("a key", re.compile(r"(?i)\b(?:ctrl|alt|shift|super)\s*[+-]\s*\w")),
    ("a formula", re.compile(r"=\s*[A-Z]{2,}\s*\(")),
    ("a menu path", re.compile(r"\w\s*(?:->|→|›|>)\s*\w")),
)


def secrets_of(evaluator: JsonValue, instruction: str) -> tuple[str, ...]:
    """The strings that a checker expects and the instruction does not say."""
    known = _plain(instruction)
    found = {text for text in _strings(evaluator) if len(_plain(text)) >= _SHORTEST and _plain(text) not in known}
    return tuple(sorted(found))


def leaks(message: str, secrets: Iterable[str]) -> tuple[str, ...]:
    """What in a message says how to do the task, or what the result is; empty when nothing does."""
    spoken = _plain(message)
    found = [name for name, pattern in _HOW if pattern.search(message)]
    found += [f"an expected string ({secret[:40]!r})" for secret in secrets if _plain(secret) in spoken]
    return tuple(found)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _strings(value: JsonValue) -> Iterable[str]:
    """All strings in a checker's `expected` and `rules`, nested as they may be."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
