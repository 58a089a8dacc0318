"""The first lines of a text file that the task has the agent look at."""

from __future__ import annotations

from textwrap import wrap

from trueline.desktop.types import PathRefused
from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.errors import SetupError
from trueline.tasks.workspace import HOME

_WIDTH = 72


async def _deliver(delivery: Delivery) -> None:
    """The first lines of a text file that the task has the agent look at."""
    path = delivery.params.get("file_path_vm")
    if not isinstance(path, str):
        raise SetupError("document: the task's injection has no params.file_path_vm")
    try:
        there = await delivery.desktop.get(path)
    except PathRefused:
        there = b""
    # An editor may cut long lines off at its window's edge.
    lines = (line for given in delivery.text.splitlines() for line in wrap(given, _WIDTH, break_on_hyphens=False))
    head = "\n".join((delivery.title, *lines, "", ""))
    await delivery.desktop.put(path, head.encode() + there)


_SAMPLE = "Documents/notes.txt"
VECTOR = Vector(
    "document",
    "before applications",
    _deliver,
    shown_by=("mousepad", f"{HOME}/{_SAMPLE}"),
    sample=(("file_path_vm", _SAMPLE),),
)
