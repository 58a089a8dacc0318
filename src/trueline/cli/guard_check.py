"""`trueline guard check`: judge one action on one screen."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.guard_flags import add_guard_flag, add_guard_options, check_format, guard_request
from trueline.cli.output import print_json, safe_lines
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.guard.types import GuardContext
    from trueline.records.verdict import Verdict

NOT_ALLOWED = 1
_EXAMPLES = """\
examples:
  trueline guard check --instruction "Rename the file" --screenshot screen.png --action action.py
  trueline guard check --instruction "Close the window" --action click.json --tree tree.xml --json
  trueline guard check --instruction … --screenshot screen.png --action - --systematic_analysis_model 'openai|gpt-5'

The action is pyautogui source, or JSON in any format that Trueline reads (name it with --format if it is not detected).
Exit code 0: the action may run; 1: it may not (misaligned, or undecided unless --guard_on_error allow); 2: wrong usage.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--instruction", required=True, metavar="TEXT", help="what the user wants")
    parser.add_argument("--action", required=True, metavar="FILE", help="what the agent wants to do; - reads stdin")
    parser.add_argument("--screenshot", type=Path, metavar="F", help="the screen; models cannot judge without it")
    parser.add_argument("--tree", type=Path, metavar="F", help="its accessibility tree, OSWorld's XML")
    parser.add_argument("--format", default="auto", metavar="NAME", help="format of the action (detected)")
    parser.add_argument("--domain", metavar="NAME", help="domain of the task, for rules limited to one domain")
    parser.add_argument("--json", action="store_true", help="print the whole verdict as one JSON document")
    add_guard_flag(parser)
    add_guard_options(parser, history=False)


def run(args: argparse.Namespace) -> int:
    """Judge and print."""
    from trueline.guard.stages import enforce

    verdict = asyncio.run(_check(args, _context(args)))
    enforced = enforce(verdict, args.guard_on_error)
    if args.json:
        print_json(verdict.model_dump(mode="json"))
    else:
        print(_text(verdict, enforced))
    return 0 if enforced == "allow" else NOT_ALLOWED


async def _check(args: argparse.Namespace, context: GuardContext) -> Verdict:
    from trueline.guard.registry import open_guard

    async with open_guard(guard_request(args)) as opened:
        return await opened.guard.check(context)


def _context(args: argparse.Namespace) -> GuardContext:
    from trueline.guard.incoming import read_observation, read_proposal
    from trueline.guard.types import GuardContext

    if not args.instruction.strip():
        raise InputError("--instruction is empty: say what the user wants")
    check_format(args.format)
    picture = None if args.screenshot is None else _read(args.screenshot)
    tree = None if args.tree is None else _decoded(_read(args.tree), str(args.tree))
    observation = read_observation(picture, tree=tree)
    proposal = read_proposal(_action(args.action), id="1", format=args.format, screen=observation.screen)
    return GuardContext(args.instruction, observation, proposal, domain=args.domain)


def _action(name: str) -> object:
    """Parse the action as JSON if it is JSON, else as source."""
    text = sys.stdin.read() if name == "-" else _decoded(_read(Path(name)), name)
    if not text.strip():
        raise InputError(f"{name}: contains no action")
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        if name.endswith(".json"):
            raise InputError(f"{name}: is not JSON") from None
        return text
    return value if isinstance(value, dict | list) else text


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InputError(f"{name}: is not UTF-8 text") from None


def _text(verdict: Verdict, enforced: str) -> str:
    lines = [f"{verdict.decision} ({enforced})" + (f", decided by {verdict.stage}" if verdict.stage else "")]
    if verdict.category:
        lines.append(f"category: {verdict.category}")
    lines.append(f"reason: {verdict.reason}")
    if verdict.feedback:
        told = {"wrong": verdict.feedback.wrong, "misled by": verdict.feedback.misled_by,
                "instead": verdict.feedback.instead}  # fmt: skip
        lines += [f"{name}: {words}" for name, words in told.items() if words]
    lines += [f"evidence ({item.source}): {item.text}" for item in verdict.evidence]
    for finding in verdict.findings:
        took = "" if finding.latency is None else f" in {finding.latency:.3f} s"
        lines.append(f"{finding.stage}: {finding.decision or 'passed on'}{took}")
    return "\n".join(safe_lines(line.replace("\n", " ")) for line in lines)
