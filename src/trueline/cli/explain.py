"""`trueline explain`: explain why an episode has its score."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.text import printable

if TYPE_CHECKING:
    from pydantic import JsonValue

_EXAMPLES = """\
examples:
  trueline explain results/pyautogui/screenshot/gpt-5/os/rename-file
  trueline explain results/run1 --json

If a folder contains several episodes, each one is explained.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("episodes", nargs="+", type=Path, metavar="EPISODE", help="episode folders or result folders")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Collect and print."""
    from trueline.errors import InputError
    from trueline.records.scan import scan
    from trueline.runs.explain import explain, explanation_text

    folders: dict[Path, None] = {}
    for root in args.episodes:
        found = scan(root)
        if not found:
            raise InputError(f"{root}: holds no episode; name an episode folder or a results folder")
        folders |= dict.fromkeys(Path(trial.folder) for trial in found)
    if len(folders) == 1:
        (only,) = folders
        document = explain(only)
        print_json(document) if args.json else print(explanation_text(document))
        return 0
    documents: list[dict[str, JsonValue]] = []
    errors: list[str] = []
    for folder in folders:
        try:
            documents.append(explain(folder))
        except InputError as error:
            errors.append(str(error))
    if args.json:
        print_json({"episodes": documents, "errors": errors})
    else:
        print("\n\n".join(map(explanation_text, documents)))
    for error in errors:
        print(printable(f"error: {error}", 1000), file=sys.stderr)
    return 1 if errors else 0
