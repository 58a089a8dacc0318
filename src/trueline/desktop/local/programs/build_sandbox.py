"""Building a sandbox in namespaces of its own: mounts, limits, home folder, X server and session."""

from __future__ import annotations

import os
import resource
from contextlib import suppress

from namespaces import (
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    loopback_up,
    mount,
    own_addresses,
)
from root_system import build_root
from sandbox_parts import SandboxPart

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from typing import TypedDict

    from root_system import RootPlan

    class SandboxPlan(TypedDict):
        """What the host wants built."""

        work: str
        user: int
        """The user of X server and session, as our user namespace numbers it."""
        programs: str
        tmpfs: list[tuple[str, int, int, str]]
        terminals: int
        namespace_limits: dict[str, int]
        etc: dict[str, str]
        addresses: list[str]
        template: str
        vs_code: str
        """A folder of the host with the web build of Visual Studio Code; empty without."""
        temporary: dict[str, str]
        filter: str
        rlimits: dict[str, int]
        oom_score: int
        shared_memory: int
        niceness: int
        memory: int
        lifetime: float
        x_argv: list[str]
        session_argv: list[str]
        root: RootPlan | None
        """How the session's user can become root there; without it nobody can."""


X_SECCOMP, X_READY, SECCOMP, READY, CHANNEL = 40, 41, 42, 43, 44
"""Descriptors with fixed numbers, which the command lines name."""
NOT_INSIDE = (
    "supervisor.py",
    "build_sandbox.py",
    "sandbox_parts.py",
    "namespaces.py",
    "memory_watch.py",
    "changes.py",
    "change_log.py",
    "contents.py",
    "root_system.py",
    "filter.bpf",
    "__pycache__",
)
"""Programs that nothing inside needs."""
FOR_ROOT = ("root",)
"""Those that only a desktop with root needs."""
SEMAPHORES, MESSAGE_QUEUES = "250 32000 100 512", 256
"""System V: semaphores in a set, altogether, operations at once, sets; and queues. They lie in the kernel's memory."""
PAGE = resource.getpagesize()


def build(plan: SandboxPlan, channel: int) -> list[SandboxPart]:
    """Mount everything writable, set the limits, start the X server and the session.

    Nothing is mounted from a folder of the host but what every machine has: who is inside can read where mounts come
    from.
    """
    work, user = plan["work"], plan["user"]
    mount("tmpfs", "tmpfs", work, "size=8m,nr_inodes=1000,mode=0711")
    for name, size, inodes, mode in plan["tmpfs"]:
        os.mkdir(f"{work}/{name}", 0o700)
        options = f"size={size},nr_inodes={inodes},mode={mode},uid={user},gid={user}"
        mount("tmpfs", "tmpfs", f"{work}/{name}", options)
    for name in ("etc", "programs", "home", "pts"):
        os.mkdir(f"{work}/{name}", 0o755)
    for name in ("disk/upper", "disk/work"):
        os.mkdir(f"{work}/{name}", 0o755)
        os.chown(f"{work}/{name}", user, user)
    copy_tree(plan["programs"], f"{work}/programs", 0, (*NOT_INSIDE, *(() if plan["root"] else FOR_ROOT)))
    for name, text in plan["etc"].items():
        with open(f"{work}/etc/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    mount("devpts", "devpts", f"{work}/pts", f"newinstance,ptmxmode=0666,mode=0620,max={plan['terminals']}", MS_NOSUID)
    loopback_up()
    if plan["addresses"]:
        own_addresses(plan["addresses"])
    limit(plan)
    read, write = os.pipe2(os.O_CLOEXEC)
    filters = [os.open(plan["filter"], os.O_RDONLY | os.O_CLOEXEC) for _ in range(2)]
    for fd, number in zip((filters[0], write, filters[1], read, channel), range(X_SECCOMP, CHANNEL + 1), strict=True):
        os.dup2(fd, number, inheritable=False)
        os.close(fd)
    x = SandboxPart("X server", plan["x_argv"], (X_SECCOMP, X_READY), user)
    os.nice(plan["niceness"])
    root = plan["root"]
    mount_home(plan)  # while the X server starts
    if plan["vs_code"]:
        mount_vs_code(plan)
    if root is not None:
        build_root(work, root, ("lib/vs-code",) if plan["vs_code"] else ())
    ids = None if root is None else root["ids"]
    return [x, SandboxPart("session", plan["session_argv"], (SECCOMP, READY, CHANNEL), user, ids)]


def mount_home(plan: SandboxPlan) -> None:
    """Lay the home folder over the template, which belongs to the user inside only as a copy."""
    work = plan["work"]
    if plan["user"]:
        copy_tree(plan["template"], f"{work}/template", plan["user"])
        mount("", "", f"{work}/template", "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)
    else:
        mount("", plan["template"], f"{work}/template", "", MS_BIND | MS_REC)
    layers = f"lowerdir={work}/template,upperdir={work}/disk/upper,workdir={work}/disk/work,userxattr"
    mount("overlay", "overlay", f"{work}/home", layers)


def mount_vs_code(plan: SandboxPlan) -> None:
    """Show the editor's folder through an overlay: a plain mount would tell inside where on the host it lies."""
    work = plan["work"]
    for name in ("vs-code-files", "vs-code-empty", "vs-code"):
        os.mkdir(f"{work}/{name}", 0o755)
    mount("", plan["vs_code"], f"{work}/vs-code-files", "", MS_BIND)
    layers = f"lowerdir={work}/vs-code-files:{work}/vs-code-empty,userxattr"
    mount("overlay", "overlay", f"{work}/vs-code", layers, MS_RDONLY | MS_NOSUID | MS_NODEV)


def copy_tree(source: str, target: str, user: int, leave_out: tuple[str, ...] = ()) -> None:
    """Copy files, folders and links, with their permissions and times; all of them belong to the user."""
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name in leave_out:
                continue
            found, path = entry.stat(follow_symlinks=False), f"{target}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), path)
            elif entry.is_dir():
                os.mkdir(path, 0o700)
                copy_tree(entry.path, path, user)
            else:
                copy_file(entry.path, path)
            os.chown(path, user, user, follow_symlinks=False)
            if not entry.is_symlink():
                os.chmod(path, found.st_mode & 0o7777)
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns), follow_symlinks=False)


def copy_file(source: str, target: str) -> None:
    """Copy the content of a plain file."""
    read = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    write = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        while piece := os.read(read, 1 << 20):
            os.write(write, piece)
    finally:
        os.close(read)
        os.close(write)


def limit(plan: SandboxPlan) -> None:
    """Set the limits that all of the sandbox's programs inherit."""
    # Set inside our user namespace, the number of processes is counted for this sandbox alone.
    for name, value in plan["rlimits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    settings: dict[str, int | str] = {
        "/proc/sys/kernel/shmall": plan["shared_memory"] // PAGE,
        "/proc/sys/kernel/sem": SEMAPHORES,
        "/proc/sys/kernel/msgmni": MESSAGE_QUEUES,
    }
    settings |= {f"/proc/sys/user/{name}": value for name, value in plan["namespace_limits"].items()}
    for path, value in settings.items():  # older kernels refuse, and containers in which /proc/sys is read-only
        with suppress(OSError), open(path, "w", encoding="ascii") as file:
            file.write(str(value))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(str(plan["oom_score"]))
