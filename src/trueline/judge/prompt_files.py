"""The prompts: text files with a version of their own."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources

from trueline.judge.types import PromptVersion


@cache
def prompt(name: str) -> str:
    """The text of a prompt by its file name without the ending."""
    return resources.files("trueline.judge").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()


def judge_prompt(version: PromptVersion) -> str:
    """The system prompt of a version."""
    return prompt(version)


def record_rules(mark: str) -> str:
    """How the judge tells the record from its instructions."""
    return prompt("record.v1").format(mark=mark)


def caption_prompt() -> str:
    """What the captioner is asked."""
    return prompt("caption.v1")


def prompt_digest(version: PromptVersion) -> str:
    """Names the prompts that a judgment was made with."""
    return sha256("\0".join((judge_prompt(version), prompt("record.v1"))).encode()).hexdigest()


def caption_digest() -> str:
    """Names the prompt that a caption was made with."""
    return sha256(caption_prompt().encode()).hexdigest()
