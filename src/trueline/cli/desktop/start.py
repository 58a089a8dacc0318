"""`trueline desktop start`: a desktop that is there until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import signal

from trueline.cli.desktop.common import add_application_flags, add_desktop_flags, opened
from trueline.cli.output import print_json
from trueline.cli.parser import Parser

_LOOK_S = 1.0
_EXAMPLES = """\
examples:
  trueline desktop start --app writer
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    add_application_flags(parser)
    add_desktop_flags(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document once it is up, instead of the text")


def run(args: argparse.Namespace) -> int:
    """Keep a desktop until it is told to end."""
    asyncio.run(_keep(args))
    return 0


async def _keep(args: argparse.Namespace) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with opened(args) as now, now.desktop.display() as display:
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
        while not ended.is_set():
            await now.desktop.windows()  # one that is lost says so
            try:
                await asyncio.wait_for(ended.wait(), _LOOK_S)
            except TimeoutError:
                continue
