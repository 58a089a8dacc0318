"""Starting the keeper: the one process of a sandbox that the host starts, and the host's two channels to it."""

from __future__ import annotations

import resource
import socket
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trueline.desktop.local.argv import SYSTEM_PYTHON, TELLING, Folders, session_argv, x_argv
from trueline.desktop.local.identity import identity_files
from trueline.desktop.local.install import FILTER
from trueline.desktop.local.network import host_addresses
from trueline.desktop.local.options import MIB, LocalOptions
from trueline.desktop.local.places import Owner
from trueline.desktop.types import DesktopUnavailable

X_SECCOMP, X_READY, SECCOMP, READY, CHANNEL = 40, 41, 42, 43, 44
"""Descriptors as `keeper.py` numbers them."""

_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class Started:
    """A keeper that runs and has not been told anything yet."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    channel: socket.socket
    """Our end of the agent's channel."""
    agent: socket.socket
    """Its end, to be sent with the plan."""


def work_tmpfs(options: LocalOptions) -> list[tuple[str, int, int]]:
    """The file systems in memory outside of both sandboxes: name, bytes, files."""
    picture = options.width * options.height * 4
    return [
        ("x11", MIB, 100),
        ("fb", picture + MIB, 100),
        ("run", 64 * MIB, 5000),
        ("log", 16 * MIB, 1000),
        ("disk", options.limits.home, options.limits.files),
    ]


def memory_files(options: LocalOptions) -> int:
    """Bytes that everything writable may hold in memory, /tmp and the like inside included."""
    return sum(size for _, size, _ in work_tmpfs(options)) + 4 * options.limits.temporary


def plan(options: LocalOptions, folders: Folders, template: Path) -> dict[str, JsonValue]:
    """What the keeper is to build, as JSON."""
    limits = options.limits
    hidden = tuple(path for path in TELLING if Path(path).exists())
    return {
        "work": folders.work,
        "tmpfs": list[JsonValue]([name, size, files] for name, size, files in work_tmpfs(options)),
        "etc": dict(identity_files(options)),
        "addresses": list[JsonValue](host_addresses() if options.network == "open" else ()),
        "template": str(template),
        "filter": f"{folders.programs}/{FILTER}",
        "rlimits": {
            "RLIMIT_NPROC": limits.processes,
            "RLIMIT_DATA": limits.process_memory,
            "RLIMIT_CORE": 0,
            "RLIMIT_NOFILE": min(16384, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
        },
        "shared_memory": limits.temporary,
        "niceness": limits.niceness,
        "memory": limits.memory,
        "lifetime": limits.lifetime,
        "x_argv": list[JsonValue](x_argv(options, folders, seccomp_fd=X_SECCOMP, ready_fd=X_READY, hidden=hidden)),
        "session_argv": list[JsonValue](
            session_argv(options, folders, seccomp_fd=SECCOMP, ready_fd=READY, channel_fd=CHANNEL, hidden=hidden)
        ),
    }


def start_keeper(programs: Path, owner: Owner) -> Started:
    """Start the keeper in namespaces of its own.

    Raises:
        DesktopUnavailable: A program of the system is missing.
    """
    with ExitStack() as undo:
        control, theirs = map(undo.enter_context, socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        channel, agent = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        undo.pop_all()
    argv = [
        "unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "--propagation", "private", "--",
        SYSTEM_PYTHON, "-I", "-S", str(programs / "keeper.py"), str(theirs.fileno()),
    ]  # fmt: skip
    try:
        process = subprocess.Popen(  # noqa: S603 - a fixed command line
            argv,
            env=_ENVIRONMENT,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            user=owner.uid if owner.drop else None,
            group=owner.gid if owner.drop else None,
            extra_groups=[] if owner.drop else None,
        )
    except OSError as error:
        for sock in (control, channel, agent):
            sock.close()
        raise DesktopUnavailable(f"cannot start {argv[0]}: {error.strerror}; see: trueline doctor") from error
    finally:
        theirs.close()
    return Started(process, control, channel, agent)
