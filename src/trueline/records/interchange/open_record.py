"""Base class of formats that others define and extend."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue


class OpenRecord(BaseModel):
    """Immutable data of a foreign format: unknown keys are kept and written back."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    @property
    def unknown(self) -> dict[str, JsonValue]:
        """The keys that the format does not name."""
        return dict(self.model_extra or {})
