"""The prompts: versioned text files of this room. All words that a model is told come from them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from string import Template

from trueline.records.verdict import Feedback

TURNS = "turns.v1"


@cache
def _read(name: str) -> str:
    return resources.files("trueline.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def filled(names: Iterable[str], **values: str | int) -> str:
    """Return files one after the other, with their `$names` filled in."""
    return Template("\n\n".join(_read(name) for name in names)).substitute(values)


@cache
def _phrases() -> dict[str, Template]:
    sections = _read(TURNS).split("\n## ")[1:]
    titled = (section.partition("\n") for section in sections)
    return {title: Template(text.strip()) for title, _, text in titled}


def phrase(name: str, **values: str | int) -> str:
    """Return the words for one place of a conversation."""
    return _phrases()[name].substitute(values)


def task_words(instruction: str, plan: str | None) -> str:
    """What the agent is asked to do."""
    words = phrase("task", instruction=instruction)
    return f"{words}\n\n{phrase('plan', plan=plan)}" if plan else words


def feedback_words(feedback: Feedback) -> str:
    """What the agent is told about a rejected proposal."""
    parts = [phrase("rejected", wrong=feedback.wrong)]
    if feedback.misled_by:
        parts.append(phrase("misled", by=feedback.misled_by))
    if feedback.instead:
        parts.append(phrase("instead", instead=feedback.instead))
    return "\n".join(parts)


def prompt_hashes(names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of prompt files by name, for `Setting.prompts`."""
    return {f"agents/{name}": hashlib.sha256(_read(name).encode()).hexdigest() for name in sorted(names)}
