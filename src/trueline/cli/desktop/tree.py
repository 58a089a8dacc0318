"""`trueline desktop tree`: the accessibility tree of a desktop with an application on it."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.cli.desktop.common import add_application_flags, add_desktop_flags, open_desktop_with, print_from_inside
from trueline.cli.output import check_place, print_note, write_file
from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.records.observation import TreeScope
    from trueline.records.tree import Node, Tree

_EXAMPLES = """\
examples:
  trueline desktop tree --app mousepad --format tsv
  trueline desktop tree --app calc --open table.xlsx -o tree.xml
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    add_application_flags(parser)
    parser.add_argument("--format", choices=("xml", "tsv", "json"), default="xml",
                        help="OSWorld's XML, the table that agents read, or JSON (xml)")  # fmt: skip
    parser.add_argument("--scope", choices=("screen", "whole"), default="screen",
                        help="only what is on the screen, or the whole tree, as OSWorld has it (screen)")  # fmt: skip
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="file to write instead of stdout")
    add_desktop_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Start, open, read, write or print."""
    if args.out is not None:
        check_place(args.out)
    tree, partial = asyncio.run(_tree(args))
    text = format_tree(tree, args.format, partial=partial, scope=args.scope)
    if partial:
        print_note(
            "something is missing from the tree: an application did not answer in time, or has too many elements"
        )
    if args.out is None:
        print_from_inside(text)
    else:
        write_file(args.out, text.encode())
    return 0


def format_tree(tree: Tree, form: str, *, partial: bool = False, scope: TreeScope = "screen") -> str:
    """The tree in one of the three formats; only JSON also has its scope and whether it is incomplete."""
    from trueline.records.tree import linearise, write_xml

    if form == "json":
        import json

        return (
            json.dumps({"scope": scope, "partial": partial, **_document(tree.root)}, indent=1, ensure_ascii=False)
            + "\n"
        )
    return write_xml(tree) if form == "xml" else linearise(tree)


def _document(node: Node) -> dict[str, JsonValue]:
    """One element and all below it, without what it does not have."""
    document: dict[str, JsonValue] = {
        "role": node.role,
        "name": node.name,
        "text": node.text,
        "states": list[JsonValue](sorted(node.states)),
        "position": None if node.position is None else list[JsonValue](node.position),
        "size": None if node.size is None else list[JsonValue](node.size),
        "value": None if node.value is None else node.value.value,
        "actions": list[JsonValue](action.name for action in node.actions),
        "children": list[JsonValue](_document(child) for child in node.children),
    }
    return {name: value for name, value in document.items() if value not in (None, "", [])}


async def _tree(args: argparse.Namespace) -> tuple[Tree, bool]:
    from trueline.records import ObservationSpec

    async with open_desktop_with(args) as now:
        seen = await now.desktop.observe(ObservationSpec(screenshot=False, tree=True, tree_scope=args.scope))
        assert seen.tree is not None, "a tree was asked for"
        return seen.tree, seen.partial
