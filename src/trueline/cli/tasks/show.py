"""`trueline tasks show`: one task, summarised or as JSON."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.cli.tasks.selection import add_selection_flags, chosen_selection, chosen_suite
from trueline.errors import InputError
from trueline.tables import text_table
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.tasks.model import Evaluator, Getter, Step, Task
    from trueline.tasks.suite import IndexedTask, SuiteTask


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.add_argument("task", help="id or domain/id, or the beginning of it if it is unambiguous")
    add_selection_flags(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the task file as JSON, without drawing its variation"
    )


def run(args: argparse.Namespace) -> int:
    """Find the task and print it."""
    from trueline.tasks.suite import load_refs

    found = load_refs([_find(args)]).whole()[0]
    if args.json:
        print_json(found.task.to_json())
    else:
        print("\n".join(_lines(varied(found, args.seed), found.task, args.seed)))
    return 0


def _find(args: argparse.Namespace) -> IndexedTask:
    from trueline.tasks.selection import narrow

    suite = chosen_suite(args)
    refs = narrow(suite, chosen_selection(args))
    wanted = args.task
    found = [ref for ref in refs if wanted in (ref.id, ref.name)]
    found = found or [ref for ref in refs if ref.id.startswith(wanted) or ref.name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(f"{suite.name} has no task {wanted}; list them with: trueline tasks list")
    raise InputError(f"{wanted} matches {len(found)} tasks: {', '.join(ref.name for ref in found[:5])} …")


def varied(found: SuiteTask, seed: int) -> SuiteTask:
    """The task as `trueline run --paired_seeds` draws it with this seed, without repeats.

    Raises:
        InputError: The task's variation does not fit the task.
    """
    from trueline.runs.build import VARIATION
    from trueline.runs.plan import Planned
    from trueline.runs.randomness import seed_of
    from trueline.tasks.suite import SuiteTask
    from trueline.tasks.variation import vary

    if not found.task.variation:
        return found
    drawn = seed_of(seed, None, Planned(found).reference(""), None, None, VARIATION)
    return SuiteTask(found.ref, vary(found.task, drawn))


def _lines(found: SuiteTask, file: Task, seed: int) -> list[str]:
    from trueline.tasks.checkers import scored_by
    from trueline.tasks.facilities import local_facilities
    from trueline.tasks.support import unsupported

    task = found.task
    rows = {
        "task": found.ref.name,
        "kind": str(found.kind),
        "instruction": task.instruction,
        "applications": ", ".join(task.related_apps) or "-",
        "runs here": "yes" if not (reasons := unsupported(task, local_facilities())) else f"no: {', '.join(reasons)}",
        "scored by": scored_by(task.evaluator),
        "file": str(found.ref.path),
    }
    if file.variation:
        rows["varies"] = f"{', '.join(file.variation)}; drawn with --seed {seed}"
    table = text_table([(name, printable(value, 2000)) for name, value in rows.items()], ruled=False)
    lines = table.splitlines()
    lines += _steps("set-up", task.config) + _steps("before checking", task.evaluator.postconfig)
    lines += _checks(task.evaluator) + _attacks(task)
    return lines


def _steps(title: str, steps: tuple[Step, ...]) -> list[str]:
    if not steps:
        return []
    rows: list[tuple[str, str, str]] = []
    for number, step in enumerate(steps, 1):
        parameters = json.loads(step.model_dump_json(exclude_unset=True)).get("parameters", {})
        rows.append((f"  {number}.", printable(step.type, 30), printable(json.dumps(parameters), 160)))
    return ["", f"{title}:", *text_table(rows, ruled=False, align="rl").splitlines()]


def _checks(evaluator: Evaluator) -> list[str]:
    from trueline.tasks.model.evaluator import checks

    lines = ["", f"checks ({evaluator.conj}):" if len(evaluator.functions) > 1 else "check:"]
    for check in checks(evaluator):
        options = f" with {json.dumps(check.options)}" if check.options else ""
        lines.append(f"  {printable(check.function, 60)}{printable(options, 200)}")
        lines += [
            f"    {side}: {_getter(part)}"
            for side, part in (("result", check.result), ("expected", check.expected))
            if part
        ]
    return lines


def _getter(getter: Getter) -> str:
    return printable(f"{getter.type} {json.dumps(getter.model_extra)}", 160)


def _attacks(task: Task) -> list[str]:
    lines = ["", "injections:"] if task.injections else []
    lines += [f"  {printable(each.type, 40)}: {printable(', '.join(each.goals), 160)}" for each in task.injections]
    if task.adversary_evaluator is not None:
        lines += ["", f"attack check: {printable(', '.join(task.adversary_evaluator.functions), 160)}"]
    return lines
