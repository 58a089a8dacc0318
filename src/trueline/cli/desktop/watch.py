"""`trueline desktop watch`: watch a live desktop in the browser."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

from trueline.cli.desktop.common import (
    add_application_flags,
    add_desktop_flags,
    open_desktop_with,
    run_until_signal,
    wait_while_alive,
)
from trueline.cli.parser import Parser, whole_number

_EXAMPLES = """\
examples:
  trueline desktop watch --app mousepad
  trueline desktop watch --app chromium --control

The first line is the address to open. It holds a secret: only who has it can watch, and only on this machine.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--control", action="store_true", help="let mouse and keyboard through (view only)")
    parser.add_argument("--port", type=whole_number, default=0, metavar="N", help="port of 127.0.0.1 (a free one)")
    add_application_flags(parser)
    add_desktop_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Show a desktop until it is told to end."""
    run_until_signal(lambda ready: _watch(args, ready))
    return 0


async def _watch(args: argparse.Namespace, ready: Callable[[], None]) -> NoReturn:
    from trueline.desktop.watch import watching
    from trueline.desktop.watch.packages import check_packages

    check_packages()
    async with open_desktop_with(args) as now, watching(now.desktop, control=args.control, port=args.port) as address:
        print(address, flush=True)
        how = "mouse and keyboard work there" if args.control else "one can only look; --control lets input through"
        print(f"Open it in a browser: {how}. Ctrl-C ends it and leaves nothing behind.", file=sys.stderr)
        ready()
        await wait_while_alive(now.desktop)
