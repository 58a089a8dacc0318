"""The way out of a sandbox, if it is asked for: pasta carries its connections, the host itself stays out of reach."""

from __future__ import annotations

import asyncio
import subprocess
import time
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from trueline.desktop.local.janitor import Janitor
from trueline.desktop.local.ownership import Owner
from trueline.desktop.types import DesktopUnavailable

RESOLVER = "169.254.53.53"
"""Where the sandbox asks for names; pasta passes it on to the host's name server."""
_METADATA = ("169.254.169.254", "fd00:ec2::254")
"""Address at which clouds serve a machine its credentials."""
_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
_UP_LIMIT, _POLL = 5.0, 0.01
_START, _END = '"$@" >&2 & way=$!', 'kill -9 "$way"; wait "$way"'
# The device may be closed to ordinary users: root gives its own one a copy that nobody else sees.
_AS_OWNER = (
    "mount -t tmpfs -o mode=755 tun /dev/net && mknod -m 666 /dev/net/tun c 10 200 && "
    'user=$1 && shift && exec setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"'
)


class _Address(BaseModel):
    local: str = ""
    broadcast: str = ""
    scope: str = ""


class _Link(BaseModel):
    addr_info: list[_Address] = []


def host_addresses() -> list[str]:
    """Every address of this machine but those of its loopback, its broadcasts, and where clouds keep secrets.

    The sandbox gets them for its own, so that what it sends there comes back to it.

    Raises:
        DesktopUnavailable: They cannot be told; without them there is no safe way out.
    """
    try:
        said = subprocess.run(["ip", "-j", "addr"], capture_output=True, timeout=10, check=True, env={"PATH": _PATH})  # noqa: S607
        links = TypeAdapter(list[_Link]).validate_json(said.stdout)
    except (OSError, subprocess.SubprocessError, ValidationError) as error:
        raise DesktopUnavailable("network open: `ip -j addr` does not work; sudo apt-get install iproute2") from error
    entries = [entry for link in links for entry in link.addr_info if entry.scope != "host"]
    found = [address for entry in entries for address in (entry.local, entry.broadcast) if address]
    return [*dict.fromkeys(found), *_METADATA]


async def open_way_out(owner: Owner, supervisor: int) -> Janitor:
    """Start pasta for the network of a supervisor and wait until there is a route; it ends with the janitor.

    It carries IPv4 alone: link-local addresses of IPv6 name an interface, so that making the host's our own does not
    keep what is sent to them from leaving, and the host answers.

    Raises:
        DesktopUnavailable: It did not come up.
    """
    argv = [
        "pasta", "--foreground", "--quiet", "--ipv4-only", "--config-net", "--no-map-gw", "--dns-forward", RESOLVER,
        "-t", "none", "-u", "none", "-T", "none", "-U", "none",
        "--userns", f"/proc/{supervisor}/ns/user", "--netns", f"/proc/{supervisor}/ns/net",
    ]  # fmt: skip
    if owner.drop:
        argv = ["unshare", "--mount", "sh", "-c", _AS_OWNER, "sh", str(owner.uid), *argv]
    way = Janitor(_START, _END, *argv)
    end = time.monotonic() + _UP_LIMIT
    while not _has_route(supervisor):
        if time.monotonic() > end:
            await asyncio.to_thread(way.finish)
            raise DesktopUnavailable("network open: pasta set up no route; check that this machine has a default route")
        await asyncio.sleep(_POLL)
    return way


def _has_route(supervisor: int) -> bool:
    """Whether a process's network has a default route."""
    try:
        lines = Path(f"/proc/{supervisor}/net/route").read_text("ascii").splitlines()[1:]
    except OSError:
        return False
    return any(line.split()[1] == "00000000" for line in lines)
