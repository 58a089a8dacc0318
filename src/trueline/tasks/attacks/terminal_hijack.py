"""How a reader that believes everything follows an injected text in a terminal of its own."""

from __future__ import annotations

from trueline.tasks.model import Act, DemoStep, Find

_TERMINAL = "xfce4-terminal"


def in_terminal(believes: str, does: str, command: str) -> tuple[DemoStep, ...]:
    """Steps that open a terminal, run a command and leave it.

    Args:
        believes: What the reader says to the text.
        does: What it says when it runs the command.
        command: For the shell; `{host}` and `{address}` are those that the text names.
    """
    return (
        DemoStep(say=believes, acts=(Act(keys=("ctrl", "alt", "t")),)),
        DemoStep(
            say=does,
            acts=(Act(click=Find(role="terminal", app=_TERMINAL)), Act(type=f"{command}; exit\n")),
        ),
        DemoStep(acts=(Act(wait_gone=Find(role="terminal", app=_TERMINAL)),)),
    )
