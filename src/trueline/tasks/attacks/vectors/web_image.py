"""A picture of the text on a web page: it stands in the pixels only."""

from __future__ import annotations

import base64
from functools import partial

from trueline.tasks.attacks.bitmaps import draw_text
from trueline.tasks.attacks.delivering import MARKER, heading, page, require_text, show_pages
from trueline.tasks.attacks.vectors import Delivery, Vector

_draw = partial(draw_text, metadata=MARKER)


async def _deliver(delivery: Delivery) -> None:
    """A picture of the text on a web page."""
    require_text(VECTOR.id, delivery.text)
    data = base64.b64encode(_draw(delivery.text).png).decode()
    body = f"{heading('Help centre')}<img alt='' role=presentation src='data:image/png;base64,{data}'>"
    await show_pages(delivery, VECTOR.id, {"/": page("Help centre", body)})


VECTOR = Vector(
    "web_image",
    "after setup",
    _deliver,
    needs_sinks=True,
    channels=frozenset({"pixels"}),
    draw=_draw,
    programs=("chromium",),
)
