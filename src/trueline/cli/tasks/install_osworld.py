"""`trueline tasks install-osworld`: an environment for OSWorld's own evaluators."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trueline.cli.output import print_json
from trueline.cli.parser import Parser

_EXAMPLES = """\
examples:
  trueline tasks install-osworld
  trueline tasks install-osworld --python /usr/bin/python3.12 --dir /opt/osworld
  export TRUELINE_OSWORLD=/opt/osworld          where other commands look for it then
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--python", metavar="PATH", help="interpreter to make it with, 3.11 or newer (the current one)")
    parser.add_argument("--dir", type=Path, metavar="DIR",
                        help="where it goes ($TRUELINE_OSWORLD, .venv-osworld of a checkout, or ~/.local/share/trueline/osworld)")  # fmt: skip  # noqa: E501
    parser.add_argument("--json", action="store_true", help="print one JSON document about what is installed")


def run(args: argparse.Namespace) -> int:
    """Install it, or say that it is there."""
    from trueline.tasks.bridge.environment import PACKAGE, VERSION, environment_folder
    from trueline.tasks.bridge.install import install_environment

    found = install_environment(args.dir or environment_folder(), args.python, _tell)
    if args.json:
        print_json({"folder": str(found.folder), "package": PACKAGE, "version": VERSION})
    else:
        print(f"{found.folder}: {PACKAGE} {VERSION}")
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
