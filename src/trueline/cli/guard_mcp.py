"""`trueline guard mcp`: serve the guard as an MCP server on stdin and stdout."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from pathlib import Path

from trueline.cli.guard_flags import add_guard_flag, add_guard_options, check_format, guard_request
from trueline.cli.output import print_note
from trueline.cli.parser import Parser
from trueline.errors import InputError

_EXAMPLES = """\
examples:
  trueline guard mcp --instruction "Rename report.txt to final.txt" --screenshot /run/agent/screen.png
  an entry for a host:  {"command": "trueline", "args": ["guard", "mcp", "--instruction", "…"]}

The tool check_action judges an action. The caller may be the very agent that must be stopped, so set --instruction,
--screenshot and --tree yourself wherever you can.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "--instruction", metavar="TEXT", help="what the user wants (default: what the first check says)"
    )
    parser.add_argument("--screenshot", type=Path, metavar="F",
                        help="file with the current screenshot (default: callers send it)")  # fmt: skip
    parser.add_argument("--tree", type=Path, metavar="F",
                        help="file with the current accessibility tree (default: callers send it)")  # fmt: skip
    parser.add_argument("--format", default="auto", metavar="NAME",
                        help="format of the actions (detected)")  # fmt: skip
    add_guard_flag(parser)
    add_guard_options(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until stdin closes."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    if args.instruction is not None and not args.instruction.strip():
        raise InputError("--instruction is empty: say what the user wants, or leave it out")
    check_format(args.format)
    for flag, file in (("--screenshot", args.screenshot), ("--tree", args.tree)):
        if file is not None and not file.is_file():
            print_note(f"warning: {flag} {file}: there is no such file yet; until there is, nothing is allowed")
    asyncio.run(_serve(args))
    return 0


async def _serve(args: argparse.Namespace) -> None:
    from trueline.guard.mcp_server import McpSettings, build_server
    from trueline.guard.registry import open_guard

    async with open_guard(guard_request(args)) as opened:
        settings = McpSettings(
            instruction=args.instruction,
            format=args.format,
            screenshot=args.screenshot,
            tree=args.tree,
            on_error=args.guard_on_error,
            narrator=opened.narrator,
        )
        await build_server(opened.guard, settings).run_stdio_async()
