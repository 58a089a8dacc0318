"""The prompts: versioned text files of this room. All words that a model is told come from them."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from string import Template

FAST_CHECK = ("fast_check.v1", "data.v1", "criteria.v2")
SYSTEMATIC = ("systematic.v1", "data.v1", "criteria.v2")
NARRATIVE = ("narrative.v1",)
_QUESTION = "question.v2"


@cache
def _read(name: str) -> str:
    return resources.files("trueline.guard").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


@cache
def system_prompt(names: tuple[str, ...]) -> str:
    """Return the files one after the other."""
    return "\n\n".join(_read(name).strip() for name in names)


@cache
def _phrases() -> dict[str, Template]:
    sections = _read(_QUESTION).split("\n## ")[1:]
    titled = (section.partition("\n") for section in sections)
    return {title: Template(text.strip()) for title, _, text in titled}


def phrase(name: str, **filled: str | int) -> str:
    """Return the words for one place of a message."""
    return _phrases()[name].substitute(filled)


def prompt_hashes() -> dict[str, str]:
    """SHA-256 of each prompt file by name, for `Setting.prompts`."""
    names = sorted({*FAST_CHECK, *SYSTEMATIC, *NARRATIVE, _QUESTION})
    return {f"guard/{name}": hashlib.sha256(_read(name).encode()).hexdigest() for name in names}
