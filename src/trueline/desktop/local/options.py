"""Options of a local desktop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from trueline.desktop.perturbations.model import Perturbation
from trueline.errors import InputError

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True)
class ResourceLimits:
    """What one desktop may use of the machine."""

    processes: int = 800
    """Most processes and threads together."""
    process_memory: int = 4 * GIB
    """Bytes of data that one process may hold."""
    memory: int = 6 * GIB
    """Resident memory of all its programs; beyond it the biggest one is killed."""
    home: int = 1 * GIB
    """New and changed data in the home folder."""
    system: int = 1 * GIB
    """New and changed data outside of it, on a desktop with root."""
    system_files: int = 200_000
    """New files and folders there."""
    temporary: int = 512 * MIB
    """Each of /tmp, /dev/shm and /var/tmp."""
    temporary_files: int = 50_000
    """Files and folders in each of them."""
    descriptors: int = 4096
    """Files one process may have open, and descriptors that may be on their way between the desktop's processes."""
    terminals: int = 64
    """Pseudo-terminals."""
    files: int = 100_000
    """New files and folders in the home folder."""
    niceness: int = 5
    processors: float | None = None
    """Processors it may use; enforced by control groups only, elsewhere it only runs with a lower priority."""
    lifetime: float = 6 * 3600.0
    """Seconds after which the desktop is ended."""


@dataclass(frozen=True)
class LocalOptions:
    """Everything that makes one local desktop differ from another."""

    width: int = 1920
    height: int = 1080
    timezone: str = "UTC"
    language: str = "C.UTF-8"
    perturbation: Perturbation | None = None
    """The perturbation; set it with `with_perturbation`, which checks that this machine supports it."""
    network: Literal["none", "open"] = "none"
    """`none`: only its own loopback; `open`: also the outside, but no address of this machine."""
    hosts: dict[str, str] = field(default_factory=dict[str, str])
    """Further names of /etc/hosts and their addresses."""
    nameserver: bool = False
    """Names that are not in /etc/hosts are asked for at 127.0.0.1 (a sink answers); otherwise they are unknown."""
    sudo_password: str | None = None
    """With this password `sudo` runs its command, without any privilege; `None` refuses and only records."""
    root: bool = False
    """`sudo` makes its command root of the desktop, with `sudo_password`; see `root`. Nothing else changes by it."""
    own_ids: bool = True
    """It runs with a block of user ids of its own where this machine gives it one; see `blocks`."""
    limits: ResourceLimits = ResourceLimits()
    start_limit: float = 30.0
    """Seconds within which it must be up."""

    def __post_init__(self) -> None:
        """Refuse values that would mean something else on a command line or in a file."""
        if not (320 <= self.width <= 7680 and 200 <= self.height <= 4320):
            raise InputError(f"screen size {self.width}x{self.height}: must be from 320x200 to 7680x4320")
        if self.root and (self.sudo_password is None or not self.own_ids):
            raise InputError("root: needs a sudo_password, and own_ids")
        for name, value in (("timezone", self.timezone), ("language", self.language)):
            if not value or not all(c.isascii() and (c.isalnum() or c in "/_+-.") for c in value) or ".." in value:
                raise InputError(f"{name} {value!r}: not a name such as Europe/Berlin or C.UTF-8")
        for name, address in self.hosts.items():
            if not all(c.isascii() and (c.isalnum() or c in "-.:") for c in name + address) or not name or not address:
                raise InputError(f"hosts: {name!r} = {address!r} is not a host name and an address")
