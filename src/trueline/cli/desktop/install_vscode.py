"""`trueline desktop install-vscode`: build the web build of Visual Studio Code for desktops."""

from __future__ import annotations

import argparse
import sys

from trueline.cli.output import print_json
from trueline.cli.parser import Parser

_EXAMPLES = """\
examples:
  trueline desktop install-vscode
  TRUELINE_VS_CODE=/srv/vs-code trueline desktop install-vscode

It needs network, about 3 minutes and 1.5 GB of disk while it builds, 0.7 GB afterwards.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--json", action="store_true", help="print one JSON document about what is installed")


def run(args: argparse.Namespace) -> int:
    """Build it unless this machine has the editor; print where it lies."""
    from trueline.desktop.local.vs_code import find_vs_code, vs_code_folder
    from trueline.desktop.local.vs_code_install import install_vs_code

    folder = vs_code_folder()
    found = find_vs_code()
    if found is None:
        install_vs_code(folder, lambda line: print(f"install-vscode: {line}", file=sys.stderr))
        found = find_vs_code()
    kind, path = ("web build", folder) if found is None else (found.kind, found.path)
    if args.json:
        print_json({"kind": kind, "path": str(path), "usable": found is not None})
    else:
        print(path if found is not None else f"{path}: built, but not usable yet; see: trueline doctor")
    return 0
