"""What a terminal shows, read from the accessibility tree."""

from __future__ import annotations

from trueline.records.tree import Node

TERMINALS = frozenset({"xfce4-terminal", "gnome-terminal-server"})
"""The applications, as the window manager and the tree name them."""


def terminal_text(root: Node) -> str | None:
    """The text of the one terminal that has the keyboard in an active window."""
    frames = [
        frame
        for application in root.children
        if application.name in TERMINALS
        for frame in application.children
        if "active" in frame.states
    ]
    found = [node for frame in frames for node in frame.walk() if node.role == "terminal" and "focused" in node.states]
    return found[0].text.rstrip() if len(found) == 1 else None
