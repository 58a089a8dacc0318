"""`trueline doctor`: what this machine lacks for local desktops, and the one line that mends each lack."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.desktop.local.checks import Check

_EXAMPLES = """\
examples:
  trueline doctor
  trueline doctor --install     (installs the Debian packages that are missing; asks sudo when not root)
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--install", action="store_true", help="install the missing Debian packages of the desktop")
    parser.add_argument("--full", action="store_true", help="with --install: the applications too")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Look, maybe install and look again, print; 1 when something needed is missing."""
    from trueline.desktop.local.checks import check_all

    checks = check_all()
    if args.install:
        _install(checks, full=args.full)
        checks = check_all()
    ready = all(check.ok for check in checks if check.needed)
    if args.json:
        print_json({"ready": ready, "checks": [vars(check) for check in checks]})
    else:
        print("\n".join(_lines(checks)))
        print("This machine can run local desktops." if ready else "This machine cannot run local desktops yet.")
    return 0 if ready else 1


def _lines(checks: list[Check]) -> list[str]:
    lines: list[str] = []
    for check in checks:
        mark = "ok  " if check.ok else "MISS" if check.needed else "note"
        lines.append(f"{mark}  {check.name}: {check.detail}")
        if not check.ok and check.fix:
            lines.append(f"      mend: {check.fix}")
    return lines


def _install(checks: list[Check], *, full: bool) -> None:
    """Run the install lines of the checks that want packages.

    Raises:
        TruelineError: The installation failed.
    """
    import os
    import subprocess

    from trueline.errors import TruelineError

    for check in checks:
        wanted = not check.ok and (check.name == "programs" or (full and check.name == "applications"))
        if not wanted:
            continue
        line = check.fix.replace("sudo ", "") if os.geteuid() == 0 else check.fix
        # The line is made of package names of ours alone; its output goes to stderr, results only to stdout.
        if subprocess.run(["sh", "-c", f"({line}) >&2"], check=False).returncode != 0:  # noqa: S603, S607
            raise TruelineError(f"that failed; try it by hand: {check.fix}")
