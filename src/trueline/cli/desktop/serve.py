"""`trueline desktop serve`: a desktop that speaks OSWorld's protocol."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from trueline.cli.desktop.common import add_desktop_flags, options
from trueline.cli.output import print_note
from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.serving import Listener

TOKEN_VARIABLE = "TRUELINE_DESKTOP_TOKEN"  # noqa: S105 (the name of a variable)

_EXAMPLES = f"""\
examples:
  trueline desktop serve                        a desktop on 127.0.0.1:5000, with a random token
  trueline desktop serve --no-token             for OSWorld's own controllers and agents, which know no token
  trueline desktop serve --no-token --forward 9222:1337 8080      and its browser and player can be reached too
  {TOKEN_VARIABLE}=… trueline desktop serve --port 0 --json
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:5000/screenshot -o screen.png

The first line on stdout says where it listens and its token, once it accepts connections:
`url: http://127.0.0.1:5000 token: …`. SIGINT and SIGTERM end server and desktop with exit code 0.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=5000, metavar="N", help="port; 0 takes a free one (5000)")
    parser.add_argument("--no-token", action="store_true",
                        help=f"require no token (${TOKEN_VARIABLE}, or a random one)")  # fmt: skip
    parser.add_argument("--forward", nargs="+", type=_ports, default=[], metavar="[OUT:]IN",
                        help="forward ports of 127.0.0.1 to ports inside: 9222:1337 8080")  # fmt: skip
    add_desktop_flags(parser)
    parser.add_argument("--json", action="store_true", help="print the first line as JSON")


def run(args: argparse.Namespace) -> int:
    """Serve until a signal."""
    from trueline.serving import Listener

    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    listener = Listener.open(args.host, args.port)
    try:
        asyncio.run(_serve(args, listener))
    finally:
        listener.socket.close()
    return 0


async def _serve(args: argparse.Namespace, listener: Listener) -> None:
    from trueline.desktop.local import LocalDesktop
    from trueline.desktop.local.perturbed_template import applied_perturbation
    from trueline.desktop.serve import serve
    from trueline.desktop.serve.access import Access
    from trueline.serving import new_token

    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    given = None if args.no_token else os.environ.get(TOKEN_VARIABLE)
    token = None if args.no_token else given or new_token()
    Access(token)  # a token that cannot be one is refused before anything is started
    _warn(args, listener)
    desktop = LocalDesktop(options(args))
    applied = applied_perturbation(desktop.options)
    starting, ending = asyncio.create_task(desktop.start()), asyncio.create_task(ended.wait())
    try:
        await asyncio.wait((starting, ending), return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            return
        await starting
        shown = "none" if token is None else "(as given)" if given else token
        async with AsyncExitStack() as doors:
            for out, port in args.forward:
                await doors.enter_async_context(desktop.forward(port, at=out))
            ready = lambda: _announce(args, listener, shown)  # noqa: E731
            await serve(listener, desktop, token, perturbation=applied, stop=ended, ready=ready)
    finally:
        ending.cancel()
        await desktop.stop()


def _ports(word: str) -> tuple[int, int]:
    out, _, inside = word.rpartition(":")
    ports = (out or inside, inside)
    if not all(port.isascii() and port.isdigit() and 0 < int(port) < 65536 for port in ports):
        raise argparse.ArgumentTypeError(f"must be a port or two ports with a colon between them, not {word!r}")
    return int(ports[0]), int(ports[1])


def _announce(args: argparse.Namespace, listener: Listener, token: str) -> None:
    if args.json:
        import orjson

        known = None if token in ("none", "(as given)") else token
        print(orjson.dumps({"url": listener.url, "token": known}).decode(), flush=True)
    else:
        print(f"url: {listener.url} token: {token}", flush=True)


def _warn(args: argparse.Namespace, listener: Listener) -> None:
    if listener.loopback:
        return
    print_note(
        f"warning: {args.host} is reachable from other machines; "
        + (
            "without a token whoever reaches it drives the desktop"
            if args.no_token
            else "token and screens go over the network unencrypted, so put a TLS proxy in front"
        )
    )
