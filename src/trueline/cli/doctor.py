"""`trueline doctor`: check the requirements of local desktops and print how to fix what is missing."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.extras import EXTRA_MODULES, missing_modules

if TYPE_CHECKING:
    from trueline.desktop.local.checks import SystemCheck

_EXAMPLES = """\
examples:
  trueline doctor
  trueline doctor --install     (runs the printed commands, with sudo unless you are root)
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--install", action="store_true", help="run the commands that install what is missing")
    parser.add_argument("--full", action="store_true", help="with --install: also applications and optional parts")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Run the checks, install if asked to, and print; returns 1 if a requirement is missing."""
    from trueline.desktop.local.checks import check_all

    checks = [*_python_checks(), *check_all()]
    if args.install:
        _run_fixes(checks, full=args.full)
        checks = [*_python_checks(), *check_all()]
    ready = all(check.ok for check in checks if check.needed)
    if args.json:
        print_json({"ready": ready, "checks": [vars(check) for check in checks]})
    else:
        print("\n".join(_lines(checks)))
        print("This machine can run local desktops." if ready else "This machine cannot run local desktops yet.")
    return 0 if ready else 1


def _python_checks() -> list[SystemCheck]:
    """One check for each extra; only the one for desktops is needed for a desktop."""
    from trueline.desktop.local.checks import SystemCheck

    checks: list[SystemCheck] = []
    for extra in EXTRA_MODULES:
        missing = missing_modules(extra)
        detail = f"not installed: {', '.join(missing)}" if missing else "installed"
        fix = f"pip install 'trueline[{extra}]'"
        checks.append(SystemCheck(f"python extra {extra}", not missing, detail, fix, needed=extra == "desktop"))
    return checks


def _lines(checks: list[SystemCheck]) -> list[str]:
    lines: list[str] = []
    for check in checks:
        mark = "ok  " if check.ok else "MISS" if check.needed else "note"
        lines.append(f"{mark}  {check.name}: {check.detail}")
        if not check.ok and check.fix:
            lines.append(f"      fix: {check.fix}")
    return lines


def _run_fixes(checks: list[SystemCheck], *, full: bool) -> None:
    """Run the commands that fix failed checks; other fixes (a container's flags, a variable) are left to the user.

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
            raise TruelineError(f"the command failed; run it yourself: {check.fix}")
