"""Imports OSWorld's package once and forks for each evaluation.

Started by Trueline in a sandbox, with the interpreter that has the package:
`worker.py CONTROL MEMORY CPU_SECONDS FILES SECCOMP`, where CONTROL is the number of a connected socket and SECCOMP a
filter in base64. The first message tells whether it is ready. Each message of the host then brings two sockets: the
channel of an evaluation, and its status line, which the host closes to end it.

For each evaluation there are two processes: a watcher, and the evaluation itself in namespaces of its own.
"""

from __future__ import annotations

import base64
import json
import os
import platform
import resource
import select
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import isolation
from channel import Channel
from evaluation import answer
from package import InstalledPackage, quiet_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    Limits = tuple[int, int, int, bytes]  # memory, CPU seconds, temporary files, filter of system calls


_LOOK_MS = 300
_PROCESSES = 256


def main() -> None:
    """Serve evaluations until the host closes the control socket."""
    began = time.monotonic()
    control = socket.socket(fileno=int(sys.argv[1]))
    memory, cpu_seconds, files = map(int, sys.argv[2:5])
    limits = (memory, cpu_seconds, files, base64.b64decode(sys.argv[5]))
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        _try_isolation()
        os.chdir("/tmp")  # noqa: S108 - inside
        quiet_environment()
        os.dup2(nothing, 1)
        package = InstalledPackage()
    except Exception as error:
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"[:1000]}).encode())
        return
    os.dup2(nothing, 2)
    ready = {
        "seconds": time.monotonic() - began,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
        "names": package.names(),
    }
    control.send(json.dumps(ready).encode())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for watchers
    while True:
        message, fds, _, _ = socket.recv_fds(control, 16, 2)
        if not message:
            return
        if os.fork() == 0:
            control.close()
            _watch(socket.socket(fileno=fds[0]), socket.socket(fileno=fds[1]), package, limits)
        for fd in fds:
            os.close(fd)


def _try_isolation() -> None:
    """Find out whether namespaces can be made, before any evaluation needs them.

    Raises:
        OSError: They cannot.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            isolation.unshare()
            child = os.fork()
            if child == 0:
                isolation.mount_own_files(isolation.MIB)
                os._exit(0)
            os._exit(0 if os.waitpid(child, 0)[1] == 0 else 1)
        except OSError as error:
            os.write(write, str(error).encode())
            os._exit(1)
    os.close(write)
    if os.waitpid(pid, 0)[1]:
        said = os.read(read, 500).decode("utf-8", "replace")
        raise OSError(said or "cannot mount file systems in namespaces of an evaluation")
    os.close(read)


def _watch(channel: socket.socket, status: socket.socket, package: InstalledPackage, limits: Limits) -> NoReturn:
    """Start the evaluation in namespaces of its own, and end it when the host says so or it takes too much memory."""
    isolation.die_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        processes = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)  # covered from here on for the evaluation
        isolation.unshare()
        pid = os.fork()
        if pid == 0:
            status.close()
            os.close(processes)
            _evaluate(channel, package, limits)
        channel.close()
        said = _wait(pid, processes, status, limits[0])
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    try:
        status.send(said.encode()[:500])
    finally:
        os._exit(0)


def _wait(pid: int, processes: int, status: socket.socket, memory: int) -> str:
    """Wait for the end of the evaluation; return why it ended early, or nothing."""
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(status, select.POLLIN | select.POLLRDHUP)
    said = ""
    while True:
        ready = [fd for fd, _ in poll.poll(_LOOK_MS)]
        if handle in ready:
            break
        if status.fileno() in ready or (said := _too_large(processes, pid, memory)):
            os.kill(pid, signal.SIGKILL)
            break
    code = os.waitpid(pid, 0)[1]
    if not said and os.WIFSIGNALED(code):
        number = os.WTERMSIG(code)
        said = f"it was ended by signal {number}" + (" (its CPU time is used up)" if number == signal.SIGKILL else "")
    return said


def _too_large(processes: int, first: int, memory: int) -> str:
    """Whether all processes of the evaluation together hold too much."""
    used = 0
    try:
        namespace = os.readlink(f"{first}/ns/pid", dir_fd=processes)
        for name in os.listdir(processes):
            if name.isdigit():
                used += _memory_of(name, namespace, processes)
    except OSError:
        return ""  # it has just ended
    return f"it used more than {memory >> 20} MiB of memory" if used > memory else ""


def _memory_of(pid: str, namespace: str, processes: int) -> int:
    try:
        if os.readlink(f"{pid}/ns/pid", dir_fd=processes) != namespace:
            return 0
        status = os.open(f"{pid}/status", os.O_RDONLY, dir_fd=processes)
        with os.fdopen(status, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith((b"RssAnon:", b"RssShmem:")))


def _evaluate(channel: socket.socket, package: InstalledPackage, limits: Limits) -> NoReturn:
    """Be the first process of the new namespaces, isolated, and answer the host."""
    memory, cpu_seconds, files, seccomp = limits
    try:
        isolation.die_with_parent()
        os.setsid()  # a signal to the process group would reach the worker, in whatever namespace it is
        isolation.mount_own_files(files)
        ports = isolation.open_ports()
        os.chdir("/tmp")  # noqa: S108 - inside
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        isolation.limit(memory, cpu_seconds, _PROCESSES, files)
        isolation.drop_rights(platform.machine(), seccomp)
        socket.send_fds(channel, [b'{"ready": true}\n'], [port.fileno() for port in ports])
        for port in ports:
            port.close()
        answer(Channel(channel), package)
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
