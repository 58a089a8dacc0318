"""A model whose answers come from a file: for tests, demos and documentation."""

from trueline.models.scripted.model import ScriptedModel

__all__ = [
    "ScriptedModel",
]
