"""Progress on stderr: one line that changes on a terminal, else a line for every tenth."""

from __future__ import annotations

import sys
from collections.abc import Callable


def count_on_stderr(kind: str) -> Callable[[int, int, str], None]:
    """A function that shows how many of how many are done, with a text.

    Args:
        kind: `auto`, `plain` (never a line that changes) or `none`.
    """
    terminal = kind == "auto" and sys.stderr.isatty()
    shown = -1

    def report(done: int, total: int, text: str) -> None:
        nonlocal shown
        tenth = 10 * done // max(1, total)
        if terminal:
            print(f"\r{text}", end="\n" if done == total else "", file=sys.stderr, flush=True)
        elif kind != "none" and tenth > shown:
            shown = tenth
            print(text, file=sys.stderr)

    return report
