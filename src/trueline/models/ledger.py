"""What was spent, by episode, purpose and stage, and the budget that limits it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from trueline.errors import InputError
from trueline.models.errors import BudgetSpentError
from trueline.models.pricing import unpriced
from trueline.models.types import Answer, Model, ModelId, Request
from trueline.records.usage import NO_USAGE, Usage


class Charge(NamedTuple):
    """What a call is charged to."""

    model: str
    episode: str
    purpose: str
    stage: str


class CostLedger:
    """Adds up usage while a study runs. Share one ledger between the models that share a budget.

    The budget is checked before each call, so calls in flight when it is spent still finish and are counted.
    """

    def __init__(self, limit: float | None = None) -> None:
        if limit is not None and limit < 0:
            raise InputError("the money limit cannot be negative")
        self.limit = limit
        self._entries: dict[Charge, Usage] = {}
        self._spent = 0.0

    @property
    def spent(self) -> float:
        """US dollars known to be spent; calls of unknown cost are not in it."""
        return self._spent

    def admit(self, model: ModelId, priced: bool) -> None:
        """Refuse a call that the budget does not allow.

        Raises:
            BudgetSpentError: The budget is spent.
            UnpricedError: There is a budget but the model's price is unknown, so it could not be enforced.
        """
        if self.limit is None:
            return
        if not priced:
            raise unpriced(model)
        if self._spent >= self.limit:
            raise BudgetSpentError(f"the money limit of ${self.limit:g} is reached (${self._spent:.4f} spent)")

    def add(self, model: ModelId, request: Request, usage: Usage) -> None:
        """Charge a call."""
        entry = Charge(str(model), request.episode, request.purpose, request.stage)
        self._entries[entry] = self._entries.get(entry, NO_USAGE) + usage
        self._spent += usage.cost or 0.0

    def total(self, wanted: Callable[[Charge], bool] = lambda _: True) -> Usage:
        """Add up the usage of some entries: `total(lambda e: e.episode == "…")`."""
        total = NO_USAGE
        for entry, usage in self._entries.items():
            if wanted(entry):
                total += usage
        return total

    def by(self, name: str) -> dict[str, Usage]:
        """Add up by one of the entry's fields: model, episode, purpose or stage."""
        index = Charge._fields.index(name)
        sums: dict[str, Usage] = {}
        for entry, usage in self._entries.items():
            sums[entry[index]] = sums.get(entry[index], NO_USAGE) + usage
        return sums


class CountedModel:
    """A model that runs in this process: its calls are entered in the ledger like others, and are always allowed."""

    def __init__(self, inner: Model, ledger: CostLedger) -> None:
        self._inner = inner
        self._ledger = ledger

    @property
    def id(self) -> ModelId:
        """Which model this is."""
        return self._inner.id

    async def ask(self, request: Request) -> Answer:
        """Answer the request and record its usage."""
        self._ledger.admit(self.id, priced=True)
        answer = await self._inner.ask(request)
        self._ledger.add(self.id, request, answer.usage)
        return answer

    async def close(self) -> None:
        """Release the resources of the model."""
        await self._inner.close()
