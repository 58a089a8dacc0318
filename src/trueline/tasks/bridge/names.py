"""What OSWorld's package can score, known without the package."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from trueline.tasks.model.evaluator import INFEASIBLE, Check


@cache
def known_names() -> dict[str, frozenset[str]]:
    """The names of its `metrics` and `getters`."""
    content: dict[str, list[str]] = json.loads((resources.files("trueline.tasks.bridge") / "names.json").read_bytes())
    return {kind: frozenset(names) for kind, names in content.items()}


def has_check(check: Check) -> bool:
    """Whether the package has the function of a check and all of its getters."""
    getters = (getter.type for getter in (check.result, check.expected) if getter is not None)
    return (
        check.function != INFEASIBLE
        and check.function in known_names()["metrics"]
        and all(name in known_names()["getters"] for name in getters)
    )
