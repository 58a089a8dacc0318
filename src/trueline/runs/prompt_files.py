"""The prompts: versioned text files of this room."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from string import Template

USER_SIM = "user_sim.v1"
BINARY_RETRY = "binary_retry.v1"
CLARIFY_RETRY = "clarify_retry.v1"


@cache
def read_prompt(name: str) -> str:
    """Return the text of a prompt file."""
    return resources.files("trueline.runs").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def filled(name: str, **values: str) -> str:
    """Return a prompt with its `$names` filled in."""
    return Template(read_prompt(name)).substitute(values)


def prompt_hashes(*names: str) -> dict[str, str]:
    """SHA-256 of prompt files by name, for `Setting.prompts`."""
    return {f"runs/{name}": hashlib.sha256(read_prompt(name).encode()).hexdigest() for name in sorted(names)}
