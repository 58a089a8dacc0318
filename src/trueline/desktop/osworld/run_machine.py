"""A remote machine for a run: queried before anything is played, and reset when it is opened."""

from __future__ import annotations

import fcntl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from trueline.desktop.local.ownership import cache_folder
from trueline.desktop.osworld.desktop import OSWorldDesktop
from trueline.desktop.perturbations.gnome import apply_gnome
from trueline.desktop.perturbations.model import Applied, Perturbation
from trueline.desktop.types import Capability
from trueline.errors import InputError
from trueline.records import ObservationSpec
from trueline.records.observation import sha256
from trueline.records.tree import Size


@dataclass(frozen=True)
class MachineInfo:
    """What a machine reports about itself."""

    capabilities: frozenset[Capability]
    ours: bool
    """`trueline desktop serve` serves it, with Trueline's own desktop behind."""
    perturbation: Applied | None
    """The perturbation that its server applied."""
    screen: Size | None


async def ask_machine(address: str) -> MachineInfo:
    """Query a machine; nothing is changed there.

    Raises:
        DesktopLost: It cannot be reached, or its answers make no sense.
        DesktopUnavailable: It wants another token.
        NotSupported: It runs no Linux.
    """
    async with OSWorldDesktop(address) as desktop:
        seen = await desktop.observe(ObservationSpec(screenshot=False))
        return MachineInfo(desktop.capabilities, desktop.ours, desktop.perturbation, seen.screen)


@asynccontextmanager
async def open_run_machine(
    address: str, perturbation: Perturbation | None = None, *, sudo_password: str | None = None
) -> AsyncGenerator[OSWorldDesktop]:
    """Connect to a machine and reset it if it can be, because it may have been used before.

    Args:
        address: `host:port`.
        perturbation: Applied then, by the commands of GNOME.
        sudo_password: For the part of it that only root may set.

    Raises:
        InputError: Another run of this computer drives it.
        DesktopError: It cannot be reached, reset or made to look so.
    """
    with _lock_machine(address):
        async with OSWorldDesktop(address) as desktop:
            if Capability.RESET in desktop.capabilities:
                await desktop.reset()
            if perturbation is not None:
                await apply_gnome(desktop, perturbation, sudo_password=sudo_password)
            yield desktop


@contextmanager
def _lock_machine(address: str) -> Generator[None]:
    """Hold a machine while the block runs: two runs would act on, and reset, each other's desktop."""
    folder = cache_folder().parent / "machines"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{sha256(address.encode())[:32]}.lock").open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{address}: another run drives this machine; wait until it has ended") from None
        yield
