"""What of an episode goes to disk: screens and typed text hold secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from pydantic import JsonValue

from trueline.actions import Action, Code, Key, Type
from trueline.records.events import EVENT, Event, Noted, Started, Stepped
from trueline.records.observation import ObservationRecord, StoredFile

MASK = "[redacted]"
_SHORTEST = 3
"""Shorter pieces of typed text are not masked in prose: masking every `a` would leave nothing readable."""
_LITERAL = re.compile(r"\"([^\"\n]{3,})\"|'([^'\n]{3,})'")

# Strings under these keys name things and quote nothing. All others may, those of fields yet to come too.
_NAMES = frozenset((
    "event", "id", "time", "digest", "file", "decision", "stage", "category", "model", "changed", "end", "unscored",
    "proposal", "where", "name", "source", "change", "type", "store", "allowed", "about", "scored_by", "function",
))  # fmt: skip
_ANSWERS = frozenset(("thought", "raw", "output", "found", "expected"))
"""The model's text, the output of its code and values of checks: any part of them may be secret."""
_ACTION_NAMES = frozenset(("kind", "button", "unit", "language", "modifiers"))


class StoreLevel(StrEnum):
    """How much of the screen and of what was typed is stored."""

    ALL = "all"
    REDACTED = "redacted"
    """No screens (their digests stay), no typed text, no answers of the model; prose without what was typed."""
    NONE = "none"
    """Redacted, and without digests and prose."""


class EventRedactor:
    """Removes from events what must not be stored; remembers typed text for later events."""

    def __init__(self, store: StoreLevel) -> None:
        self.store = store
        self._typed: set[str] = set()
        self._run = ""
        self._pattern: re.Pattern[str] | None = None

    def event(self, event: Event) -> Event:
        """The event as it may be stored."""
        if self.store is StoreLevel.ALL or isinstance(event, Started | Noted):
            return event
        if isinstance(event, Stepped):
            step = event.step
            for attempt in step.attempts:
                self._run = self._typed_after(self._run, attempt.proposal.actions)
            if not step.attempts:
                self._run = self._typed_after(self._run, (result.action for result in step.results))
            results = tuple(
                result.model_copy(update={"screenshot": result.screenshot and self.file(result.screenshot)})
                for result in step.results
            )
            seen = step.observation and self.observation(step.observation)
            step = step.model_copy(update={"observation": seen, "results": results})
            event = event.model_copy(update={"step": step})
        return EVENT.validate_python(self._walk("", EVENT.dump_python(event, mode="json")))

    def observation(self, record: ObservationRecord) -> ObservationRecord:
        """The reference without what shows the screen."""
        if self.store is StoreLevel.ALL:
            return record
        digest = record.digest if self.store is StoreLevel.REDACTED else None
        screenshot = record.screenshot and self.file(record.screenshot)
        tree = record.tree and self.file(record.tree)
        return ObservationRecord(
            digest=digest,
            time=record.time,
            screenshot=screenshot,
            tree=tree,
            tree_scope=record.tree_scope,
            partial=record.partial,
        )

    def file(self, stored: StoredFile) -> StoredFile:
        """The reference to a file that is not stored."""
        if self.store is StoreLevel.ALL:
            return stored
        return StoredFile(digest=stored.digest if self.store is StoreLevel.REDACTED else None)

    def prose(self, text: str) -> str:
        """Text of a guard, a narrator or an error, without what was typed in this episode."""
        if self.store is StoreLevel.ALL or not text:
            return text
        if self.store is StoreLevel.NONE:
            return MASK
        if self._pattern is None and self._typed:
            # The longest first, so that no end of a longer secret stays behind a shorter one.
            self._pattern = re.compile("|".join(re.escape(t) for t in sorted(self._typed, key=len, reverse=True)))
        return self._pattern.sub(MASK, text) if self._pattern else text

    def _walk(self, key: str, value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            if "kind" in value:
                return {name: _masked_field(name, item) for name, item in value.items()}
            return {name: self._walk(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._walk(key, item) for item in value]
        if not isinstance(value, str) or not value or key in _NAMES:
            return value
        return MASK if key in _ANSWERS else self.prose(value)

    def _typed_after(self, run: str, actions: Iterable[Action]) -> str:
        """Learn typed text: whole texts, strings in code, and consecutive pieces joined (returned, to continue)."""
        for action in actions:
            if isinstance(action, Type):
                self._learn(run)
                self._learn(action.text)
                run += action.text
            elif isinstance(action, Key) and len(action.key) == 1:
                run += action.key
            else:
                self._learn(run)
                run = ""
            if isinstance(action, Code):
                for double, single in _LITERAL.findall(action.source):
                    self._learn(double or single)
        self._learn(run)
        return run

    def _learn(self, text: str) -> None:
        new = {line for part in text.splitlines() if len(line := part.strip()) >= _SHORTEST} - self._typed
        if new:
            self._typed |= new
            self._pattern = None


def _masked_field(name: str, value: JsonValue) -> JsonValue:
    """Mask one field of an action: places, buttons and named keys stay, other text is removed."""
    match value:
        case str() if value == "" or name in _ACTION_NAMES or (name == "key" and len(value) > 1):
            return value
        case str():
            return MASK
        case list() if name == "keys" and all(_is_typing(key) for key in value):
            return [MASK if isinstance(key, str) and len(key) == 1 else key for key in value]
        case _:
            return value


def _is_typing(key: JsonValue) -> bool:
    """Keys that together write text; with ctrl or alt among them they are a command."""
    return isinstance(key, str) and (len(key) == 1 or key.startswith("shift"))
