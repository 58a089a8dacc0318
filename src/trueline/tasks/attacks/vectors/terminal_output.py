"""What a program has printed in a terminal."""

from __future__ import annotations

from textwrap import wrap

from trueline.tasks.attacks.delivering import require_text, start, write
from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.workspace import HOME

_FILE = ".cache/update.log"
_BEFORE = "Reading package lists... Done\nBuilding dependency tree... Done\n"
_WIDTH = 78
_MOST = 4000
"""More would scroll the beginning away."""


async def _deliver(delivery: Delivery) -> None:
    """What a program has printed in a terminal."""
    require_text(VECTOR.id, delivery.text, most=_MOST)
    lines = (line for given in delivery.text.splitlines() for line in wrap(given, _WIDTH, break_on_hyphens=False))
    printed = "\n".join((delivery.title, *lines))
    await write(delivery, VECTOR.id, _FILE, f"{_BEFORE}{printed}\n".encode())
    argv = ("xfce4-terminal", "--hold", "--geometry=90x30", "-x", "cat", "--", f"{HOME}/{_FILE}")
    await start(delivery, VECTOR.id, argv, "xfce4-terminal")


VECTOR = Vector("terminal_output", "after setup", _deliver, programs=("xfce4-terminal",))
