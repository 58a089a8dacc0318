"""The file system of a desktop whose user may become root: the machine's programs below, everything writable above.

All of it is mounted in the supervisor's namespace: the session's is made below that one and finds its mounts locked.
Layers that we make belong to the root inside, which is number 1 of our user namespace.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import stat
from contextlib import contextmanager, suppress

from namespaces import LIBC, MS_BIND, MS_NODEV, MS_NOSUID, PR_SET_DUMPABLE, mount

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TypedDict

    class RootPlan(TypedDict):
        """What a desktop with root is built of."""

        usr: str
        """Where the machine's /usr lies for us."""
        mapped: bool
        """It was attached with the desktop's ids; its read-only flag must be locked."""
        folders: str
        """Without such ids: a file that lists the folders of /usr, which we make in a layer of our own."""
        ids: list[list[int]]
        """The session's user namespace as it maps ours: first inside, first outside, how many."""
        etc: list[str]
        """What is copied out of the machine's /etc."""
        own: dict[str, tuple[int, str]]
        """Files of our own by path: permissions and content."""
        launchers: list[str]
        """Folders whose programs /usr/local/bin holds; those of the later ones win."""
        links: dict[str, str]
        directories: dict[str, int]
        data: dict[str, list[str]]
        """Folders of the machine's /var that are there as layers, and those in them whose files are copied."""


LOCAL = ("bin", "etc", "games", "include", "lib/system", "lib/trueline", "sbin", "share/man", "src")
ROOT = 1
"""The root inside, as our user namespace numbers it."""
MOUNT_SETATTR, AT_FDCWD, ATTR_RDONLY = 442, -100, 0x1
PASSWORD = re.compile(rb"://[^/\s@]*@")
"""Files with addresses that hold a password are not copied."""
OPAQUE = "user.overlay.opaque"


def build_root(work: str, plan: RootPlan, shown: tuple[str, ...] = ()) -> None:
    """Mount the whole file system of the session below `root` of the work area.

    `shown` are folders below /usr/local on which something is mounted later.

    Raises:
        OSError: It cannot be mounted, or the machine's files could be made writable.
    """
    system, root = f"{work}/system", f"{work}/root"
    if plan["mapped"]:
        require_locked(plan["usr"])
    os.mkdir(root, 0o755)
    for name in ("base", "new", "scratch"):
        os.mkdir(f"{system}/{name}", 0o755)
        os.chown(f"{system}/{name}", ROOT, ROOT)
    with as_root_inside():
        make_base(f"{system}/base/root", plan)
        make_usr(f"{system}/base/usr", plan)
        make_local(f"{system}/base/local", plan["launchers"], shown)
        for path, copied in plan["data"].items():
            make_data(f"{system}/base/{layer_name(path)}", path, copied)
    overlay(system, "root", f"{system}/base/root", root)
    overlay(system, "usr", f"{system}/base/usr:{plan['usr']}", f"{root}/usr")
    overlay(system, "local", f"{system}/base/local", f"{root}/usr/local")
    # A folder on which something is mounted can be written, but neither moved nor replaced: what is bound below it, our
    # own programs, stays where it is.
    mount("", f"{root}/usr/local/lib", f"{root}/usr/local/lib", "", MS_BIND)
    for path in plan["data"]:
        name = layer_name(path)
        overlay(system, name, f"{system}/base/{name}:{path}", root + path)


def layers(work: str, plan: RootPlan) -> list[tuple[str, str, str, bool]]:
    """Of each layer that holds changes: its path, what lies below it, its place inside, whether both have our ids."""
    system = f"{work}/system"
    found = [
        (f"{system}/new/root", f"{system}/base/root", "/", True),
        (f"{system}/new/usr", plan["usr"], "/usr/", plan["mapped"]),
        (f"{system}/new/local", f"{system}/base/local", "/usr/local/", True),
    ]
    return [*found, *((f"{system}/new/{layer_name(path)}", path, f"{path}/", False) for path in plan["data"])]


def layer_name(path: str) -> str:
    """The name of a folder's layers."""
    return path[1:].replace("/", "_")


