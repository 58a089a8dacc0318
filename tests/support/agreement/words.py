"""Words, lines and near misses that several generators use."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import TypeVar

from pydantic import JsonValue

from trueline.tasks.checkers.values import FileValue

WORDS = ("alpha", "Beta", "gamma ray", " delta", "Ωmega", "", "3", "3.0", "x,y", "tab\there", "two  blanks", "ALPHA")
T = TypeVar("T")


def text_file(text: str, name: str = "a.txt") -> FileValue:
    return FileValue(name, text.encode())


def json_file(value: object, name: str = "a.json") -> FileValue:
    return text_file(json.dumps(value), name)


def some_options(rng: random.Random, *names: str) -> dict[str, JsonValue]:
    return {name: rng.random() < 0.6 for name in names if rng.random() < 0.5}


def lines(rng: random.Random, most: int = 4) -> list[str]:
    return [rng.choice(WORDS) for _ in range(rng.randrange(most + 1))]


def changed(rng: random.Random, items: Sequence[str]) -> list[str]:
    """The same or nearly the same."""
    items = list(items)
    match rng.randrange(8):
        case 0:
            rng.shuffle(items)
        case 1:
            items = [item.swapcase() for item in items]
        case 2:
            items = [item.replace(" ", "  ") for item in items]
        case 3:
            items.append(rng.choice(WORDS))
        case 4:
            items = items[:-1]
        case 5:
            items.insert(rng.randrange(len(items) + 1), "")
        case _:
            pass
    return items


def subset(rng: random.Random, items: Sequence[T], least: int = 0) -> list[T]:
    return rng.sample(list(items), rng.randrange(least, len(items) + 1))


def maybe_missing(rng: random.Random, file: FileValue, odds: float = 0.03) -> FileValue | None:
    return None if rng.random() < odds else file
