"""`trueline desktop bench`: measure how fast desktops are on this machine."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from trueline.cli.output import print_json
from trueline.cli.parser import Parser

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

    print(f"measuring; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    figures = asyncio.run(measure(args.runs, say=lambda what: print(f"  {what}", file=sys.stderr)))
    if args.json:
        print_json(asdict(figures))
        return 0
    print(f"start             {figures.start_s:8.2f} s")
    print(f"reset, mousepad   {figures.reset_s:8.2f} s")
    print(f"screenshot        {figures.screenshot_ms:8.1f} ms")
    for name, taken in figures.tree_ms.items():
        print(f"tree {name:<12} {taken:8.1f} ms")
    print(f"click             {figures.click_ms:8.1f} ms")
    print(f"50 characters     {figures.type50_ms:8.1f} ms")
    print("times longer the naive way:")
    for name, ratio in figures.ratios.items():
        print(f"  {name:<28} {ratio:6.1f}")
    print("over HTTP, with elements:     here          a stand-in for OSWorld's server   times longer:")
    for name, asked in figures.http.items():
        here, there = (
            f"{asked.ours_ms:8.1f} ms {asked.ours_elements:6}",
            f"{asked.stand_in_ms:8.1f} ms {asked.stand_in_elements:6}",
        )
        print(f"  {name:<20} {here}   {there}   {asked.ratio:6.1f}")
    return 0
