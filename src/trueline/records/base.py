"""What all typed records share."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

FILE_NAME = r"^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]{0,254}$"


def _check_file_name(value: str) -> str:
    if not re.fullmatch(FILE_NAME, value):
        raise ValueError("must be usable as a file name: without / or \\, and not beginning with a dot")
    return value


Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Score = Annotated[float, Field(ge=0, le=1)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in hex."""
FileName = Annotated[str, AfterValidator(_check_file_name)]
"""A file of the episode's own folder: a record can never point anywhere else."""


class Record(BaseModel):
    """Immutable data that goes to disk; an unknown key is an error, not a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
