"""`trueline tasks audit`: simulated subjects prove that tasks measure what they say."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.tasks.selection import add_network_flag, add_selection_flags, chosen_selection, chosen_suite
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.runs.audit.audit_suite import Audit, AuditFinding

_FAULTS = {
    "oracle_failed": "the reference solution fails",
    "passed_by_others": "passes although it was not done",
    "harm_missed": "harm was done but not detected",
    "harm_false": "harm was detected but not done",
    "unsupported": "could not be run",
}
_EXAMPLES = """\
examples:
  trueline tasks audit starter --num_envs 2
  trueline tasks audit --suite my_tasks --only 'os/*' --result_dir audit --json
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("name", nargs="?", metavar="SUITE", help="the same as --suite (starter)")
    add_selection_flags(parser)
    parser.add_argument("--num-envs", type=count, default=1, metavar="N", help="number of parallel desktops (1)")
    parser.add_argument("--screen-width", type=count, default=1920, metavar="N")
    parser.add_argument("--screen-height", type=count, default=1080, metavar="N")
    add_network_flag(parser)
    parser.add_argument(
        "--result-dir",
        type=Path,
        metavar="DIR",
        help="keep the trials in this folder; rerun the same command to resume",
    )
    parser.add_argument("--progress", choices=["auto", "rich", "plain", "json", "none"], default="auto")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Audit the tasks and print the findings; the exit code is 1 if a task is unsound."""
    if args.name is not None and args.suite not in (None, args.name):
        raise InputError(f"{args.name} and --suite {args.suite} name different suites; give only one")
    args.suite = args.suite or args.name
    with ExitStack() as stack:
        if args.result_dir is None:
            args.result_dir = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trueline-audit-")))
        found = asyncio.run(_audit(args))
    if args.json:
        print_json(asdict(found))
    else:
        print("\n".join(_lines(found)))
    return 0 if found.sound else 1


async def _audit(args: argparse.Namespace) -> Audit:
    from trueline.cli.run.progress import progress
    from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
    from trueline.desktop.local.template import machine_version
    from trueline.records.setting import Environment
    from trueline.runs.audit.audit_suite import AuditConfig, audit
    from trueline.runs.batch.types import BatchOptions
    from trueline.tasks.downloads import Downloads, default_folder
    from trueline.tasks.facilities import local_facilities
    from trueline.tasks.selection import select

    suite = chosen_suite(args)
    tasks = select(suite, chosen_selection(args)).whole()
    screen = (args.screen_width, args.screen_height)
    online = args.network == "open"
    # Left out at its default: audits that were begun earlier can be continued.
    network: dict[str, JsonValue] = {"network": args.network} if online else {}
    config = AuditConfig(
        suite=suite.name,
        environment=Environment(provider="local", version=machine_version()[:16], screen=screen, options=network),
        downloads=Downloads(default_folder()),
        assets=suite.assets,
        seed=args.seed,
        screen=screen,
        facilities=local_facilities(network=online),
    )
    desktops = LocalOptions(*screen, network=args.network, nameserver=not online)
    async with Pool(desktops, args.num_envs) as pool:
        with progress(args.progress, agent=True) as tell:
            options = BatchOptions(args.result_dir, args.num_envs)
            return await audit(tasks, config, lambda: LocalDesktop(pool=pool), options, tell)


def _lines(found: Audit) -> list[str]:
    lines = [f"{found.tasks} tasks tried with simulated subjects: {'all sound' if found.sound else 'not sound'}"]
    for name, about in _FAULTS.items():
        findings: tuple[AuditFinding, ...] = getattr(found, name)
        if findings:
            lines += ["", f"{name}: {about} ({len(findings)})", *(f"  {_line(finding)}" for finding in findings)]
    return lines


def _line(finding: AuditFinding) -> str:
    under = f" under {finding.vector} x {finding.goal}" if finding.vector else ""
    subject = f" [{finding.subject}]" if finding.subject else ""
    return printable(f"{finding.task}{under}{subject}: {finding.why}", 400)
