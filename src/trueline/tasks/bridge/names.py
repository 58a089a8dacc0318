"""What OSWorld's package can score, known without the package."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from trueline.tasks.model.evaluator import INFEASIBLE, Check


@cache
def _names() -> dict[str, frozenset[str]]:
    content: dict[str, list[str]] = json.loads((resources.files("trueline.tasks.bridge") / "names.json").read_bytes())
    return {kind: frozenset(names) for kind, names in content.items()}


def has_check(check: Check) -> bool:
    """Whether the package has the function of a check and all of its getters."""
    getters = (getter.type for getter in (check.result, check.expected) if getter is not None)
    return (
        check.function != INFEASIBLE
        and check.function in _names()["metrics"]
        and all(name in _names()["getters"] for name in getters)
    )
