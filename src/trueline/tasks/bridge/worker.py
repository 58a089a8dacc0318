"""The worker: a sandboxed process that has imported OSWorld's package and forks for each evaluation."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trueline.desktop.types import DesktopUnavailable
from trueline.tasks.bridge.environment import OSWorldEnvironment
from trueline.tasks.bridge.sandbox import EvaluationLimits, SandboxUnavailable, sandbox_argv, start_failure
from trueline.tasks.errors import CheckerError
from trueline.text import printable

START_SECONDS = 120.0
"""Time limit of importing the package, on a busy machine."""
_BEGIN_SECONDS = 60.0
_LAST_WORDS = 10.0
"""Seconds in which a watcher, which always says something, has said why its evaluation ended."""
_LONGEST = 1 << 20
PORTS = 3
"""Server, DevTools and player; see `inside/isolation.py`."""


class Ready(BaseModel):
    """What the worker says once it has imported the package."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seconds: float = 0.0
    memory: int = 0
    names: dict[str, tuple[str, ...]] = Field(default={})
    error: Annotated[str, Field(max_length=2000)] = ""


@dataclass(frozen=True)
class EvaluationSockets:
    """The host's ends of one evaluation."""

    channel: socket.socket
    status: socket.socket
    """Closing it ends the evaluation; it says why it ended early."""
    ports: tuple[socket.socket, ...]
    """Listening sockets of the evaluation's own network; who accepts there answers for the desktop."""

    def close(self) -> None:
        """End the evaluation."""
        for sock in (self.status, self.channel, *self.ports):
            sock.close()


class BridgeWorker:
    """A started worker."""

    def __init__(self, process: asyncio.subprocess.Process, control: socket.socket, ready: Ready) -> None:
        """Take over a process that is ready; call `start` instead."""
        self.ready = ready
        self._process = process
        self._control = control

    @classmethod
    async def start(cls, environment: OSWorldEnvironment, limits: EvaluationLimits) -> Self:
        """Start the sandbox and wait until the package is imported.

        Raises:
            InputError: This machine cannot, or the environment is damaged; the message says what is missing.
        """
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            argv = await asyncio.to_thread(sandbox_argv, environment, limits, theirs.fileno())
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            control.close()
            raise SandboxUnavailable(f"the sandbox of OSWorld's evaluators cannot be started: {error}") from error
        except DesktopUnavailable as error:
            control.close()
            raise SandboxUnavailable(str(error)) from error
        except BaseException:
            control.close()
            raise
        finally:
            theirs.close()
        worker = cls(process, control, Ready())
        try:
            worker.ready = await worker._read_ready()
        except BaseException:
            await worker.close()
            raise
        return worker

    @property
    def ended(self) -> bool:
        """Whether the process has exited."""
        return self._process.returncode is not None

    async def evaluation(self) -> EvaluationSockets:
        """Fork an evaluation; the caller closes its sockets.

        Raises:
            CheckerError: It cannot be started.
        """
        with_theirs = [socket.socketpair(), socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)]
        (channel, channel_end), (status, status_end) = with_theirs
        try:
            socket.send_fds(self._control, [b"begin"], [channel_end.fileno(), status_end.fileno()])
            channel_end.close()
            status_end.close()
            ports = await asyncio.to_thread(_receive_ports, channel)
        except BaseException as error:
            said = _end_reason(status)
            for sock in (channel, channel_end, status, status_end):
                sock.close()
            if isinstance(error, OSError | EOFError):
                raise CheckerError(f"OSWorld's evaluator did not start: {said or error}") from error
            raise
        return EvaluationSockets(channel, status, ports)

    async def close(self) -> None:
        """End the worker and all its evaluations."""
        self._control.close()
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def _read_ready(self) -> Ready:
        assert self._process.stderr is not None, "it is a pipe"
        loop = asyncio.get_running_loop()
        self._control.setblocking(False)
        try:
            async with asyncio.timeout(START_SECONDS):
                message = await loop.sock_recv(self._control, _LONGEST)
                said = "" if message else _last_line(await self._process.stderr.read(1 << 16))
        except TimeoutError:
            raise SandboxUnavailable(f"OSWorld's package was not imported within {START_SECONDS:g} s") from None
        if not message:
            raise start_failure(said or "it said nothing")
        try:
            ready = Ready.model_validate_json(message)
        except ValidationError:
            raise SandboxUnavailable("the worker of OSWorld's evaluators sent an invalid message") from None
        if ready.error:
            raise start_failure(printable(ready.error, 500))
        return ready


def _receive_ports(channel: socket.socket) -> tuple[socket.socket, ...]:
    """Wait until the evaluation is isolated, and take its ports.

    Raises:
        EOFError: It ended before.
        OSError: It did not get ready in time.
    """
    channel.settimeout(_BEGIN_SECONDS)
    message, fds, _, _ = socket.recv_fds(channel, 64, PORTS)
    found = tuple(socket.socket(fileno=fd) for fd in fds)
    if len(found) != PORTS or json.loads(message or b"null") != {"ready": True}:
        for sock in found:
            sock.close()
        raise EOFError("it ended")
    return found


def _end_reason(status: socket.socket) -> str:
    """What the watcher of an evaluation said about its end."""
    status.settimeout(_LAST_WORDS)
    with suppress(OSError):
        return printable(status.recv(1000).decode("utf-8", "replace"), 500)
    return ""


def why_ended(sockets: EvaluationSockets) -> str:
    """Why an evaluation ended early; waits for its watcher."""
    return _end_reason(sockets.status) or "its process ended"


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return printable(lines[-1], 500) if lines else ""
