"""What the desktop commands share: flags, a desktop with an application on it, text from inside made safe to print."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from trueline.cli.parser import Parser
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.desktop.local import LocalDesktop, LocalOptions
    from trueline.desktop.types import Window


_LOOK_S = 1.0


@dataclass(frozen=True)
class OpenedDesktop:
    """A desktop that is up, and the window of the application that was opened on it."""

    desktop: LocalDesktop
    window: Window | None


PASSWORD = "password"  # noqa: S105 - OSWorld's, which its tasks and everybody know


def add_desktop_flags(parser: Parser) -> None:
    """Declare the flags of the desktop."""
    parser.add_argument(
        "--size", type=_size, default=(1920, 1080), metavar="WxH", help="size of the screen (1920x1080)"
    )
    parser.add_argument("--network", choices=("none", "open"), default="none",
                        help="open: the desktop reaches the network; none: only itself (none)")  # fmt: skip
    parser.add_argument("--root", action="store_true", help="sudo makes its command root, with the password `password`")
    parser.add_argument("--perturbations", metavar="SET", help="change how the desktop looks: 1, 2, dark … or a file")


def add_application_flags(parser: Parser) -> None:
    """Declare the flags of the application to open."""
    parser.add_argument("--app", metavar="NAME", help="application to open: mousepad, calc, writer, chromium, files …")
    parser.add_argument("--open", metavar="FILE|URL", help="what to open in it; a file is copied into the desktop")


def options(args: argparse.Namespace) -> LocalOptions:
    """The desktop that the flags ask for."""
    from trueline.desktop.local import LocalOptions
    from trueline.desktop.local.perturbed_template import with_perturbation
    from trueline.desktop.perturbations import load_set

    width, height = args.size
    plain = LocalOptions(
        width=width, height=height, network=args.network, root=args.root, sudo_password=PASSWORD if args.root else None
    )
    return plain if args.perturbations is None else with_perturbation(plain, load_set(args.perturbations))


@asynccontextmanager
async def open_desktop_with(args: argparse.Namespace) -> AsyncGenerator[OpenedDesktop]:
    """Start a desktop, open what the flags name, and wait until it is usable."""
    from trueline.desktop.local import LocalDesktop
    from trueline.desktop.local.applications import (
        OPEN_LIMIT,
        application_for,
        find_application,
        is_url,
        open_application,
        rest,
    )

    name = args.app or (application_for(args.open) if args.open else None)
    application = find_application(name) if name else None
    address = bool(args.open) and is_url(args.open)
    if address and name != "chromium":
        raise InputError(f"--app {name}: only chromium opens an address; leave --app out or --open a file")
    file = Path(args.open) if args.open and not address else None
    if file is not None and not file.is_file():
        raise InputError(f"{file}: there is no such file to open")
    async with LocalDesktop(options(args)) as desktop:
        window = None
        if application is None:
            await rest(desktop, OPEN_LIMIT)
        else:
            what = (args.open,) if args.open else ()
            if file is not None:
                what = (f"/home/user/Documents/{file.name}",)
                await desktop.put(what[0], file)
            window = await open_application(desktop, application, *what)
        yield OpenedDesktop(desktop, window)


def run_until_signal(work: Callable[[Callable[[], None]], Coroutine[object, object, NoReturn]]) -> None:
    """Do work until SIGINT or SIGTERM ends it.

    Raises:
        KeyboardInterrupt: The work had not called what it is given, to say that it is ready.
    """
    up: list[bool] = []
    asyncio.run(_run_until_signal(work(lambda: up.append(True))))
    if not up:
        raise KeyboardInterrupt


async def _run_until_signal(work: Coroutine[object, object, NoReturn]) -> None:
    task = asyncio.create_task(work)

    def end() -> None:
        if not task.cancelling():  # a second signal does not disturb the tidying up
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, end)
    with suppress(asyncio.CancelledError):
        await task


async def wait_while_alive(desktop: LocalDesktop) -> NoReturn:
    """Wait forever; raises DesktopLost if the desktop is lost."""
    while True:
        await desktop.windows()
        await asyncio.sleep(_LOOK_S)


def print_from_inside(text: str) -> None:
    """Print text that comes from inside; on a terminal, control characters are escaped."""
    if sys.stdout.isatty():
        text = safe_lines(text)
    sys.stdout.write(text if text.endswith("\n") or not text else f"{text}\n")


def safe_lines(text: str) -> str:
    """The same lines without characters that could drive a terminal."""
    return "\n".join(printable(line, limit=len(line) + 1) for line in text.split("\n"))


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"must be a size such as 1280x800, not {text!r}")
    return int(width), int(height)
