"""Answers from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trueline.models.provider import Provider

if TYPE_CHECKING:
    from trueline.models.types import Model


def _open_model(name: str) -> Model:
    from trueline.models.scripted import ScriptedModel

    return ScriptedModel(Path(name))


PROVIDER = Provider("scripted", "answers from a file, by matching rules", open_model=_open_model)
