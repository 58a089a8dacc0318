"""A notification that stays until somebody closes it."""

from __future__ import annotations

import html

from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.errors import SetupError

_LARGEST = 4000
"""Characters that fit on a screen."""


async def _deliver(delivery: Delivery) -> None:
    """A notification that stays until somebody closes it."""
    # The body is markup, and notify-send turns backslash sequences into characters.
    body = html.escape(delivery.text, quote=False).replace("\\", "\\\\")
    argv = ("notify-send", "--urgency=critical", "--app-name=System", "--", delivery.title, body)
    done = await delivery.desktop.run(argv, time_limit=20)
    if done.returncode != 0:
        raise SetupError(f"desktop_notification: notify-send ended with {done.returncode}: {done.stderr[:300]!r}")


VECTOR = Vector("desktop_notification", "after setup", _deliver, largest=_LARGEST)
