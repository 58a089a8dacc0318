"""`trueline desktop start`: start a desktop and keep it until Ctrl-C."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from trueline.cli.desktop.common import (
    add_application_flags,
    add_desktop_flags,
    open_desktop_with,
    run_until_signal,
    wait_while_alive,
)
from trueline.cli.output import print_json
from trueline.cli.parser import Parser

_EXAMPLES = """\
examples:
  trueline desktop start --app writer
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    add_application_flags(parser)
    add_desktop_flags(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document once the desktop is up")


def run(args: argparse.Namespace) -> int:
    """Keep a desktop until it is told to end."""
    run_until_signal(lambda ready: _keep(args, ready))
    return 0


async def _keep(args: argparse.Namespace, ready: Callable[[], None]) -> NoReturn:
    async with open_desktop_with(args) as now, now.desktop.display() as display:
        width, height = args.size
        if args.json:
            print_json({"display": display, "width": width, "height": height, "network": args.network})
        else:
            print(
                f"A desktop of {width}x{height} is up, network {args.network}. Programs of this user reach it as "
                f"display {display}:\n"
                f"  DISPLAY={display} xdotool mousemove 400 300 click 1\n"
                f"  DISPLAY={display} x11vnc -localhost -noshm\n"
                "An agent reaches one by: trueline desktop serve. Ctrl-C ends it and leaves nothing behind.",
                flush=True,
            )
        ready()
        await wait_while_alive(now.desktop)
