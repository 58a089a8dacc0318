"""What `import` and `export` share: the way to the output, progress, and the report at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.parser import Parser
    from trueline.records.interchange.outcome import Outcome, Transfer

_LARGE = 50
"""From this number of episodes on, progress is shown."""


_MOST_NOTES = 20
"""Of things that were odd, though nothing is left out because of them."""


def add_flags(parser: Parser, formats: tuple[str, ...], force: str) -> None:
    """Declare the flags that both commands take."""
    parser.add_argument("--format", choices=formats, help="guessed when it is obvious")
    parser.add_argument("--out", required=True, type=Path, metavar="PATH", help="the folder to write")
    parser.add_argument("--link", action="store_true", help="give pictures a second name instead of copying them")
    parser.add_argument("--force", action="store_true", help=force)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def carry_out(transfers: Iterable[Transfer], form: str, out: Path, *, as_json: bool, verb: str) -> int:
    """Do the work, show its progress, print the report; 1 when anything was left out."""
    written = 0
    left_out: list[dict[str, str]] = []
    notes: list[dict[str, str]] = []
    for outcome in _with_progress(transfers, verb):
        if outcome.reason is None:
            written += 1
        else:
            left_out.append({"where": outcome.where, "reason": outcome.reason})
        notes += [{"where": outcome.where, "note": note} for note in outcome.notes]
    if as_json:
        report = {"format": form, "out": str(out), "written": written, "left_out": left_out, "notes": notes}
        print(json.dumps(report, indent=2))
    else:
        for note in notes[:_MOST_NOTES]:
            print(printable(f"note: {note['where']}: {note['note']}", limit=1000), file=sys.stderr)
        if len(notes) > _MOST_NOTES:
            print(f"note: {len(notes) - _MOST_NOTES} more of these (--json has them all)", file=sys.stderr)
        for item in left_out:
            print(printable(f"left out: {item['where']}: {item['reason']}", limit=1000), file=sys.stderr)
        print(f"{verb} {written} of {written + len(left_out)} episodes to {printable(str(out), limit=1000)}")
    return 1 if left_out else 0


def _with_progress(transfers: Iterable[Transfer], verb: str) -> Iterator[Outcome]:
    for transfer in transfers:
        every = max(transfer.total // 20, 1)
        for done, outcome in enumerate(transfer.outcomes, 1):
            if transfer.total >= _LARGE and done % every == 0:
                print(f"{verb} {done} of {transfer.total}", file=sys.stderr)
            yield outcome


def keep_apart(sources: Iterable[Path], out: Path) -> None:
    """Refuse an output inside of a source, where it would be taken for results, or around one.

    Raises:
        InputError: One lies in the other.
    """
    for source in sources:
        inside, around = out.resolve(), source.resolve()
        if inside.is_relative_to(around) or around.is_relative_to(inside):
            raise InputError(f"{out}: lies in {source} or holds it; name an --out beside it")


def move_aside(path: Path, *, force: bool) -> None:
    """Refuse to write over an output, or move it out of the way; an empty folder is no output.

    Raises:
        InputError: It is there and `force` is not.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not force:
        raise InputError(f"{path}: is there already; name another --out, or --force to move it aside")
    number = 1
    while (aside := path.with_name(f"{path.name}.old-{number}")).exists():
        number += 1
    path.rename(aside)
    print(f"moved {path} to {aside}", file=sys.stderr)
