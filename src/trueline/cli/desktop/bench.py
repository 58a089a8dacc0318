"""`trueline desktop bench`: measure how fast desktops are on this machine."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.desktop.bench.measure import Figures

_EXAMPLES = """\
examples:
  trueline desktop bench
  trueline desktop bench --json > speed.json
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--runs", type=_count, default=3, metavar="N", help="number of starts and resets (3)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 100):
        raise argparse.ArgumentTypeError(f"must be an integer from 1 to 100, not {text!r}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from dataclasses import asdict

    from trueline.desktop.bench import measure
    from trueline.tables import text_table

    print(f"measuring; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    figures = asyncio.run(measure(args.runs, say=lambda what: print(f"  {what}", file=sys.stderr)))
    if args.json:
        print_json(asdict(figures))
        return 0
    print("\n\n".join(text_table(rows, ruled=False, align="lr") for rows in _tables(figures)))
    return 0


def _tables(figures: Figures) -> list[list[tuple[str, ...]]]:
    """Times on the desktop, compared with the naive way, and compared over HTTP."""
    times = [
        ("what", "time"),
        ("start", f"{figures.start_s:.2f} s"),
        ("reset, mousepad", f"{figures.reset_s:.2f} s"),
        ("screenshot", f"{figures.screenshot_ms:.1f} ms"),
        *((f"tree {name}", f"{taken:.1f} ms") for name, taken in figures.tree_ms.items()),
        ("click", f"{figures.click_ms:.1f} ms"),
        ("50 characters", f"{figures.type50_ms:.1f} ms"),
    ]
    ratios = [("the naive way", "times longer"), *((name, f"{ratio:.1f}") for name, ratio in figures.ratios.items())]
    http = [
        ("over HTTP", "here", "elements", "stand-in for OSWorld's server", "elements", "times longer"),
        *(
            (
                path,
                f"{asked.ours_ms:.1f} ms",
                str(asked.ours_elements),
                f"{asked.stand_in_ms:.1f} ms",
                str(asked.stand_in_elements),
                f"{asked.ratio:.1f}",
            )
            for path, asked in figures.http.items()
        ),
    ]
    return [times, ratios, http]
