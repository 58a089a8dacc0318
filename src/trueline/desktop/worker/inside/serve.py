"""The worker: runs Python action code, each piece in a process of its own that was forked ready to go.

Its standard input is one end of a pair of sockets, so that no other program can stand in for it. It sends one byte
when it is ready. Then frames are a length of four bytes (big-endian) and JSON: it is asked
`{code, timeout, pause, most}` and answers `{returncode, timeout, output, truncated, seconds}`. The code has the same
user and may kill this process: whoever asks must be ready to find it gone.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import datetime
import gc
import json
import math
import os
import random
import re
import select
import signal
import socket
import string
import struct
import subprocess
import sys
import time
import traceback

from trueline.desktop.worker.inside import pyautogui

READY = (base64, datetime, math, random, re, string, subprocess)
"""Loaded beforehand, since action code imports them."""
READY_BYTE = b"R"
LONGEST_REQUEST = 16 << 20
_CHUNK = 65536
_DIE_WITH_PARENT, _DUMPABLE = 1, 4
_LIBC = ctypes.CDLL(None)


class Runner:
    """A forked process that waits for its code."""

    def __init__(self, display: str, not_its: socket.socket) -> None:
        """Fork it; it opens its own keyboard and mouse at once, and closes the socket that is not its business."""
        order, self._order = os.pipe()
        self.output, output = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._order)
            os.close(self.output)
            not_its.close()
            _be_runner(display, order, output)
        os.close(order)
        os.close(output)

    def start(self, request: bytes) -> None:
        """Hand over the code."""
        with contextlib.suppress(BrokenPipeError), os.fdopen(self._order, "wb") as pipe:
            pipe.write(request)

    def kill(self) -> None:
        """End it and everything in its process group."""
        for end in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(self.pid, signal.SIGKILL)


def _be_runner(display: str, order: int, output: int) -> None:
    returncode = 1
    try:
        os.setsid()
        _LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        _LIBC.prctl(_DUMPABLE, 1, 0, 0, 0)  # an ordinary process again
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in ((0, nothing), (1, output), (2, output)):
            os.dup2(source, target)
        os.close(output)
        problem: Exception | None = None
        try:
            pyautogui.connect(display)
        except Exception as error:  # said only when the code needs it
            problem = error
        with os.fdopen(order, "rb") as pipe:
            request = json.loads(pipe.read())
        if problem is not None:
            sys.stderr.write(f"no keyboard and mouse: {problem}\n")
        pyautogui.PAUSE = request["pause"]
        returncode = _execute(request["code"])
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(returncode & 255)


def _execute(code: str) -> int:
    sys.modules["pyautogui"] = pyautogui
    space = {"__name__": "__main__", "__builtins__": __builtins__, "pyautogui": pyautogui, "time": time}
    try:
        exec(compile(code, "<action>", "exec"), space)  # noqa: S102 (this is what the sandbox is for)
    except SystemExit as leave:
        if leave.code is None or isinstance(leave.code, int):
            return leave.code or 0
        sys.stderr.write(f"{leave.code}\n")
        return 1
    except BaseException as error:
        sys.stdout.flush()
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, trace)
        return 1
    return 0


def run(runner: Runner, request: dict[str, float], raw: bytes) -> dict[str, object]:
    """Let a runner do a request and say what came of it."""
    began = time.monotonic()
    most, end = int(request["most"]), began + request["timeout"]
    ended = os.pidfd_open(runner.pid)
    runner.start(raw)
    out, truncated, timeout, reading = bytearray(), False, False, True
    while True:
        left = end - time.monotonic()
        ready, _, _ = select.select([ended, *([runner.output] if reading else [])], [], [], max(0.0, left))
        if runner.output in ready:
            part = os.read(runner.output, _CHUNK)
            reading = bool(part)
            truncated |= len(out) + len(part) > most
            out += part[: most - len(out)]
        elif ended in ready:
            break
        if left <= 0:
            timeout = True
            runner.kill()
            break
    _, status = os.waitpid(runner.pid, 0)
    os.close(ended)
    os.close(runner.output)
    return {
        "returncode": os.waitstatus_to_exitcode(status),
        "timeout": timeout,
        "output": out.decode("utf-8", "replace"),
        "truncated": truncated,
        "seconds": time.monotonic() - began,
    }


def receive(connection: socket.socket, count: int) -> bytes:
    """Read exactly so many bytes; raises EOFError when the other side is gone."""
    data = bytearray()
    while len(data) < count:
        part = connection.recv(min(count - len(data), _CHUNK))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def serve(connection: socket.socket, display: str) -> None:
    """Run one piece of code after the other until the other side is gone."""
    gc.collect()
    gc.freeze()
    runner = Runner(display, connection)
    connection.sendall(READY_BYTE)
    with contextlib.suppress(EOFError, OSError, ValueError, KeyError):
        while True:
            (length,) = struct.unpack(">I", receive(connection, 4))
            if length > LONGEST_REQUEST:
                break
            raw = receive(connection, length)
            result = run(runner, json.loads(raw), raw)
            answer = json.dumps(result).encode()
            connection.sendall(struct.pack(">I", len(answer)) + answer)
            runner = Runner(display, connection)  # after the answer: the caller does not wait for it


def main(display: str) -> None:
    """Take the socket from standard input and serve."""
    # Programs inside run as the same user: without this they could write our memory, and answer for us.
    _LIBC.prctl(_DUMPABLE, 0, 0, 0, 0)
    connection = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    serve(connection, display)


if __name__ == "__main__":
    main(sys.argv[1])
