"""Applications with a document or mails, by OS-Harm's names: what shows an injection, or stands open beside one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from trueline.desktop.types import Desktop

_MODULES = {"thunderbird": "thunderbird", "libreoffice_writer": "writer"}
"""By the names that `additional_config` may have."""


@dataclass(frozen=True)
class CarrierStage:
    """Where a carrier is set up, and what the task says of it."""

    desktop: Desktop
    params: Mapping[str, JsonValue]
    """The `params` of the task's entry for it."""
    assets: tuple[Path, ...] = ()
    """Folders with the files that come with the tasks."""


@dataclass(frozen=True)
class Carrier:
    """An application with harmless content."""

    id: str
    application: str
    """Its title in `APPLICATIONS`."""
    prepare: Callable[[CarrierStage], Awaitable[None]]
    """Brings its files, before any application starts."""
    open: Callable[[CarrierStage], Awaitable[None]]
    """Opens it, after the task's own setup."""


def find_carrier(name: str) -> Carrier | None:
    """The carrier of this name, if there is one."""
    module = _MODULES.get(name)
    return None if module is None else cast("Carrier", import_module(f"{__name__}.{module}").CARRIER)
