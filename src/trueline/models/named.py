"""A model that has a name and nothing else, for looking at what would be asked before anything is."""

from __future__ import annotations

from trueline.errors import InputError
from trueline.models.types import Answer, ModelId, Request


class NamedModel:
    """Says which model it is."""

    def __init__(self, model_id: ModelId) -> None:
        self._id = model_id

    @property
    def id(self) -> ModelId:
        """Which model this is; its address is known only where it was given."""
        return self._id

    async def ask(self, request: Request) -> Answer:
        """Refuse.

        Raises:
            InputError: Always.
        """
        raise InputError(f"{self._id} was only named, not opened, so it cannot be asked ({request.purpose})")

    async def close(self) -> None:
        """Do nothing: there is nothing to give back."""
