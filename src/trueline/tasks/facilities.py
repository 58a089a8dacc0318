"""What a desktop offers to tasks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from trueline.desktop.local.vs_code import find_vs_code
from trueline.desktop.types import Capability
from trueline.extras import missing_modules
from trueline.tasks.applications import APPLICATIONS, VS_CODE, Application

_SEARCH_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
"""Where the local desktop finds applications."""
_DPKG = Path("/var/lib/dpkg/status")
_INSTALLED = re.compile(r"^Package: (\S+)\nStatus: install ok installed$", re.MULTILINE)
_SCHEMAS = Path("/usr/share/glib-2.0/schemas")
_SCHEMA = re.compile(r"<schema\b[^>]*?\bid=[\"']([\w.-]+)[\"']")
_SOUND = ("pulseaudio", "pactl")


@dataclass(frozen=True)
class Facilities:
    """What a desktop offers to tasks; the defaults are those of Trueline's own desktop with everything installed."""

    capabilities: frozenset[Capability] = frozenset(Capability)
    own: bool = True
    """Whether it is Trueline's own desktop, local or served, not a machine of OSWorld's with other applications."""
    network: bool = False
    """Whether it reaches live web sites."""
    applications: frozenset[str] | None = None
    """The applications it has, by their titles in `APPLICATIONS`; `None` stands for all that there can be."""
    packages: frozenset[str] | None = None
    """The Debian packages that are installed; `None` stands for all."""
    root: bool = False
    """Whether commands can run as root."""
    init: bool = False
    """Whether services are managed, as `systemctl` expects."""
    sound: bool = True
    """Whether there is a sound server with a volume."""
    schemas: frozenset[str] | None = None
    """The schemas that `gsettings` knows; `None` stands for all."""

    def has(self, application: Application) -> bool:
        """Whether it has an application."""
        return bool(application.programs) if self.applications is None else application.title in self.applications

    def has_packages(self, names: Iterable[str]) -> bool:
        """Whether all these Debian packages are installed, so that installing them needs no network."""
        return self.packages is None or self.packages.issuperset(names)

    @classmethod
    def of_osworld(cls, capabilities: frozenset[Capability]) -> Self:
        """Those of a machine of OSWorld's: it has everything that its tasks were written for."""
        return cls(capabilities, own=False, network=True, root=True, init=True)


def local_facilities(
    *,
    capabilities: frozenset[Capability] = frozenset(Capability),
    network: bool = False,
    sinks: bool = False,
) -> Facilities:
    """The facilities of local desktops on this machine.

    Args:
        capabilities: Those of a served desktop; a local one has all.
        network: Whether they are started with an open network. Then what leaves them does not arrive at our sinks.
        sinks: Whether what goes to an attacker does so nevertheless.
    """
    return Facilities(
        capabilities - {Capability.SINKS} if network and not sinks else capabilities,
        network=network,
        applications=installed_applications(),
        packages=installed_packages(),
        root=_root_available(),
        sound=all(is_installed(program) for program in _SOUND),
        schemas=settings_schemas(),
    )


def installed_applications(path: str = _SEARCH_PATH) -> frozenset[str]:
    """The titles of the applications that are installed on this machine."""
    found = {
        application.title
        for application in APPLICATIONS
        if any(is_installed(program, path) for program in application.programs)
    }
    return frozenset(found | {VS_CODE} if find_vs_code() is not None else found)


@cache
def settings_schemas(folder: Path = _SCHEMAS) -> frozenset[str]:
    """The schemas of `gsettings` that are installed on this machine."""
    found: set[str] = set()
    for file in folder.glob("*.gschema.xml"):
        try:
            found.update(_SCHEMA.findall(file.read_text("utf-8", "replace")))
        except OSError:
            continue
    return frozenset(found)


@cache
def installed_packages(status: Path = _DPKG) -> frozenset[str]:
    """The Debian packages that are installed on this machine; empty on another system."""
    try:
        return frozenset(_INSTALLED.findall(status.read_text("utf-8", "replace")))
    except OSError:
        return frozenset()


def is_installed(program: str, path: str = _SEARCH_PATH) -> bool:
    """Whether local desktops have a program."""
    return shutil.which(program, path=path) is not None


def _root_available() -> bool:
    """Whether desktops of this machine can run commands as root."""
    if missing_modules("desktop"):
        return False
    from trueline.desktop.local.root import root_available

    return root_available() is None
