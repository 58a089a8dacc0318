"""Starts a program as an unprivileged user, for root: `enter.py UID GID PLACE FOLDER... -- PATH ARGUMENT...`.

The folders may lie where only root can go. Each is seen as PLACE/0, PLACE/1 … in a mount namespace of the program.
"""

from __future__ import annotations

import ctypes
import os
import sys

_NEWUSER_NEWNS = 0x10000000 | 0x20000
_MS_NOSUID, _MS_NODEV, _MS_BIND_REC = 0x2, 0x4, 0x1000 | 0x4000
_PR_SET_PDEATHSIG, _SIGKILL = 1, 9
_LIBC = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def _become_root_of_a_namespace(uid: int, gid: int) -> None:
    """Make a user and a mount namespace that know root and the user; only a process outside may say who they are."""
    read, write = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.read(read, 1)
        for name, id in (("uid_map", uid), ("gid_map", gid)):
            with open(f"/proc/{parent}/{name}", "w", encoding="ascii") as file:
                file.write(f"0 0 1\n{id} {id} 1\n")
        os._exit(0)
    _check(_LIBC.unshare(_NEWUSER_NEWNS), "unshare")
    os.write(write, b"x")
    if os.waitpid(child, 0)[1]:
        sys.exit("cannot map the users of a namespace")
    os.close(read)
    os.close(write)


def main() -> None:
    """Do it; the program takes the place of this one."""
    uid, gid, place = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    end = sys.argv.index("--")
    folders, argv = sys.argv[4:end], sys.argv[end + 1 :]
    _become_root_of_a_namespace(uid, gid)
    _check(_LIBC.mount(b"tmpfs", place.encode(), b"tmpfs", ctypes.c_ulong(_MS_NOSUID | _MS_NODEV), b"mode=0755"), place)
    for number, folder in enumerate(folders):
        target = f"{place}/{number}"
        os.mkdir(target, 0o755)
        _check(_LIBC.mount(folder.encode(), target.encode(), b"", ctypes.c_ulong(_MS_BIND_REC), b""), folder)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    _LIBC.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    os.chdir("/")
    os.execv(argv[0], argv)  # noqa: S606 - what this is for


main()
