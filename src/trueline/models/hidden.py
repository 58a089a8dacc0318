"""Secrets removed from options before they are recorded: keys, tokens, passwords.

A fixed mark replaces a secret, not a digest: short passwords could be found from their digests.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from trueline.models.keys import KEY_MARK, Redactor

HIDDEN = "[hidden]"
WELL_KNOWN = "password"
"""The default password of every OSWorld machine is not a secret."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = frozenset(
    {"password", "passwords", "passwd", "passphrase", "pwd", "secret", "secrets", "credential", "credentials", "apikey"}
)
_MAYBE = frozenset({"key", "keys", "token", "auth", "authorization", "bearer", "cookie"})
"""Also names of harmless things (`key=s`), whose values are shorter than any real one."""
_SHORTEST = 8
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)")


def hide(value: JsonValue, name: str = "") -> JsonValue:
    """Return an option with its secrets replaced, which are recognised by their names and by the form of keys."""
    words = {word.lower() for word in _WORD.findall(name)}
    if isinstance(value, dict):
        # What stands inside something secret is secret too, whatever it is called.
        outer = f"{name}_" if words & (_SECRET | _MAYBE) else ""
        return {key: hide(inner, outer + key) for key, inner in value.items()}
    if isinstance(value, list):
        return [hide(inner, name) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    text = str(value)
    if text != WELL_KNOWN and (words & _SECRET or (words & _MAYBE and len(text) >= _SHORTEST)):
        return HIDDEN
    return hide_text(value) if isinstance(value, str) else value


def hide_options(options: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return options by name without secrets."""
    return {name: hide(value, name) for name, value in options.items()}


def hide_text(text: str, redactor: Redactor | None = None) -> str:
    """Return a text without what looks like a key, and without the names and passwords in addresses."""
    return (redactor or Redactor()).clean(_IN_ADDRESS.sub(HIDDEN, text))


def holds_hidden(text: str) -> bool:
    """Whether something was taken out of a text."""
    return HIDDEN in text or KEY_MARK in text
