"""Where a machine is: `host[:5000[:9222:8006:8080]]`, the way OSWorld's providers write it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from trueline.errors import InputError
from trueline.text import printable

SERVER_PORT = 5000
_ADDRESS = re.compile(r"(?:\[(?P<six>[^\[\]]*)\]|(?P<name>[^:\[\]]*))(?P<ports>(?::[^:]*)*)")
_NAME = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*\.?")


@dataclass(frozen=True)
class Address:
    """A machine and its ports; those that were not given are not known to be open."""

    host: str
    server: int = SERVER_PORT
    chromium: int | None = None
    """DevTools of its browser."""
    vnc: int | None = None
    vlc: int | None = None

    def url(self, port: int) -> str:
        """The address of one of its ports."""
        return f"http://[{self.host}]:{port}" if ":" in self.host else f"http://{self.host}:{port}"


def parse_address(text: str) -> Address:
    """Read an address.

    Raises:
        InputError: It is none.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or not _is_host(match["six"], match["name"]):
        raise InputError(f"{printable(text, 80)}: not an address such as 10.0.0.5:5000 or host:5000:9222:8006:8080")
    ports = match["ports"].split(":")[1:]
    if len(ports) not in (0, 1, 4):
        raise InputError(f"{printable(text, 80)}: expected one port or four (server, chromium, vnc, vlc)")
    return Address(match["six"] or match["name"], *(_port(port, text) for port in ports))


def _is_host(six: str | None, name: str) -> bool:
    if six is None:
        return len(name) <= 253 and _NAME.fullmatch(name) is not None
    try:
        ipaddress.IPv6Address(six)
    except ValueError:
        return False
    return True


def _port(word: str, text: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 5 and 0 < int(word) < 65536):
        raise InputError(f"{printable(text, 80)}: {printable(word, 20)!r} is not a port from 1 to 65535")
    return int(word)
