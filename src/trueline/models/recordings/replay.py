"""A model that answers from a recording."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.models.canonical import canonical_json
from trueline.models.envfiles import load_env
from trueline.models.hidden import HIDDEN
from trueline.models.keys import KEY_MARK, Redactor
from trueline.models.recordings.entry import read_recording, without_keys
from trueline.models.types import Answer, Json, ModelId, Request
from trueline.text import printable

_MARKS = re.compile(rf"{re.escape(KEY_MARK)}|{re.escape(HIDDEN)}")
_SHOWN = 3
"""How many differences an error tells."""


class UnseenRequestError(InputError):
    """A request that the recording does not answer."""


class ReplayModel:
    """Replays recorded answers, without a network.

    The same request asked several times gets its answers in the order of the recording, those of the same episode
    first. An answer is given as often as it was recorded: one request too many is an error, like one never seen.
    """

    def __init__(self, path: Path, model: ModelId) -> None:
        """Read what was recorded of this model.

        Raises:
            RecordingError: The recording cannot be read.
            InputError: It holds nothing of this model.
        """
        entries = read_recording(path)
        self._entries = [entry for entry in entries if entry.model == str(model)]
        if not self._entries:
            known = ", ".join(sorted({entry.model for entry in entries})) or "nothing"
            raise InputError(f"{path}: has no answers of {model}; it was recorded with {known}")
        self._path = path
        self._id = model
        self._redactor = Redactor.from_env(load_env())
        self._left: dict[str, _Unused] = {}
        for number, entry in enumerate(self._entries):
            self._left.setdefault(canonical_json(entry.request), _Unused()).add(number, entry.episode)

    @property
    def id(self) -> ModelId:
        """The model that was recorded."""
        return self._id

    async def ask(self, request: Request) -> Answer:
        """Return the next recorded answer, or raise the recorded error.

        Raises:
            UnseenRequestError: It was not recorded, or fewer times; the message shows the most similar one.
        """
        hidden = without_keys(request.shape(), self._redactor)
        assert isinstance(hidden, dict), "a request is an object"
        shape = hidden
        left = self._find(canonical_json(shape))
        if left is None:
            raise UnseenRequestError(
                f"{self._path}: this request of {self._id} was not recorded; {self._nearest(shape)}"
            )
        number = left.take(request.episode)
        if number is None:
            raise UnseenRequestError(
                f"{self._path}: this request of {self._id} was recorded {len(left.used)} times and is sent once more"
            )
        return self._entries[number].outcome()

    def _find(self, asked: str) -> _Unused | None:
        """What answers a request; where a key was hidden when it was recorded, any word may stand."""
        if asked in self._left:
            return self._left[asked]
        return next((left for pattern, left in self._with_marks if pattern.fullmatch(asked)), None)

    @cached_property
    def _with_marks(self) -> list[tuple[re.Pattern[str], _Unused]]:
        any_word = r'(?:[^\s"\\]+)'
        return [
            (re.compile(any_word.join(map(re.escape, _MARKS.split(key)))), left)
            for key, left in self._left.items()
            if _MARKS.search(key)
        ]

    async def close(self) -> None:
        """Do nothing: no resources are held."""

    def _nearest(self, shape: Json) -> str:
        number, differences = min(
            ((number, _differences(entry.request, shape)) for number, entry in enumerate(self._entries, start=1)),
            key=lambda found: (len(found[1]), -sum(d.agreeing for d in found[1])),
        )
        shown = "; ".join(str(difference) for difference in differences[:_SHOWN])
        more = f"; and {len(differences) - _SHOWN} more" if len(differences) > _SHOWN else ""
        return f"the most similar one, number {number} of {len(self._entries)}, differs in {shown}{more}"


class _Unused:
    """The numbers of the entries that answer one request, and which of them were given."""

    def __init__(self) -> None:
        self._all: deque[int] = deque()
        self._by_episode: defaultdict[str, deque[int]] = defaultdict(deque)
        self.used: set[int] = set()

    def add(self, number: int, episode: str) -> None:
        self._all.append(number)
        self._by_episode[episode].append(number)

    def take(self, episode: str) -> int | None:
        """Return the next number, of this episode if it has one left."""
        for numbers in (self._by_episode.get(episode, deque[int]()), self._all):
            while numbers:
                number = numbers.popleft()
                if number not in self.used:
                    self.used.add(number)
                    return number
        return None


class RequestDifference(NamedTuple):
    """A place where two requests differ."""

    place: str
    recorded: JsonValue
    asked: JsonValue

    @property
    def agreeing(self) -> int:
        """How many characters two texts have in common at their beginning."""
        if isinstance(self.recorded, str) and isinstance(self.asked, str):
            pairs = enumerate(zip(self.recorded, self.asked, strict=False))
            return next((n for n, (ours, theirs) in pairs if ours != theirs), min(len(self.recorded), len(self.asked)))
        return 0

    def __str__(self) -> str:
        """Show both, from shortly before they part."""
        start = max(0, self.agreeing - 20)
        return f"{self.place} (recorded {_shown(self.recorded, start)}, asked {_shown(self.asked, start)})"


def _shown(value: JsonValue, start: int) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return "'" + ("…" if start else "") + printable(value[start : start + 60], limit=50) + "'"
    return printable(canonical_json(value), limit=50)


def _differences(recorded: Json, asked: Json) -> list[RequestDifference]:
    ours, theirs = dict(_leaves(recorded, "")), dict(_leaves(asked, ""))
    places = {**ours, **theirs}
    return [
        RequestDifference(place, ours.get(place), theirs.get(place))
        for place in places
        if ours.get(place) != theirs.get(place)
    ]


def _leaves(value: JsonValue, place: str) -> Iterator[tuple[str, JsonValue]]:
    """Yield the single values of nested data with their places."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from _leaves(child, f"{place}.{key}" if place else key)
    elif isinstance(value, list) and value:
        for index, child in enumerate(value):
            yield from _leaves(child, f"{place}[{index}]")
    else:
        yield place, value
