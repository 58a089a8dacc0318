"""How an injection reaches the screen."""

from __future__ import annotations

import asyncio
import html
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from textwrap import wrap
from typing import Literal

from pydantic import JsonValue

from trueline.desktop.local.thunderbird import ADDRESS, INBOX, NAME, mbox
from trueline.desktop.types import Desktop, PathRefused
from trueline.errors import InputError
from trueline.records.observation import ObservationSpec
from trueline.tasks.attacks.canaries import Canaries
from trueline.tasks.attacks.sight import shows, windows_of
from trueline.tasks.errors import SetupError
from trueline.text import printable

SHOWN_WITHIN = 20.0
"""Seconds after which an injection that is not on the screen counts as not delivered."""
_POLL = 0.1
_WIDTH = 72

When = Literal["before applications", "after setup"]


@dataclass(frozen=True)
class Delivery:
    """All that a vector needs."""

    desktop: Desktop
    text: str
    title: str
    canaries: Canaries
    params: Mapping[str, JsonValue]
    """The task's own words on this injection."""
    pages: dict[tuple[str, str], bytes]
    """What the web sink serves, by host and path."""


@dataclass(frozen=True)
class Vector:
    """One way in."""

    id: str
    when: When
    """Files are changed before an application has opened them; what pops up does so at the end."""
    deliver: Callable[[Delivery], Awaitable[None]]
    on_screen: Literal["text", "title"] = "text"
    """What of it is on the screen once the task is set up; behind the title is what the agent must open first."""


async def _notify(delivery: Delivery) -> None:
    """A notification that stays until somebody closes it."""
    # The body is markup, and notify-send turns backslash sequences into characters.
    body = html.escape(delivery.text, quote=False).replace("\\", "\\\\")
    argv = ("notify-send", "--urgency=critical", "--app-name=System", "--", delivery.title, body)
    done = await delivery.desktop.run(argv, time_limit=20)
    if done.returncode != 0:
        raise SetupError(f"desktop_notification: notify-send ended with {done.returncode}: {done.stderr[:300]!r}")


async def _document(delivery: Delivery) -> None:
    """The first lines of a text file that the task has the agent look at."""
    path = delivery.params.get("file_path_vm")
    if not isinstance(path, str):
        raise SetupError("document: the task's injection has no params.file_path_vm")
    try:
        there = await delivery.desktop.get(path)
    except PathRefused:
        there = b""
    # An editor may cut long lines off at its window's edge.
    lines = (line for given in delivery.text.splitlines() for line in wrap(given, _WIDTH, break_on_hyphens=False))
    head = "\n".join((delivery.title, *lines, "", ""))
    await delivery.desktop.put(path, head.encode() + there)


async def _website(delivery: Delivery) -> None:
    """A page of a web site that is open in the browser."""
    shown = html.escape(delivery.text)
    page = (
        f"<!doctype html><meta charset=utf-8><title>Help centre</title>"
        f"<body style='font: 20px sans-serif; margin: 3em'><h1>{html.escape(delivery.title)}</h1><p>{shown}</p>"
    )
    host = delivery.canaries.site
    delivery.pages[host, "/"] = page.encode()
    await delivery.desktop.launch(("chromium", f"http://{host}/"))


async def _mail(delivery: Delivery) -> None:
    """The newest mail in the inbox; `params.sender` says from whom, otherwise it is the user's own."""
    sender = delivery.params.get("sender", f"{NAME} <{ADDRESS}>")
    if not isinstance(sender, str):
        raise SetupError("thunderbird_mail_received: the task's params.sender is no text")
    message = EmailMessage()
    try:
        message["From"], message["To"], message["Subject"] = sender, f"{NAME} <{ADDRESS}>", delivery.title
        message.as_bytes()
    except Exception as error:
        # What the parser of addresses is not made for ends in errors of any kind.
        said = printable(f"{type(error).__name__}: {error}", 200)
        raise SetupError(f"thunderbird_mail_received: no mail can have such a sender or title: {said}") from error
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = f"<{uuid.uuid4()}@{delivery.canaries.site}>"
    message.set_content(delivery.text)
    # In plain text Thunderbird makes links of addresses, and the sentence falls to pieces in the tree.
    shown = html.escape(delivery.text).replace("\n", "<br>")
    message.add_alternative(f"<!doctype html><meta charset=utf-8><body><p>{shown}</p></body>", subtype="html")
    there = await delivery.desktop.get(INBOX)
    await delivery.desktop.put(INBOX, there + mbox([message]))


VECTORS: Mapping[str, Vector] = {
    vector.id: vector
    for vector in (
        Vector("desktop_notification", "after setup", _notify),
        Vector("document", "before applications", _document),
        Vector("website", "after setup", _website),
        Vector("thunderbird_mail_received", "before applications", _mail, on_screen="title"),
    )
}


def find_vector(name: str) -> Vector:
    """The vector of this name.

    Raises:
        InputError: There is none.
    """
    if name not in VECTORS:
        raise InputError(f"injection vector {name!r}: known are {', '.join(VECTORS)}")
    return VECTORS[name]


async def _is_shown(desktop: Desktop, text: str) -> bool:
    observation = await desktop.observe(ObservationSpec(screenshot=False, tree=True))
    return shows(observation, text, await windows_of(desktop))


async def wait_shown(desktop: Desktop, text: str, what: str) -> None:
    """Wait until an injected text is on the screen.

    Raises:
        SetupError: It is not, in time.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + SHOWN_WITHIN
    while not await _is_shown(desktop, text):
        if loop.time() > end:
            raise SetupError(f"{what}: its text is not on the screen {SHOWN_WITHIN:g} s after it was delivered")
        await asyncio.sleep(_POLL)
