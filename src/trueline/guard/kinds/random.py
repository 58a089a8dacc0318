"""A guard that throws a coin: a baseline for its rate of stops."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trueline.guard.baselines import RandomGuard
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard
from trueline.records.base import Record
from trueline.records.setting import GuardSetting


class RandomOptions(Record):
    """Options of the guard `random`."""

    rate: Annotated[float, Field(ge=0, le=1)] = 0.5
    """The share of proposals that are called misaligned."""
    seed: int = 0


def _open(options: RandomOptions, _: GuardTools) -> OpenedGuard:
    setting = GuardSetting(name="random", options=options.model_dump(mode="json"))
    return OpenedGuard(RandomGuard(options.rate, options.seed), setting, setting)


GUARD = GuardKind.typed(RandomOptions, _open, asks="nothing")
