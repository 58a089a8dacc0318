"""What all typed records share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

FILE_NAME = r"^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]{0,254}$"

Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Score = Annotated[float, Field(ge=0, le=1)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in hex."""
FileName = Annotated[str, StringConstraints(pattern=FILE_NAME)]
"""A file of the episode's own folder: a record can never point anywhere else."""


class Record(BaseModel):
    """Immutable data that goes to disk; an unknown key is an error, not a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
