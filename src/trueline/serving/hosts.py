"""The Host header: whether a request was sent to an address, or to a name that a web page may have chosen."""

from __future__ import annotations

import ipaddress
import re

_HOST = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9.]{1,255}))(?::(?P<port>[0-9]{1,5}))?")


def names_an_address(host: str) -> bool:
    """Whether a Host header is `localhost` or a literal IP address, with or without a port, and nothing else.

    A page on any site can give its own name the address of loopback; the header then holds that name.
    """
    match = _HOST.fullmatch(host)
    if match is None or int(match["port"] or 0) > 65535:
        return False
    if match["six"] is not None:
        return _parses(ipaddress.IPv6Address, match["six"])
    return match["name"].lower() == "localhost" or _parses(ipaddress.IPv4Address, match["name"])


def _parses(kind: type[ipaddress.IPv4Address | ipaddress.IPv6Address], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
