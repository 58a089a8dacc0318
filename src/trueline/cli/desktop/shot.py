"""`trueline desktop shot`: a picture of a desktop with an application on it."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from trueline.cli.desktop.common import add_application_flags, add_desktop_flags, open_desktop_with
from trueline.cli.output import check_place, print_json, write_file
from trueline.cli.parser import Parser
from trueline.text import printable

_EXAMPLES = """\
examples:
  trueline desktop shot screen.png --app mousepad
  trueline desktop shot letter.png --open letter.docx --size 1280x800
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("out", type=Path, metavar="OUT.png", help="the picture to write")
    add_application_flags(parser)
    add_desktop_flags(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document about what was written")


def run(args: argparse.Namespace) -> int:
    """Start, open, look, write."""
    check_place(args.out)
    window, picture = asyncio.run(_shot(args))
    write_file(args.out, picture)
    width, height = args.size
    if args.json:
        print_json({"path": str(args.out), "width": width, "height": height, "bytes": len(picture), "window": window})
    else:
        print(f"{args.out}: {width}x{height}" + (f", {printable(window)}" if window else ""))
    return 0


async def _shot(args: argparse.Namespace) -> tuple[str | None, bytes]:
    from trueline.records import ObservationSpec

    async with open_desktop_with(args) as now:
        picture = (await now.desktop.observe(ObservationSpec())).png()
        assert picture is not None, "a picture was asked for"
        return now.window.title if now.window else None, picture
