"""The words of a command without what is secret in them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trueline.models.hidden import HIDDEN, WELL_KNOWN, hide, hide_text
from trueline.models.keys import Redactor

_PASSWORD = "--client-password"  # noqa: S105 - the flag's name
_OPTION = "--agent-option"


def hide_words(words: Sequence[str]) -> list[str]:
    """Return the words with passwords and keys replaced."""
    from trueline.models.envfiles import load_env

    redactor = Redactor.of(load_env())
    kept: list[str] = []
    flag = ""
    for word in words:
        if not word.startswith("--"):
            kept.append(_hidden(flag, word, redactor))
            continue
        name, equals, value = word.partition("=")
        flag = name.replace("_", "-")
        kept.append(f"{name}={_hidden(flag, value, redactor)}" if equals else word)
    return kept


def _hidden(flag: str, word: str, redactor: Redactor) -> str:
    if flag == _PASSWORD:
        return word if word == WELL_KNOWN else HIDDEN
    if flag == _OPTION:
        word = _option(word)
    return hide_text(word, redactor)


def _option(word: str) -> str:
    """`NAME=VALUE`, where the value may be JSON with names of its own."""
    name, equals, value = word.partition("=")
    if not equals:
        return word
    try:
        hidden = hide(json.loads(value), name)
        return word if hidden == json.loads(value) else f"{name}={json.dumps(hidden)}"
    except ValueError:
        return f"{name}={hide(value, name)}"
