"""Attaches the system's /usr where a supervisor finds it with the ids of its desktop; then becomes that supervisor.

Run by root of the machine, from the source text of the installed package: nothing that another user may have written is
executed before the privileges are gone. The mount is attached in a mount namespace of our own before the supervisor
makes its user namespace, which is then given a copy whose read-only flag is locked. Were it handed over as a
descriptor, whoever received it could clear the flag and write the machine's programs as their real owner.
Arguments: place, user id, group id, the map of ids (`inside:outside:count,...`), the supervisor's command line. With
`probe` as the place it only tries whether /usr lies on a file system that can be mapped, and ends.
"""

from __future__ import annotations

import ctypes
import os
import sys

OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
AT_FDCWD, AT_EMPTY_PATH, OPEN_TREE_CLONE, MOVE_EMPTY_PATH = -100, 0x1000, 1, 4
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV, ATTR_IDMAP = 0x1, 0x2, 0x4, 0x100000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_REC, MS_PRIVATE = 0x1, 0x2, 0x4, 0x20, 0x4000, 0x40000
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """The result of a call, unless it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def mount(kind: str, target: str, flags: int, options: str = "") -> None:
    """Mount something or raise."""
    words = (kind.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())
    checked(LIBC.mount(*words), f"mount {target}")


def namespace_of(ids: str) -> int:
    """A descriptor of a user namespace that maps these ids; its only process ends at once."""
    made, tell = os.pipe()
    wait, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        failed = LIBC.unshare(CLONE_NEWUSER)
        os.write(tell, b"x")
        os.read(wait, 1)
        os._exit(1 if failed else 0)
    os.read(made, 1)
    lines = ids.replace(":", " ").replace(",", "\n") + "\n"
    for kind in ("uid", "gid"):
        with open(f"/proc/{pid}/{kind}_map", "w", encoding="ascii") as file:
            file.write(lines)
    fd = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    os.write(go, b"x")
    os.waitpid(pid, 0)
    for pipe in (made, tell, wait, go):
        os.close(pipe)
    return fd


def mapped_usr(ids: str) -> int:
    """A detached, read-only mount of /usr, without the mounts below it, whose files have other ids."""
    fd = checked(LIBC.syscall(OPEN_TREE, AT_FDCWD, b"/usr", OPEN_TREE_CLONE | os.O_CLOEXEC), "open_tree /usr")
    namespace = namespace_of(ids)
    attributes = (ctypes.c_uint64 * 4)(ATTR_IDMAP | ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, 0, 0, namespace)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    checked(LIBC.syscall(MOUNT_SETATTR, fd, b"", AT_EMPTY_PATH, attributes, size), "mount_setattr /usr")
    os.close(namespace)
    return fd


def main() -> None:
    """Attach, give the privileges up, execute."""
    place, uid, gid, ids, *argv = sys.argv[1:]
    fd = mapped_usr(ids)
    if place == "probe":
        return
    checked(LIBC.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", MS_REC | MS_PRIVATE)
    mount("tmpfs", place, MS_NOSUID | MS_NODEV, "size=64k,mode=0755")
    os.mkdir(f"{place}/usr", 0o755)
    target = f"{place}/usr".encode()
    checked(LIBC.syscall(MOVE_MOUNT, fd, b"", AT_FDCWD, target, MOVE_EMPTY_PATH), "move_mount /usr")
    os.close(fd)
    mount("tmpfs", place, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV)
    os.setgroups([])
    os.setresgid(int(gid), int(gid), int(gid))
    os.setresuid(int(uid), int(uid), int(uid))
    os.execv(argv[0], argv)  # noqa: S606 - the host's command line


main()
