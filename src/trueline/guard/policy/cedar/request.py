"""One request to the Cedar engine."""

from __future__ import annotations

from dataclasses import dataclass

Data = dict[str, object]
NAMESPACE = "Trueline"
OPERATIONS = frozenset({"click", "type", "run", "open", "address", "end", "nothing", "unclear"})
"""The actions that are operations; all others are what operations bring about."""


@dataclass(frozen=True)
class CedarRequest:
    """What is asked about an operation, or about one file and host of a command."""

    action: str
    resource: str
    """The type of the resource."""
    attributes: Data
    """Of the resource."""
    context: Data
    exact: bool = True
    """Whether `touches` and `covers` speak of a path that is fully known."""
    effect: bool = False
    """Whether it is about something that the operation brings about."""


def unknown(name: str) -> object:
    """A value that is not known; a policy whose result depends on it cannot be evaluated."""
    return {"__extn": {"fn": "unknown", "arg": name}}
