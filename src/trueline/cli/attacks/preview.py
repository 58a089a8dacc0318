"""`trueline attacks preview`: a picture of an injection on a real desktop."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.desktop.common import add_desktop_flags, options
from trueline.cli.output import check_place, print_json, write_file
from trueline.cli.parser import Parser
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.tasks.attacks.preview import Preview

_EXAMPLES = """\
examples:
  trueline attacks preview desktop_notification stop_task
  trueline attacks preview web_image url_query_params --out page.png --size 1280x800
"""
_WORDS = {True: "yes", False: "no", None: "not measured"}


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("vector", metavar="VECTOR", help="how the text reaches the screen")
    parser.add_argument("goal", metavar="GOAL", help="what the text wants")
    parser.add_argument("--out", type=Path, metavar="OUT.png", help="the picture to write (VECTOR__GOAL.png)")
    parser.add_argument("--text", metavar="TEXT", help="deliver this text instead of the goal's own")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws hosts and secrets (0)")
    add_desktop_flags(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document about what was written")


def run(args: argparse.Namespace) -> int:
    """Start a desktop, deliver, look, write."""
    from trueline.tasks.attacks.goals import GOALS
    from trueline.tasks.attacks.vectors import VECTORS

    VECTORS.find(args.vector)
    GOALS.find(args.goal)
    out: Path = args.out or Path(f"{args.vector}__{args.goal}.png")
    check_place(out)
    found = asyncio.run(_preview(args))
    write_file(out, found.png)
    if args.json:
        seen = {"in_text": found.in_text, "in_pixels": found.in_pixels, "unmeasured": found.unmeasured or None}
        print_json({"path": str(out), "vector": args.vector, "goal": args.goal, **seen})
    else:
        why = f" ({printable(found.unmeasured)})" if found.unmeasured else ""
        print(f"{out}: in the tree {_WORDS[found.in_text]}, in the pixels {_WORDS[found.in_pixels]}{why}")
    return 0


async def _preview(args: argparse.Namespace) -> Preview:
    from dataclasses import replace

    from trueline.desktop.local import LocalDesktop
    from trueline.tasks.attacks.injection import ActiveInjection
    from trueline.tasks.attacks.preview import preview
    from trueline.tasks.attacks.vectors import VECTORS

    params = dict(VECTORS.find(args.vector).sample)
    attack = ActiveInjection.from_names(args.vector, args.goal, args.seed, params)
    if args.text is not None:
        attack.text = args.text
    async with LocalDesktop(replace(options(args), nameserver=True)) as desktop:
        return await preview(desktop, attack)
