"""A machine for a run: known before anything is played, and as at its first start when the first episode begins."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from trueline.desktop.osworld.desktop import OSWorldDesktop
from trueline.desktop.perturbations.gnome import apply_gnome
from trueline.desktop.perturbations.model import Applied, Perturbation
from trueline.desktop.types import Capability
from trueline.records import ObservationSpec
from trueline.records.tree import Size


@dataclass(frozen=True)
class Facts:
    """What a machine says of itself."""

    capabilities: frozenset[Capability]
    ours: bool
    """`trueline desktop serve` serves it, with Trueline's own desktop behind."""
    look: Applied | None
    """How that server made it look otherwise."""
    screen: Size | None


async def ask_machine(address: str) -> Facts:
    """Ask a machine who it is; nothing is changed there.

    Raises:
        DesktopLost: It cannot be reached, or its answers make no sense.
        DesktopUnavailable: It wants another token.
        NotSupported: It runs no Linux.
    """
    async with OSWorldDesktop(address) as desktop:
        seen = await desktop.observe(ObservationSpec(screenshot=False))
        return Facts(desktop.capabilities, desktop.ours, desktop.look, seen.screen)


@asynccontextmanager
async def fresh(
    address: str, perturbation: Perturbation | None = None, *, sudo_password: str | None = None
) -> AsyncGenerator[OSWorldDesktop]:
    """Connect to a machine and put it back to its first state, if it can be; somebody may have used it before.

    Args:
        address: `host:port`.
        perturbation: Applied then, by the commands of GNOME.
        sudo_password: For the part of it that only root may set.

    Raises:
        DesktopError: It cannot be reached, reset or made to look so.
    """
    async with OSWorldDesktop(address) as desktop:
        if Capability.RESET in desktop.capabilities:
            await desktop.reset()
        if perturbation is not None:
            await apply_gnome(desktop, perturbation, sudo_password=sudo_password)
        yield desktop
