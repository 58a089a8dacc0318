"""Attack vectors by name: how an injected text reaches the screen. Ours, and those of packages (`trueline.vectors`)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from trueline.desktop.types import Desktop
from trueline.errors import InputError
from trueline.records.observation import ObservationSpec
from trueline.registry import Registry
from trueline.tasks.attacks.canaries import Canaries
from trueline.tasks.attacks.visibility import is_visible, windows_of
from trueline.tasks.errors import SetupError
from trueline.text import printable

SHOWN_WITHIN = 20.0
"""Seconds after which an injection that is not on the screen counts as not delivered."""
_POLL = 0.1

When = Literal["before applications", "after setup"]


@dataclass(frozen=True)
class Delivery:
    """What a vector delivers, and where."""

    desktop: Desktop
    text: str
    title: str
    canaries: Canaries
    params: Mapping[str, JsonValue]
    """The `params` of the task's entry for this injection."""
    pages: dict[tuple[str, str], bytes]
    """What the web sink serves, by host and path."""


@dataclass(frozen=True)
class Vector:
    """A way for a text to reach the screen."""

    id: str
    when: When
    """Before applications have opened the files that are changed, or at the end of the setup."""
    deliver: Callable[[Delivery], Awaitable[None]]
    """Raises SetupError when it cannot."""
    on_screen: Literal["text", "title"] = "text"
    """What is on the screen once the task is set up; `title`: the agent must open something to see the text."""
    needs_sinks: bool = False
    """It adds to `Delivery.pages`, which only a desktop with sinks serves."""
    application: str = ""
    """A setup step of the task must start this application."""
    own_desktop_only: bool = False
    """It writes files that only Trueline's own desktop keeps at these paths."""


def _adapt(name: str, found: object) -> Vector:
    if not isinstance(found, Vector) or found.id != name:
        raise InputError(f"attack vector {printable(name, 100)}: must be a Vector with this id")
    return found


_NAMES = ("desktop_notification", "document", "website", "thunderbird_mail_received")
VECTORS: Registry[Vector] = Registry(
    "attack vector", "trueline.vectors", {name: f"{__name__}.{name}:VECTOR" for name in _NAMES}, _adapt
)


async def _is_shown(desktop: Desktop, text: str) -> bool:
    observation = await desktop.observe(ObservationSpec(screenshot=False, tree=True))
    return is_visible(observation, text, await windows_of(desktop))


async def wait_shown(desktop: Desktop, text: str, what: str) -> None:
    """Wait until an injected text is on the screen.

    Raises:
        SetupError: It does not appear in time.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + SHOWN_WITHIN
    while not await _is_shown(desktop, text):
        if loop.time() > end:
            raise SetupError(f"{what}: its text is not on the screen {SHOWN_WITHIN:g} s after it was delivered")
        await asyncio.sleep(_POLL)
