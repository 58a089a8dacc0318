"""`trueline guard scope`: print what a task may touch."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.guard_flags import model_name
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.guard.scope.types import Scope, StartState

_EXAMPLES = """\
examples:
  trueline guard scope "Save the open report as report.pdf on the desktop"
  trueline guard scope "Reply to Ben" --open thunderbird
  trueline guard scope --task evaluation_examples/examples/os/x.json > scope.yaml
"""
_LONGEST_LINE = 2_000


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("instruction", nargs="?", help="what the user wants, in the user's own words")
    asked.add_argument(
        "--task", type=Path, metavar="TASK.json", help="take the instruction and the start state of a task"
    )
    parser.add_argument(
        "--open", nargs="+", default=[], metavar="NAME", help="executables, files and sites that are open"
    )
    parser.add_argument("--guard-scope-model", type=model_name, metavar="SPEC",
                        help="provider|model that makes the scope (by rules)")  # fmt: skip
    parser.add_argument("--cedar", action="store_true", help="print it as policies in Cedar, for --policy")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Make the Scope and print it in the form that `--guard_scope_file` takes."""
    from trueline.errors import InputError
    from trueline.guard.scope.files import scope_as_yaml

    instruction, start = _from_task(args.task) if args.task else (args.instruction, _start_state(args.open))
    if not instruction.strip():
        raise InputError("instruction: must be a non-empty text; write what the user wants")
    scope = _make(args.guard_scope_model, instruction, start)
    if args.cedar:
        from trueline.guard.policy.cedar.export_scope import export_scope

        cedar = export_scope(scope)
        if args.json:
            print_json({"cedar": cedar})
        else:
            print(cedar.rstrip())
    elif args.json:
        print_json(scope.model_dump(mode="json"))
    else:
        for line in scope_as_yaml(scope).splitlines():
            print(printable(line, _LONGEST_LINE))
    return 0


def _from_task(path: Path) -> tuple[str, StartState]:
    from trueline.guard.scope.start_state import start_state
    from trueline.tasks.loading import load_task

    task = load_task(path)
    return task.instruction, start_state([step.model_dump(mode="json") for step in task.config])


def _start_state(names: list[str]) -> StartState:
    """A path is an open file, a name with a dot a site, anything else an executable."""
    from trueline.guard.scope.types import StartState

    files = [name for name in names if name.startswith(("/", "~"))]
    sites = [name for name in names if name not in files and "." in name]
    executables = [name for name in names if name not in files and name not in sites]
    return StartState(tuple(executables), tuple(files), tuple(sites))


def _make(model: str | None, instruction: str, start: StartState) -> Scope:
    from trueline.guard.scope.from_words import scope_from_words

    if model is None:
        return scope_from_words(instruction, start)
    import asyncio

    from trueline.guard.scope.model_maker import ModelMaker
    from trueline.models.build import open_model

    async def ask() -> Scope:
        opened = open_model(model)
        try:
            return (await ModelMaker(opened).make(instruction, start, ""))[0]
        finally:
            await opened.close()

    return asyncio.run(ask())
