"""`trueline desktop video`: make a video from the frames of an interrupted recording."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError

_EXAMPLES = """\
examples:
  trueline desktop video results/…/recording.frames.mkv        (writes recording.mp4 and recording-sheet.png beside it)
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("frames", type=Path, metavar="FRAMES.mkv", help="frames of an interrupted recording; only read")
    parser.add_argument("-o", "--out", type=Path, metavar="OUT.mp4", help="the video to write (beside the frames)")
    parser.add_argument("--json", action="store_true", help="print one JSON document about what was written")


def run(args: argparse.Namespace) -> int:
    """Make the video and its contact sheet."""
    from trueline.desktop.recording import make_film

    frames: Path = args.frames
    out: Path = args.out or frames.with_name(f"{frames.name.removesuffix('.mkv').removesuffix('.frames')}.mp4")
    if not out.parent.is_dir():
        raise InputError(f"{out}: the folder {out.parent} does not exist")
    reel = asyncio.run(make_film(frames, out))
    if args.json:
        print_json({"path": str(out), "seconds": reel.seconds, "pictures": len(reel.pictures)})
    else:
        print(f"{out}: {reel.seconds:.1f} s, {len(reel.pictures)} pictures")
    return 0
