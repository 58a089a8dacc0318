"""Namespaces of our own: ids, mounts and the network. Everything here goes with the last process in them."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT = 0x1, 0x2, 0x4, 0x20
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
NEWUSER, NEWNS = 0x10000000, 0x20000
NAMESPACES = NEWUSER | NEWNS | 0x40000000 | 0x8000000  # user, mount, network, IPC
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
NEVER_LEFT_FOR = ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32")
"""Loopbacks, and addresses of more than one machine."""
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1

LIBC = ctypes.CDLL(None, use_errno=True)


def mount(kind: str, source: str, target: str, options: str = "", flags: int = MS_NOSUID | MS_NODEV) -> None:
    """Mount something or raise."""
    if LIBC.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()):
        number = ctypes.get_errno()
        raise OSError(number, f"mount {kind or source} on {target}: {os.strerror(number)}")


def unshare() -> None:
    """Make namespaces of our own or raise; nobody outside sees what we mount."""
    if LIBC.unshare(NAMESPACES):
        number = ctypes.get_errno()
        raise OSError(number, f"unshare: {os.strerror(number)}")


def map_one_id(uid: int, gid: int) -> None:
    """Be root of our user namespace and its only user."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def unshare_session() -> None:
    """Make the namespaces of a session that has a root of its own: the mounts that it finds there are locked."""
    if LIBC.unshare(NEWUSER | NEWNS):
        number = ctypes.get_errno()
        raise OSError(number, f"unshare: {os.strerror(number)}")


def map_ids(pid: int, ids: list[list[int]]) -> None:
    """Give the user namespace of a process ids of ours: first inside, first of ours, how many."""
    lines = "".join(f"{inside} {ours} {count}\n" for inside, ours, count in ids)
    for kind in ("uid", "gid"):
        with open(f"/proc/{pid}/{kind}_map", "w", encoding="ascii") as file:
            file.write(lines)


def become_root() -> None:
    """Take the first id of the block that the host gave us."""
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # the host's user, who made this namespace, looks into it through /proc


def loopback_up() -> None:
    """Bring the network's only interface up, and let any user bind low ports where that may be said."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(sock, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))
    try:
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w", encoding="ascii") as file:
            file.write("0")
    except OSError:
        pass  # in some containers /proc/sys is read-only: only programs inside that want low ports miss it


def own_addresses(addresses: list[str]) -> None:
    """Make addresses of the host our own: what is sent there from inside comes back and never reaches it.

    Addresses alone do not hold it back, since a program may name the interface it sends through (SO_BINDTODEVICE,
    IP_MULTICAST_IF): what then leaves for an address of the host, its loopback or a group of machines, a policy stops.
    Policies do not concern what stays on our own loopback.
    """
    import subprocess  # costs milliseconds, and few sandboxes have a way out

    lines = [f"addr add {address}/{128 if ':' in address else 32} dev lo" for address in addresses]
    places = (*NEVER_LEFT_FOR, *(address for address in addresses if ":" not in address))  # IPv6 has no way out
    lines += [f"xfrm policy add dst {place} dir out action block" for place in places]
    done = subprocess.run(["ip", "-batch", "-"], input="\n".join(lines).encode(), capture_output=True, check=False)  # noqa: S607
    if done.returncode:
        raise OSError(errno.EADDRNOTAVAIL, f"network open: ip: {done.stderr.decode('utf-8', 'replace').strip()}")
