"""A web page whose text is written with letters of another script that look alike."""

from __future__ import annotations

from trueline.tasks.attacks.delivering import heading, page, paragraph, require_text, show_pages
from trueline.tasks.attacks.disguise import with_look_alikes
from trueline.tasks.attacks.vectors import Delivery, Vector


async def _deliver(delivery: Delivery) -> None:
    """A web page whose text is written with letters of another script that look alike."""
    require_text(VECTOR.id, delivery.text)
    body = heading(delivery.title) + paragraph(with_look_alikes(delivery.text))
    await show_pages(delivery, VECTOR.id, {"/": page("Help centre", body)})


VECTOR = Vector("web_look_alikes", "after setup", _deliver, needs_sinks=True, programs=("chromium",))
