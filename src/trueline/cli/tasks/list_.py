"""`trueline tasks list`: the selected tasks, one per line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.tasks.selection import add_network_flag, add_selection_flags, chosen_selection, chosen_suite
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.tasks.facilities import Facilities
    from trueline.tasks.suite import SuiteTask


def configure(parser: Parser) -> None:
    """Declare the flags."""
    add_selection_flags(parser)
    add_network_flag(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the tasks; invalid files are reported on stderr and make the exit code 1."""
    from trueline.tasks.facilities import local_facilities
    from trueline.tasks.selection import select

    facilities = local_facilities(network=args.network == "open")
    loaded = select(chosen_suite(args), chosen_selection(args))
    if args.json:
        print_json({"tasks": [_document(task, args.seed, facilities) for task in loaded.tasks]})
    else:
        _print(loaded.tasks, args.seed, facilities)
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    return 1 if loaded.problems else 0


def _document(task: SuiteTask, seed: int, facilities: Facilities) -> dict[str, object]:
    from trueline.tasks.checkers import scored_by
    from trueline.tasks.support import unsupported

    return {
        "domain": task.ref.domain,
        "id": task.ref.id,
        "kind": task.kind,
        "instruction": _instruction(task, seed),
        "scored_by": scored_by(task.task.evaluator),
        "unsupported": unsupported(task.task, facilities),
    }


def _instruction(task: SuiteTask, seed: int) -> str:
    """The instruction as `show` prints it; the original one if the task's variation is invalid."""
    from trueline.cli.tasks.show import varied

    try:
        return varied(task, seed).task.instruction
    except InputError:
        return task.task.instruction


def _print(tasks: tuple[SuiteTask, ...], seed: int, facilities: Facilities) -> None:
    from trueline.tables import text_table
    from trueline.tasks.checkers import scored_by
    from trueline.tasks.support import unsupported

    rows = [
        (
            printable(task.ref.name, 70),
            str(task.kind),
            "no" if unsupported(task.task, facilities) else "yes",
            scored_by(task.task.evaluator),
            printable(_instruction(task, seed), 60),
        )
        for task in tasks
    ]
    head = ("task", "kind", "runs", "scored by", "instruction")
    print(text_table([head, *rows], ruled=False))
    print(f"\n{len(tasks)} task{'s' * (len(tasks) != 1)}")
