"""A model whose answers come from a file: for tests, demos and documentation."""

from trueline.models.scripted.model import ScriptedModel
from trueline.models.scripted.script import Script, ScriptError, UnmatchedError, read_script

__all__ = ["Script", "ScriptError", "ScriptedModel", "UnmatchedError", "read_script"]
