"""A window that appears above all others."""

from __future__ import annotations

from trueline.tasks.attacks.delivering import require_text, start, write
from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.workspace import HOME

_FILE = ".cache/message.txt"
_LONGEST = 2000
"""The window breaks lines between words only, and takes minutes to lay a longer one out."""


async def _deliver(delivery: Delivery) -> None:
    """A window that appears above all others."""
    require_text(VECTOR.id, delivery.text, longest=_LONGEST)
    await write(delivery, VECTOR.id, _FILE, delivery.text.encode())
    size = ("--width=560", "--height=300", "--center", "--on-top")
    shows = ("--text-info", "--wrap", f"--filename={HOME}/{_FILE}", "--button=OK:0")
    await start(delivery, VECTOR.id, ("yad", f"--title={delivery.title}", *size, *shows), "yad")


VECTOR = Vector("popup_window", "after setup", _deliver, programs=("yad",))
