"""Parameters that a server rejects: one that an error names is left out of all later requests.

Only sampling parameters and token limits are ever left out; without its messages, tools or schema a request would be a
different one.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from trueline.models.errors import RejectedError, TooLongError
from trueline.models.types import Json, ModelId
from trueline.models.wire import HttpCall
from trueline.text import printable

log = logging.getLogger(__name__)

_STATUS = frozenset({400, 422})
_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Two names of the same limit in the chat API; servers take one, the other, or both."""
_LEAVABLE = frozenset(
    {"temperature", "top_p", "seed", "stop", "stop_sequences", "reasoning_effort", "reasoning", "max_output_tokens"}
    | {"thinking", "output_config", *_LIMITS}
)
_WORDS = frozenset({"stop", "seed", "reasoning", "thinking"})
"""Parameters whose names are ordinary words: in a sentence they must stand in quotes or before a colon."""
_COMPLAINT = re.compile(
    r"support|unrecogni[sz]ed|unknown|unexpected|extra|forbidden|permitted|allowed|invalid|deprecated|not valid"
    r"|cannot|can't|must|only|range|too (?:large|high|big)|less than|greater than|exceed|at most|at least|not accept",
    re.IGNORECASE,
)
_NOT_KNOWN = re.compile(
    r"support|unrecogni[sz]ed|unknown|unexpected|extra|forbidden|permitted|allowed|not accept|instead", re.IGNORECASE
)
_RIVALS = re.compile(r"\b(?:both|only one|either|mutually exclusive)\b", re.IGNORECASE)


class ParameterChange(NamedTuple):
    """What is done about a parameter."""

    name: str
    """As it stood in the request."""
    now: str | None
    """Its other name, or `None` when it is left out."""


class RejectedParameters:
    """Remembers, for each model, what its server rejected; shared by all that ask models in one program."""

    def __init__(self) -> None:
        self._changes: dict[ModelId, dict[str, str | None]] = {}

    def changes(self, model: ModelId) -> Mapping[str, str | None]:
        """Return the parameters of this model that are left out (`None`) or go by another name."""
        return self._changes.get(model, {})

    def fit(self, model: ModelId, body: Json) -> Json:
        """Return the body of a request as the server takes it, as far as that is known."""
        changes = self.changes(model)
        if not changes:
            return body
        fitted: Json = {}
        for name, value in body.items():
            now: str | None = name
            while now is not None and now in changes:
                now = changes[now]
            if now is not None:
                fitted[now] = value
        return fitted

    def learn(self, model: ModelId, error: RejectedError, sent: HttpCall) -> bool:
        """Read an error for a parameter that was sent; returns whether asking again without it is worth while."""
        change = rejected_parameter(error, sent)
        if change is None:
            return False
        known = self._changes.setdefault(model, {})
        # Of requests in flight at the same time each brings the same error: the first one tells.
        if change.name not in known:
            # A name that came to stand for another one cannot go back to it.
            now = None if change.now is None or change.now in known else change.now
            known[change.name] = now
            what = f"is sent as {now}" if now else "is no longer sent"
            log.warning(
                "%s: the server rejects %s (%s); it %s",
                model,
                change.name,
                printable(str(error), 200),
                what,
            )
        return True


def rejected_parameter(error: RejectedError, sent: HttpCall) -> ParameterChange | None:
    """Return the parameter that an error names, if it was sent and may be left out."""
    if error.status not in _STATUS or isinstance(error, TooLongError):
        return None
    there = _LEAVABLE & sent.body.keys()
    if sent.path.endswith("/messages"):
        # There the limit is not a choice: a request without it is invalid.
        there -= {"max_tokens"}
    words = error.words or str(error)
    name = _by_param(error.param, there) if error.param else _by_words(words, there)
    if name is None:
        return None
    if {"temperature", "top_p"} <= there and name in ("temperature", "top_p") and _RIVALS.search(words):
        return ParameterChange("top_p", None)
    other = _LIMITS.get(name) if sent.path.endswith("/chat/completions") else None
    return ParameterChange(name, other if other and other not in sent.body and _NOT_KNOWN.search(words) else None)


def _by_param(param: str, there: frozenset[str]) -> str | None:
    """Read OpenAI's `param`: `temperature`, `reasoning.effort`, `body.top_p`."""
    return next((part for part in re.split(r"[.\[\]'\"]+", param) if part in there), None)


def _by_words(words: str, there: frozenset[str]) -> str | None:
    """Return the parameter that is named first in an error that complains about one."""
    if not _COMPLAINT.search(words):
        return None
    found: dict[str, int] = {}
    for name in there:
        quoted = rf"[`'\"]{name}[`'\".]|\b{name}:"
        pattern = quoted if name in _WORDS else rf"{quoted}|(?<![\w.]){name}(?!\w)"
        supplied = rf"(?:argument|parameter|field|key)s?(?: supplied)?:? [`'\"]?{name}\b"
        if match := re.search(f"{pattern}|{supplied}", words):
            found[name] = match.start()
    return min(found, key=lambda name: found[name]) if found else None


def unsent(changes: Mapping[str, str | None], body: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Return the names of what a request asked for and the server does not take."""

    def gone(name: str) -> bool:
        now: str | None = name
        while now is not None and now in changes:
            now = changes[now]
        return now is None

    return tuple(name for name in body if name in changes and gone(name))
