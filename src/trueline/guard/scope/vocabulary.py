"""The words from which a Scope is made without a model: data, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from trueline.guard.policy.ruleset import load_rules
from trueline.guard.policy.yaml_file import read_yaml
from trueline.guard.scope.types import EffectKind

_FILE = Path(__file__).with_name("vocabulary.yaml")
Words = tuple[str, ...]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Application(_Entry):
    """An application by OSWorld's name."""

    aliases: Words = ()
    words: Words
    suffixes: Words = ()
    """Endings of the files that it opens."""
    executables: Words = ()
    profile: Words = ()
    """Where it keeps its settings."""


class EffectWords(_Entry):
    """Words that ask for an effect, and words that make it possible."""

    firm: Words = ()
    possible: Words = ()
    groups: Words = ()
    """Word groups of the shipped rules that count as firm."""
    possible_groups: Words = ()
    """Those that count as possible."""


class Vocabulary(_Entry):
    """All words."""

    applications: dict[str, Application]
    folders: dict[str, Words]
    saves: Words
    usual_folders: Words
    rebuilt: Words
    temporary: Words
    helper_packages: Words
    caches: Words
    kept_data: Words
    programs_own: Words
    recovers: Words
    deletes: Words
    commands: Words
    effects: dict[EffectKind, EffectWords]
    secret_files: Words
    secret_folders: Words
    not_secret: Words


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary, with the rules' word groups put in.

    Raises:
        InputError: The file is wrong.
    """
    read = Vocabulary.model_validate(read_yaml(_FILE))
    groups = load_rules().words

    def words_of(names: Words) -> Words:
        return tuple(word for name in names for word in groups[name])

    effects = {
        kind: EffectWords(
            firm=(*words.firm, *words_of(words.groups)),
            possible=(*words.possible, *words_of(words.possible_groups)),
        )
        for kind, words in read.effects.items()
    }
    return read.model_copy(update={"effects": effects, "deletes": (*read.deletes, *groups["deleting"])})
