"""Asking the worker inside the sandbox to run code. What it answers is hostile: checked, capped and timed."""

from __future__ import annotations

import json
import socket
import struct
import time
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trueline.desktop.types import ActionInterrupted, DesktopError
from trueline.errors import InputError

PAUSE_S = 0.1
"""Seconds that pyautogui pauses after every call."""
TIMEOUT_S = 30.0
MOST_OUTPUT = 1 << 20
_LONGEST_CODE = 8 << 20
_GRACE_S = 5.0
"""Seconds beyond the code's own time in which the worker must have answered."""


class CodeResult(BaseModel):
    """What came of a piece of code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    returncode: int
    """As in `subprocess`: negative is the signal that ended it; 1 with a traceback in the output is an exception."""
    timeout: bool
    """Whether it took too long; it and its process group were killed."""
    output: str = Field(max_length=2 * MOST_OUTPUT)
    """What it printed, its traceback included, in the order in which it came."""
    truncated: bool
    seconds: float


@dataclass
class WorkerClient:
    """One worker. Not for several threads at once."""

    connection: socket.socket
    """Our end of the pair of sockets whose other end only the worker holds."""

    def wait_ready(self, limit: float) -> None:
        """Wait until it is up.

        Raises:
            DesktopError: It ended at once, or is not up in time. Nothing ran.
        """
        try:
            _receive(self.connection, 1, time.monotonic() + limit)
        except OSError as error:
            self.close()
            raise DesktopError(f"action code: the worker inside did not start: {error}") from error

    def run(
        self, code: str, *, timeout: float = TIMEOUT_S, pause: float = PAUSE_S, most: int = MOST_OUTPUT
    ) -> CodeResult:
        """Run Python code; `pause` is pyautogui's pause after every call, `most` the bytes of output that are kept.

        Raises:
            ActionInterrupted: The worker died while the code ran: it may or may not have taken effect. Start another.
            DesktopError: The worker had ended before. Nothing ran; start another.
        """
        request = json.dumps({"code": code, "timeout": timeout, "pause": pause, "most": min(most, MOST_OUTPUT)})
        if len(request) > _LONGEST_CODE:
            raise InputError(f"action code: has {len(code)} characters; at most {_LONGEST_CODE} are taken")
        connection = self.connection
        if self.ended:
            self.close()
            raise DesktopError("action code: the worker inside has ended; start another")
        end = time.monotonic() + timeout + _GRACE_S
        try:
            data = request.encode()
            connection.settimeout(_GRACE_S)
            connection.sendall(struct.pack(">I", len(data)) + data)
            (length,) = struct.unpack(">I", _receive(connection, 4, end))
            if length > 8 * MOST_OUTPUT:
                raise ValueError("the answer is too long")
            return CodeResult.model_validate_json(_receive(connection, length, end))
        except (OSError, ValueError, ValidationError) as error:
            self.close()
            raise ActionInterrupted(f"action code: the worker did not answer: {_short(error)}") from error

    @property
    def ended(self) -> bool:
        """Whether it is gone, or speaks without being asked."""
        if self.connection.fileno() < 0:
            return True
        self.connection.settimeout(0)
        try:
            self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self.connection.close()


def _receive(connection: socket.socket, count: int, end: float) -> bytes:
    data = bytearray()
    while len(data) < count:
        connection.settimeout(max(0.001, end - time.monotonic()))
        part = connection.recv(min(count - len(data), 65536))
        if not part:
            raise ConnectionResetError("it closed the connection")
        data += part
    return bytes(data)


def _short(error: Exception) -> str:
    return "its answer is invalid" if isinstance(error, ValidationError) else str(error)
