"""Whether a server gives the same answer to the same question, alone and while it is busy with others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from trueline.models.errors import NoAnswerError
from trueline.models.types import Answer, Model, Request, user
from trueline.records.usage import Usage, total_usage


@dataclass(frozen=True)
class Probe:
    """The answers of a probe. Equal answers do not prove that the server is deterministic."""

    alone: tuple[str, ...]
    """The answers to one request at a time."""
    loaded: tuple[str, ...]
    """The answers to the same request among others at the same time; empty when that was not tried."""
    usage: Usage
    """Usage of all requests, those for the load included."""

    @property
    def deterministic(self) -> bool:
        """Whether all answers were the same while nothing else was asked."""
        return len(set(self.alone)) == 1

    @property
    def batch_invariant(self) -> bool | None:
        """Whether the answers under load were those given alone; unknown when not tried or when these differ too."""
        return set(self.loaded) == set(self.alone) if self.loaded and self.deterministic else None

    def variants(self) -> list[tuple[str, int, int]]:
        """Each different answer, how often it was given alone and how often under load; the most frequent first."""
        alone, loaded = Counter(self.alone), Counter(self.loaded)
        return [(text, alone[text], loaded[text]) for text, _ in (alone + loaded).most_common()]


def first_difference(a: str, b: str) -> int:
    """Return the place of the first character in which two texts differ."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((place for place, (x, y) in pairs if x != y), min(len(a), len(b)))


async def probe(model: Model, request: Request, *, times: int, load: int) -> Probe:
    """Ask the same thing several times, alone and then among others.

    Args:
        model: what to ask; not a cached one.
        request: the question, at temperature 0.
        times: how often to ask it alone, and how often under load.
        load: how many requests are sent at once under load, the question included; below 2 there is no load.

    Raises:
        ModelError: One of the requests failed, or the question got no text.
    """
    alone = [await model.ask(request) for _ in range(times)]
    loaded: list[Answer] = []
    fillers: list[Answer] = []
    for number in range(times if load > 1 else 0):
        asked = _fillers(request, load - 1)
        # Never first, so that the server is busy when it comes, and each time at another place in the crowd.
        place = 1 + number % (load - 1)
        asked.insert(place, request)
        answers = await _ask_all(model, asked)
        loaded.append(answers.pop(place))
        fillers += answers
    usage = total_usage(answer.usage for answer in (*alone, *loaded, *fillers))
    return Probe(tuple(_texts(alone)), tuple(_texts(loaded)), usage)


def _fillers(request: Request, count: int) -> list[Request]:
    """Other questions, of different lengths, that ask for as long an answer."""
    words = [f"Count from {n} to {n + 200}, one number a line." + " Begin now." * (n % 7) for n in range(count)]
    return [request.model_copy(update={"messages": (user(text),)}) for text in words]


async def _ask_all(model: Model, requests: list[Request]) -> list[Answer]:
    tasks = [asyncio.create_task(model.ask(request)) for request in requests]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _texts(answers: Iterable[Answer]) -> Iterable[str]:
    for answer in answers:
        # An answer cut at the token limit is compared as far as it goes; one without any text says nothing.
        if not answer.text:
            raise NoAnswerError(answer.stop, answer.refusal)
        yield answer.text
