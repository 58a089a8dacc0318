"""A plain X server, session bus and window manager as children of the test, without a sandbox around them."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
PATIENCE = 20.0
"""Seconds after which a thing that should have happened has not."""

_SETTINGS = "[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\n"


def need_programs(*names: str) -> None:
    """Skip the test when a program is absent; on CI that is a failure."""
    absent = [name for name in names if shutil.which(name) is None and not Path(name).exists()]
    if absent:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {', '.join(absent)}")
        pytest.skip(f"needs {', '.join(absent)}: ./scripts/setup minimal")


def eventually(read: Callable[[], T | None], what: str, patience: float = PATIENCE) -> T:
    """Return the first true answer; fail when there is none for a long while."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if answer := read():
            return answer
        time.sleep(0.01)
    raise AssertionError(f"waited {patience:.0f} s for {what}")


@dataclass
class BareDesktop:
    """What a test needs to see and drive it."""

    folder: Path
    display: str
    framebuffer: Path
    bus: str
    """Address of the session bus."""
    env: dict[str, str]
    stack: ExitStack = field(repr=False)

    def launch(self, *words: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start a program that ends with the desktop."""
        return self.stack.enter_context(_child(words, self.env, stdin=stdin))

    def run(self, *words: str) -> str:
        """Run a program to its end and return what it printed."""
        return subprocess.run(words, env=self.env, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def wait_window(self, name: str) -> int:
        """Wait until a window with this text in its title is on the screen and return its id."""

        def find() -> int | None:
            found = subprocess.run(
                ("xdotool", "search", "--onlyvisible", "--name", name), env=self.env, capture_output=True, text=True
            )
            return int(found.stdout.split()[0]) if found.stdout.strip() else None

        return eventually(find, f"a window named {name}")


@contextmanager
def _child(
    words: tuple[str, ...], env: dict[str, str], fd: int | None = None, stdin: int = subprocess.DEVNULL
) -> Generator[subprocess.Popen[bytes]]:
    keep = () if fd is None else (fd,)
    process = subprocess.Popen(
        words,
        env=env,
        pass_fds=keep,
        start_new_session=True,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _first_line(fd: int, what: str) -> str:
    """Read to the newline: a server whose pipe is closed before it has written that much gives up."""
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([fd], [], [], PATIENCE)
        part = os.read(fd, 4096) if ready else b""
        assert part, f"{what} did not come up"
        line += part
    return line.decode().strip()


def _start_x(stack: ExitStack, folder: Path, size: tuple[int, int]) -> str:
    reading, writing = os.pipe()
    words = (
        "Xvfb", "-displayfd", str(writing), "-screen", "0", f"{size[0]}x{size[1]}x24", "-fbdir", str(folder),
        "-nolisten", "tcp", "-noreset",
    )  # fmt: skip
    stack.enter_context(_child(words, dict(os.environ), writing))
    os.close(writing)
    display = f":{_first_line(reading, 'Xvfb')}"
    os.close(reading)
    return display


def _start_bus(stack: ExitStack, env: dict[str, str], path: Path) -> str:
    reading, writing = os.pipe()
    words = ("dbus-daemon", "--session", "--nofork", f"--address=unix:path={path}", f"--print-address={writing}")
    stack.enter_context(_child(words, env, writing))
    os.close(writing)
    address = _first_line(reading, "dbus-daemon")
    os.close(reading)
    return address


@contextmanager
def bare_desktop(size: tuple[int, int] = (1024, 768), *, applications: bool = True) -> Generator[BareDesktop]:
    """Start it; with `applications`, also the session bus, the accessibility bus and openbox."""
    need_programs("Xvfb")
    if applications:
        need_programs("dbus-daemon", "openbox", "mousepad", "xdotool", "/usr/libexec/at-spi-bus-launcher")
    with ExitStack() as stack:
        # A short path: a socket's name may have no more than 107 bytes.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bare", ignore_cleanup_errors=True)))
        display = _start_x(stack, folder, size)
        env = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "DISPLAY": display,
            "GSETTINGS_BACKEND": "memory",
        }
        bus = ""
        if applications:
            settings = folder / "config/gtk-3.0/settings.ini"
            settings.parent.mkdir(parents=True)
            settings.write_text(_SETTINGS)
            bus = _start_bus(stack, env, folder / "bus")
            env["DBUS_SESSION_BUS_ADDRESS"] = bus
            stack.enter_context(_child(("/usr/libexec/at-spi-bus-launcher", "--launch-immediately"), env))
            stack.enter_context(_child(("openbox",), env))
        yield BareDesktop(folder, display, folder / "Xvfb_screen0", bus, env, stack)
