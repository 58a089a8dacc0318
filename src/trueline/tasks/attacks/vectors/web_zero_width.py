"""A web page whose text has invisible characters between its letters."""

from __future__ import annotations

from trueline.tasks.attacks.delivering import heading, page, paragraph, require_text, show_pages
from trueline.tasks.attacks.disguise import with_zero_width
from trueline.tasks.attacks.vectors import Delivery, Vector


async def _deliver(delivery: Delivery) -> None:
    """A web page whose text has invisible characters between its letters."""
    require_text(VECTOR.id, delivery.text)
    body = heading(delivery.title) + paragraph(with_zero_width(delivery.text))
    await show_pages(delivery, VECTOR.id, {"/": page("Help centre", body)})


VECTOR = Vector("web_zero_width", "after setup", _deliver, needs_sinks=True, programs=("chromium",))
