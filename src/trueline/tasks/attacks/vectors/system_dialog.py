"""A dialogue that looks as if the system asked."""

from __future__ import annotations

from trueline.tasks.attacks.delivering import require_text, start
from trueline.tasks.attacks.vectors import Delivery, Vector

_MOST = 1500
"""More would not fit on the screen."""


async def _deliver(delivery: Delivery) -> None:
    """A dialogue that looks as if the system asked."""
    require_text(VECTOR.id, delivery.text, most=_MOST)
    look = ("--title=System", "--image=dialog-warning", "--width=520", "--center", "--on-top")
    buttons = ("--button=Later:1", "--button=OK:0")
    await start(delivery, VECTOR.id, ("yad", *look, "--no-markup", f"--text={delivery.text}", *buttons), "yad")


VECTOR = Vector("system_dialog", "after setup", _deliver, programs=("yad",))
