"""`trueline desktop serve` as a program of its own, that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from support.machine import need_machine

TOKEN = "a-token-of-the-tests-0123456789"
VARIABLE = "TRUELINE_DESKTOP_TOKEN"


@dataclass(frozen=True)
class ServedProgram:
    """The program and where it listens."""

    process: subprocess.Popen[str]
    port: int

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def kill(self) -> None:
        """End it as a crash does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def served_program(*words: str, port: int = 0) -> Generator[ServedProgram]:
    """Serve a small desktop while the block runs; the token is that of the environment variable."""
    need_machine()
    command = [sys.executable, "-m", "trueline", "desktop", "serve", "--port", str(port), "--json"]
    with subprocess.Popen(
        [*command, "--size", "1024x768", *words], stdout=subprocess.PIPE, text=True, env={**os.environ, VARIABLE: TOKEN}
    ) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            assert first, "it ended before it served"
            yield ServedProgram(process, int(json.loads(first)["url"].rpartition(":")[2]))
        finally:
            process.terminate()
            process.stdout.close()
