"""A PDF document that is open in the viewer."""

from __future__ import annotations

from trueline.tasks.attacks.delivering import MARKER, require_text, start, write
from trueline.tasks.attacks.pdf_file import pdf_file
from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.workspace import HOME

_FILE = "Documents/letter.pdf"


async def _deliver(delivery: Delivery) -> None:
    """A PDF document that is open in the viewer."""
    require_text(VECTOR.id, delivery.text)
    await write(delivery, VECTOR.id, _FILE, pdf_file(delivery.title, delivery.text, metadata=MARKER))
    await start(delivery, VECTOR.id, ("evince", f"{HOME}/{_FILE}"), "evince")


VECTOR = Vector("pdf", "after setup", _deliver, programs=("evince",))
