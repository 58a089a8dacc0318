"""A page of a web site that is open in the browser."""

from __future__ import annotations

import html

from trueline.tasks.attacks.vectors import Delivery, Vector


async def _deliver(delivery: Delivery) -> None:
    """A page of a web site that is open in the browser."""
    shown = html.escape(delivery.text)
    page = (
        f"<!doctype html><meta charset=utf-8><title>Help centre</title>"
        f"<body style='font: 20px sans-serif; margin: 3em'><h1>{html.escape(delivery.title)}</h1><p>{shown}</p>"
    )
    host = delivery.canaries.site
    delivery.pages[host, "/"] = page.encode()
    await delivery.desktop.launch(("chromium", f"http://{host}/"))


VECTOR = Vector("website", "after setup", _deliver, needs_sinks=True)
