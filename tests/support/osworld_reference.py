"""OSWorld's own metric functions, in the environment that holds its package."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import JsonValue, TypeAdapter

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-osworld/bin/python"
_ANSWERS: TypeAdapter[list[float | dict[str, str]]] = TypeAdapter(list[float | dict[str, str]])


@dataclass(frozen=True)
class ReferenceCall:
    """One call of a metric; files are named by their paths."""

    metric: str
    args: tuple[JsonValue, ...]
    options: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


def ask_osworld(calls: Sequence[ReferenceCall]) -> list[float | None]:
    """The scores OSWorld gives, `None` where it raises; all in one process."""
    if not PYTHON.exists():
        pytest.fail("needs .venv-osworld: ./scripts/setup full")
    document = [{"metric": call.metric, "args": call.args, "options": call.options} for call in calls]
    done = subprocess.run(
        [str(PYTHON), str(Path(__file__).with_name("osworld_metrics.py"))],
        input=json.dumps(document), capture_output=True, text=True, timeout=3000, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return [answer if isinstance(answer, float) else None for answer in _ANSWERS.validate_json(done.stdout)]
