"""A model whose answers come from a file: for tests, demos and documentation."""

from trueline.models.scripted.model import ScriptedModel
from trueline.models.scripted.script import ScriptError, UnmatchedError, read_script

__all__ = ["ScriptError", "ScriptedModel", "UnmatchedError", "read_script"]
