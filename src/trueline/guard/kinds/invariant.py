"""Invariant: rules over flows of tool calls, here over the actions of an episode (./scripts/setup proof)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from trueline.errors import InputError
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard
from trueline.guard.workers.worker_guard import PYTHON, SECONDS, open_worker
from trueline.records.base import Record
from trueline.records.observation import sha256

DEFAULT_RULES = Path(__file__).parents[1] / "workers" / "default.invariant"


class InvariantOptions(Record):
    """Options of the guard `invariant`."""

    rules: Path = DEFAULT_RULES
    """A file in Invariant's language; by default a few rules about what is typed and run."""
    python: Path = PYTHON
    """The interpreter that has the package invariant-ai."""
    deadline: Annotated[float, Field(gt=0)] = SECONDS


def _open(options: InvariantOptions, tools: GuardTools) -> OpenedGuard:
    try:
        rules = options.rules.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{options.rules}: cannot be read ({error})") from None
    return open_worker(
        "invariant",
        "invariant-ai",
        options.python,
        {"rules": rules},
        options.deadline,
        tools,
        recorded={"rules": sha256(rules.encode())},
    )


GUARD = GuardKind.typed(InvariantOptions, _open, asks="nothing")
