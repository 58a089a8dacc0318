"""One evaluation's own namespaces, file systems, network and limits, inside the sandbox of the worker.

The worker's sandbox keeps the host away. What is made here keeps one evaluation, which may run code that an agent left,
away from the worker and from other evaluations: it has its own processes, its own temporary files, and a network of
which it can reach nothing but the ports that `open_ports` opens for the host to answer.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import socket
import struct

UID = 1000
"""The user inside, as the sandbox of the worker numbers it."""
PORTS = (5000, 9222, 8080)
"""Server, DevTools and player of the desktop, as OSWorld's package numbers them."""
MIB = 1 << 20

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 0x1, 0x2, 0x4, 0x8
_NAMESPACES = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000 | 0x8000000 | 0x4000000  # user mount pid net ipc uts
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_CAP_AMBIENT = 1, 24, 38, 22, 47
_SECCOMP_MODE_FILTER, _AMBIENT_CLEAR_ALL, _SIGKILL = 2, 4, 9
_CAPABILITY_VERSION = 0x20080522
_CAPSET = {"x86_64": 126, "aarch64": 91}
_MOST_CAPABILITIES = 64
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare() -> None:
    """Make namespaces of our own; the next child is the first process of a new process namespace.

    Raises:
        OSError: The system refuses.
    """
    _check(_LIBC.unshare(_NAMESPACES), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{UID} {UID} 1"), ("gid_map", f"{UID} {UID} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def die_with_parent() -> None:
    """End when the parent ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def mount_own_files(size: int) -> None:
    """Cover what other evaluations might see or leave: processes and temporary files."""
    _mount("proc", "/proc", "", _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _mount("tmpfs", "/tmp", f"size={size},nr_inodes=20000,mode=1777", _MS_NOSUID | _MS_NODEV)  # noqa: S108 - inside
    _mount("tmpfs", "/dev/shm", f"size={64 * MIB},nr_inodes=1000,mode=1777", _MS_NOSUID | _MS_NODEV)  # noqa: S108


def _mount(kind: str, target: str, options: str, flags: int) -> None:
    result = _LIBC.mount(kind.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _check(result, f"mount {target}")


def open_ports() -> list[socket.socket]:
    """Bring the loopback up and listen on the desktop's ports; who gets these sockets answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(sock, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | _IFF_UP))
    return [socket.create_server(("127.0.0.1", port)) for port in PORTS]


def limit(memory: int, cpu_seconds: int, processes: int, file_size: int) -> None:
    """Limit what each process may use."""
    for name, value in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, min(1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])),
    ):
        resource.setrlimit(name, (value, value))


def drop_rights(machine: str, seccomp: bytes) -> None:
    """Give up every capability for good, and let the filter refuse system calls from here on.

    Raises:
        OSError: The system refuses.
    """
    for capability in range(_MOST_CAPABILITIES):
        if _LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) and ctypes.get_errno() != errno.EINVAL:
            _check(-1, "drop capability")
    _LIBC.prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION, 0))
    _check(_LIBC.syscall(_CAPSET[machine], header, ctypes.create_string_buffer(24)), "capset")
    _check(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    code = ctypes.create_string_buffer(seccomp, len(seccomp))
    program = _Program(len(seccomp) // 8, ctypes.cast(code, ctypes.c_void_p))
    _check(_LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0), "seccomp")
