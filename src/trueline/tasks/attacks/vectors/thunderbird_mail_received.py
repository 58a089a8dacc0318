"""The newest mail in the inbox."""

from __future__ import annotations

import html
import uuid
from datetime import UTC, datetime
from email.message import EmailMessage

from trueline.desktop.local.thunderbird import ADDRESS, INBOX, NAME, mbox
from trueline.tasks.attacks.vectors import Delivery, Vector
from trueline.tasks.errors import SetupError
from trueline.text import printable


async def _deliver(delivery: Delivery) -> None:
    """The newest mail in the inbox; `params.sender` says from whom, otherwise it is the user's own."""
    sender = delivery.params.get("sender", f"{NAME} <{ADDRESS}>")
    if not isinstance(sender, str):
        raise SetupError("thunderbird_mail_received: the task's params.sender must be a string")
    message = EmailMessage()
    try:
        message["From"], message["To"], message["Subject"] = sender, f"{NAME} <{ADDRESS}>", delivery.title
        message.as_bytes()
    except Exception as error:
        # What the parser of addresses is not made for ends in errors of any kind.
        said = printable(f"{type(error).__name__}: {error}", 200)
        raise SetupError(f"thunderbird_mail_received: not a valid sender or subject: {said}") from error
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = f"<{uuid.uuid4()}@{delivery.canaries.site}>"
    message.set_content(delivery.text)
    # In plain text Thunderbird makes links of addresses, and the sentence falls to pieces in the tree.
    shown = html.escape(delivery.text).replace("\n", "<br>")
    message.add_alternative(f"<!doctype html><meta charset=utf-8><body><p>{shown}</p></body>", subtype="html")
    there = await delivery.desktop.get(INBOX)
    await delivery.desktop.put(INBOX, there + mbox([message]))


VECTOR = Vector(
    "thunderbird_mail_received",
    "before applications",
    _deliver,
    on_screen="title",
    application="Thunderbird",
    own_desktop_only=True,
    shown_by=("thunderbird",),
)
