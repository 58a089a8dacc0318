"""A real headless Chromium driven by DevTools over a pipe."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 90.0


class Page:
    """One page of the browser."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._left = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Call a DevTools method; events that come meanwhile are thrown away."""
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._read], [], [], PATIENCE)
            piece = os.read(self._read, 1 << 20) if ready else b""
            assert piece, "the browser does not answer"
            self._left += piece
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def open(self, url: str) -> None:
        """Go to an address."""
        self.ask("Page.navigate", url=url)

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited when it is a promise."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def picture(self) -> bytes:
        """A PNG of the page."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def click(self, x: float, y: float) -> None:
        """Move the mouse there and press its left button."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Press keys."""
        for char in text:
            code = f"Key{char.upper()}"
            for kind in ("keyDown", "keyUp"):
                self.ask("Input.dispatchKeyEvent", type=kind, key=char, text=char if kind == "keyDown" else "",
                         code=code, windowsVirtualKeyCode=ord(char.upper()))  # fmt: skip


@contextmanager
def browser(width: int = 1200, height: int = 800) -> Generator[Page]:
    """Start Chromium; the full tier must have it."""
    ours, theirs = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(prefix="browser", ignore_cleanup_errors=True) as folder:
        words = [
            "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
            f"--user-data-dir={Path(folder) / 'profile'}", f"--window-size={width},{height}",
        ]  # fmt: skip
        # Chromium reads from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{theirs[0]} 4>&{ours[1]}'
        try:
            process = subprocess.Popen(
                ["bash", "-c", shell, "browser", *words],
                pass_fds=(theirs[0], ours[1]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "HOME": folder},
            )
        except OSError as error:
            pytest.fail(f"no browser: {error}")
        os.close(theirs[0])
        os.close(ours[1])
        try:
            page = Page(ours[0], theirs[1])
            page.ask(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
            )
            yield page
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(ours[0])
            os.close(theirs[1])
