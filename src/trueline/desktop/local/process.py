"""Starting the supervisor: the one process of a sandbox that the host starts, and the host's two channels to it."""

from __future__ import annotations

import resource
import socket
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trueline.desktop.local.argv import SYSTEM_PYTHON, TELLING, TEMPORARY, Folders, session_argv, x_argv
from trueline.desktop.local.blocks import BlockLock, IdBlock
from trueline.desktop.local.identity import UID, identity_files
from trueline.desktop.local.install import FILTER
from trueline.desktop.local.network import host_addresses
from trueline.desktop.local.options import MIB, LocalOptions
from trueline.desktop.local.ownership import Owner
from trueline.desktop.local.root import Attach, attach_command
from trueline.desktop.local.root_argv import root_session_argv
from trueline.desktop.types import DesktopUnavailable

X_SECCOMP, X_READY, SECCOMP, READY, CHANNEL = 40, 41, 42, 43, 44
"""Descriptors as `supervisor.py` numbers them."""

OOM_SCORE = 500
"""The kernel kills what runs inside before other programs of the machine."""
_TEMPLATE = 256 * MIB
_SIGNALS, _QUEUES = 4096, 256 * 1024
"""Signals that may wait, and bytes of message queues."""
_SHARED_LIMITS = {"max_inotify_instances": 48, "max_inotify_watches": 16_384}
"""What the kernel counts for all desktops of a user together, if it is the user itself who made their namespaces."""
_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class StartedSupervisor:
    """A supervisor that runs and has not been told anything yet."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    channel: socket.socket
    """Our end of the agent's channel."""
    agent: socket.socket
    """The agent's end of the channel, sent with the plan."""


def work_tmpfs(options: LocalOptions) -> list[tuple[str, int, int, str]]:
    """The file systems in memory outside of both sandboxes: name, bytes, files, permissions of its top folder."""
    picture, limits = options.width * options.height * 4, options.limits
    return [
        ("x11", MIB, 100, "0755"),
        ("fb", picture + MIB, 100, "0755"),
        ("run", 64 * MIB, 5000, "0700"),
        ("log", 16 * MIB, 1000, "0755"),
        ("disk", limits.home, limits.files, "0700"),
        ("template", _TEMPLATE, 20_000, "0755"),
        *((name, limits.temporary, limits.temporary_files, "1777") for name in TEMPORARY.values()),
        *([("system", limits.system, limits.system_files, "0711")] if options.root else []),
    ]


def memory_files(options: LocalOptions) -> int:
    """Bytes that everything writable may hold in memory, shared memory of System V included."""
    return sum(size for _, size, _, _ in work_tmpfs(options)) + options.limits.temporary


def plan(
    options: LocalOptions,
    folders: Folders,
    programs: Path,
    template: Path,
    block: IdBlock | None,
    root: dict[str, JsonValue] | None,
) -> dict[str, JsonValue]:
    """What the supervisor is to build, as JSON; `root` is `root.root_plan`'s, for a desktop that has root."""
    session = session_argv if root is None else root_session_argv
    limits = options.limits
    shared = {} if block is not None and block.kind == "root" else _SHARED_LIMITS
    hidden = tuple(path for path in TELLING if Path(path).exists())
    return {
        "work": folders.work,
        "user": 0 if block is None else UID,
        "programs": str(programs),
        "tmpfs": list[JsonValue]([name, size, files, mode] for name, size, files, mode in work_tmpfs(options)),
        "terminals": limits.terminals,
        "namespace_limits": dict[str, JsonValue](shared),
        "etc": dict(identity_files(options)),
        "addresses": list[JsonValue](host_addresses() if options.network == "open" else ()),
        "template": str(template),
        "vs_code": folders.vs_code or "",
        "temporary": dict[str, JsonValue](TEMPORARY),
        "filter": str(programs / FILTER),
        "rlimits": {
            "RLIMIT_NPROC": limits.processes,
            "RLIMIT_DATA": limits.process_memory,
            "RLIMIT_CORE": 0,
            "RLIMIT_NOFILE": min(limits.descriptors, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
            "RLIMIT_SIGPENDING": min(_SIGNALS, resource.getrlimit(resource.RLIMIT_SIGPENDING)[1]),
            "RLIMIT_MSGQUEUE": min(_QUEUES, resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]),
            "RLIMIT_MEMLOCK": min(MIB, resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]),
        },
        "oom_score": OOM_SCORE,
        "shared_memory": limits.temporary,
        "niceness": limits.niceness,
        "memory": limits.memory,
        "lifetime": limits.lifetime,
        "x_argv": list[JsonValue](x_argv(options, folders, seccomp_fd=X_SECCOMP, ready_fd=X_READY, hidden=hidden)),
        "session_argv": list[JsonValue](
            session(options, folders, seccomp_fd=SECCOMP, ready_fd=READY, channel_fd=CHANNEL, hidden=hidden)
        ),
        "root": root,
    }


def start_supervisor(
    programs: Path, user: Owner, lock: BlockLock | None, attach: Attach | None = None
) -> StartedSupervisor:
    """Start the supervisor as a user (see `blocks.supervisor_owner`), in namespaces of its own; it holds the block.

    With `attach` it is root of this machine that begins, and becomes the user when it has attached /usr.

    Raises:
        DesktopUnavailable: A program of the system is missing.
    """
    with ExitStack() as undo:
        control, theirs = map(undo.enter_context, socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        channel, agent = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        undo.pop_all()
    passed = (theirs.fileno(), *(() if lock is None else (lock.fileno(),)))
    argv = [SYSTEM_PYTHON, "-I", "-S", str(programs / "supervisor.py"), *map(str, passed)]
    drop = user.drop and attach is None
    if attach is not None:
        assert lock is not None, "only a desktop with ids of its own has root"
        argv = [*attach_command(attach, lock.block), *argv]
    try:
        process = subprocess.Popen(  # noqa: S603 - a fixed command line
            argv,
            env=_ENVIRONMENT,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=passed,
            start_new_session=True,
            user=user.uid if drop else None,
            group=user.gid if drop else None,
            extra_groups=[] if drop else None,
        )
    except OSError as error:
        for sock in (control, channel, agent):
            sock.close()
        raise DesktopUnavailable(f"cannot start {argv[0]}: {error.strerror}; see: trueline doctor") from error
    finally:
        theirs.close()
    return StartedSupervisor(process, control, channel, agent)