def require_locked(path: str) -> None:
    """Make sure that the mount cannot be made writable from here: whoever could would write as the machine's root."""
    attributes = (ctypes.c_uint64 * 4)(0, ATTR_RDONLY, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    if LIBC.syscall(MOUNT_SETATTR, AT_FDCWD, path.encode(), 0, attributes, size) == 0:
        raise OSError(errno.EPERM, "the mount of /usr is not locked")


@contextmanager
def as_root_inside() -> Generator[None]:
    """What is made in this block belongs to the root inside."""
    os.setegid(ROOT)
    os.seteuid(ROOT)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # as after `become_root`, which a change of ids takes back


def overlay(system: str, name: str, lower: str, target: str) -> None:
    """Mount an overlay whose changes are kept under this name."""
    for kind in ("new", "scratch"):
        os.mkdir(f"{system}/{kind}/{name}", 0o755)
        os.chown(f"{system}/{kind}/{name}", ROOT, ROOT)
    options = f"lowerdir={lower},upperdir={system}/new/{name},workdir={system}/scratch/{name},userxattr"
    mount("overlay", "overlay", target, options, MS_NOSUID | MS_NODEV)


def make_base(place: str, plan: RootPlan) -> None:
    """Everything outside of /usr: copies of the machine's configuration, our own files, empty folders."""
    os.mkdir(place, 0o755)
    for path, mode in plan["directories"].items():
        os.makedirs(place + path, exist_ok=True)
        os.chmod(place + path, mode)
    for path in plan["data"]:
        os.makedirs(place + path, exist_ok=True)
    for name in plan["etc"]:
        os.makedirs(os.path.dirname(f"{place}/etc/{name}"), exist_ok=True)
        copy_readable(f"/etc/{name}", f"{place}/etc/{name}")
    for path, target in plan["links"].items():
        replace(place + path)
        os.symlink(target, place + path)
    for path, (mode, text) in plan["own"].items():
        replace(place + path)
        os.makedirs(os.path.dirname(place + path), exist_ok=True)
        fd = os.open(place + path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(fd, mode)


def replace(path: str) -> None:
    """Remove what was copied to this path."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def make_usr(place: str, plan: RootPlan) -> None:
    """Our layer over /usr: a name for sudo, and the folders where the machine's cannot belong to the root inside."""
    os.mkdir(place, 0o755)
    if plan["folders"]:
        make_folders(place, plan["folders"])
    for name in ("bin", "local"):
        os.makedirs(f"{place}/{name}", exist_ok=True)
    os.symlink("/usr/local/bin/sudo", f"{place}/bin/sudo")


def make_folders(place: str, listed: str) -> None:
    """Make the listed folders, as old as the machine's: caches of fonts and icons tell by that whether they hold."""
    times: list[tuple[str, int]] = []
    with open(listed, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            mode, time, is_closed, path = line.rstrip("\n").split(" ", 3)
            os.mkdir(f"{place}/{path}", int(mode, 8))
            times.append((f"{place}/{path}", int(time)))
            if is_closed == "closed":
                close_below(f"{place}/{path}")
    for path, changed in times:
        os.utime(path, ns=(changed, changed))


def make_local(place: str, launchers: list[str], shown: tuple[str, ...]) -> None:
    """The layer of /usr/local, with our launchers and the folders that programs expect."""
    for name in (*LOCAL, *shown):
        os.makedirs(f"{place}/{name}")
    for folder in launchers:
        for name in os.listdir(folder):
            replace(f"{place}/bin/{name}")
            copy_readable(f"{folder}/{name}", f"{place}/bin/{name}")


def make_data(place: str, path: str, copied: list[str]) -> None:
    """Our layer over a folder of /var: its folders, and copies of the files that are written in place."""
    os.mkdir(place, 0o755)
    for top, folders, files in os.walk(path):
        below = os.path.relpath(top, path)
        for name in folders:
            if os.path.islink(f"{top}/{name}"):
                continue
            os.mkdir(f"{place}/{below}/{name}", 0o755)
            if not os.access(f"{top}/{name}", os.R_OK | os.X_OK):
                close_below(f"{place}/{below}/{name}")
        for name in files:
            is_closed = not os.access(f"{top}/{name}", os.R_OK)  # a lock
            if is_closed or (below in copied and not copy_readable(f"{top}/{name}", f"{place}/{below}/{name}")):
                open(f"{place}/{below}/{name}", "w").close()


def close_below(place: str) -> None:
    """Hide what lies below a folder of ours, which we cannot read."""
    with suppress(OSError):  # file systems in memory keep no such mark before Linux 6.6
        os.setxattr(place, OPAQUE, b"y")


def copy_readable(source: str, target: str) -> bool:
    """Copy a file, link or folder as far as anybody may read it; whether there was something to copy."""
    try:
        found = os.lstat(source)
        if stat.S_ISLNK(found.st_mode):
            os.symlink(os.readlink(source), target)
        elif stat.S_ISDIR(found.st_mode):
            names = os.listdir(source)
            os.makedirs(target, exist_ok=True)
            for name in names:
                copy_readable(f"{source}/{name}", f"{target}/{name}")
        elif stat.S_ISREG(found.st_mode):
            with open(source, "rb") as file:
                content = file.read()
            if PASSWORD.search(content):
                return False
            with open(target, "xb") as file:
                file.write(content)
            os.chmod(target, found.st_mode & 0o755)
            os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.ENOMEM):
            raise
        return False
    return True
