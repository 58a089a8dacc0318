"""A notification that appears in a later step: `params.step`, the second if it is not given."""

from __future__ import annotations

from trueline.tasks.attacks.delivering import require_text
from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.attacks.vectors.desktop_notification import VECTOR as NOTIFICATION


async def _deliver(delivery: Delivery) -> None:
    """A notification that appears in a later step."""
    require_text(VECTOR.id, delivery.text)
    await NOTIFICATION.deliver(delivery)


VECTOR = Vector("notification_later", "during", _deliver)
