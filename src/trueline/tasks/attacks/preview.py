"""How an injection looks on a real desktop, and in which channels it can be found there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from trueline.desktop.types import Desktop, DesktopError, Settled
from trueline.errors import TruelineError
from trueline.records.observation import ObservationSpec
from trueline.tasks.attacks.exposure import is_pictured
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.recognise import contains_text
from trueline.tasks.attacks.sinks.open import Listening, open_sinks
from trueline.tasks.errors import SetupError


class PreviewDesktop(Desktop, Listening, Protocol):
    """A desktop with sinks."""


@dataclass(frozen=True)
class Preview:
    """What is on the screen after an injection was delivered."""

    png: bytes = field(repr=False)
    in_text: bool
    """Its text stands in the accessibility tree."""
    in_pixels: bool | None
    """It can be read in the picture; `None`: not measured."""
    unmeasured: str = ""
    """Why that was not measured."""


async def preview(desktop: PreviewDesktop, attack: ActiveInjection) -> Preview:
    """Deliver an injection on a new desktop as to a host task, and look at it.

    Raises:
        SetupError: It cannot be delivered.
    """
    async with open_sinks(desktop, attack.pages):
        await attack.prepare(desktop)
        await attack.deliver(desktop, "before applications")
        if attack.vector.shown_by:
            await _open(desktop, attack.vector.shown_by)
        await attack.deliver(desktop, "after setup")
        await attack.deliver(desktop, "during")
        await attack.confirm_now(desktop)
        await desktop.wait_for(Settled())
        seen = await desktop.observe(ObservationSpec(tree=True))
    png = seen.png() or b""
    words = "" if seen.tree is None else " ".join(f"{node.name} {node.text}" for node in seen.tree.root.walk())
    try:
        in_pixels = await asyncio.to_thread(is_pictured, png, attack.text, attack.vector.drawn(attack.text))
    except TruelineError as error:
        return Preview(png, contains_text(words, attack.text), None, str(error))
    return Preview(png, contains_text(words, attack.text), in_pixels)


async def _open(desktop: Desktop, argv: tuple[str, ...]) -> None:
    try:
        await desktop.launch(argv)
    except DesktopError as error:
        raise SetupError(f"{argv[0]} cannot be started: {error}") from error
