"""Commands of which nothing is known but that they may run."""

from __future__ import annotations

from trueline.actions.shell.command import Does, ShellCommand

MAX_DEPTH = 6
"""How deeply commands may be nested in each other's words."""


def unseen(text: str, *more: Does) -> ShellCommand:
    """A command whose text is unknown."""
    return ShellCommand((text[:200],), "", frozenset({"hidden", *more}))
