"""`trueline doctor`: what this machine lacks for local desktops, and the one line that mends each lack."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.extras import EXTRA_MODULES, missing_modules

if TYPE_CHECKING:
    from trueline.desktop.local.checks import Check

_EXAMPLES = """\
examples:
  trueline doctor
  trueline doctor --install     (does what the lines that mend say; asks sudo when not root)
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--install", action="store_true", help="run the lines that mend what is needed")
    parser.add_argument("--full", action="store_true", help="with --install: applications and the rest too")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Look, maybe install and look again, print; 1 when something needed is missing."""
    from trueline.desktop.local.checks import check_all

    checks = [*_python_checks(), *check_all()]
    if args.install:
        _mend(checks, full=args.full)
        checks = [*_python_checks(), *check_all()]
    ready = all(check.ok for check in checks if check.needed)
    if args.json:
        print_json({"ready": ready, "checks": [vars(check) for check in checks]})
    else:
        print("\n".join(_lines(checks)))
        print("This machine can run local desktops." if ready else "This machine cannot run local desktops yet.")
    return 0 if ready else 1


def _python_checks() -> list[Check]:
    """One check for each extra; only the one for desktops is needed for a desktop."""
    from trueline.desktop.local.checks import Check

    checks: list[Check] = []
    for extra in EXTRA_MODULES:
        missing = missing_modules(extra)
        detail = f"not installed: {', '.join(missing)}" if missing else "installed"
        fix = f"pip install 'trueline[{extra}]'"
        checks.append(Check(f"python extra {extra}", not missing, detail, fix, needed=extra == "desktop"))
    return checks


def _lines(checks: list[Check]) -> list[str]:
    lines: list[str] = []
    for check in checks:
        mark = "ok  " if check.ok else "MISS" if check.needed else "note"
        lines.append(f"{mark}  {check.name}: {check.detail}")
        if not check.ok and check.fix:
            lines.append(f"      mend: {check.fix}")
    return lines


def _mend(checks: list[Check], *, full: bool) -> None:
    """Run the lines that mend a lack; what is no command (a container's flags, a variable) is left to the user.

    Raises:
        TruelineError: One of them failed.
    """
    import os
    import subprocess
    import sys

    from trueline.errors import TruelineError

    for check in checks:
        if check.ok or not (check.needed or full) or not check.fix.startswith("sudo "):
            continue
        line = check.fix.replace("sudo ", "") if os.geteuid() == 0 else check.fix
        print(f"{check.name}: {line}", file=sys.stderr)
        # The line is made of words of ours alone; its output goes to stderr, results only to stdout.
        if subprocess.run(["sh", "-c", f"({line}) >&2"], check=False).returncode != 0:  # noqa: S603, S607
            raise TruelineError(f"that failed; try it by hand: {check.fix}")
