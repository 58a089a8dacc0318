"""What `import` and `export` share: flags, where the output goes, progress and the final report."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.parser import Parser
    from trueline.records.interchange.transfer import Transfer, TransferredEpisode

_LARGE = 50
"""Progress is shown for at least this many episodes."""
_MOST_NOTES = 20
"""Most problems to list that left nothing out."""
_UNFINISHED = ".unfinished-"
"""Prefix of the temporary folders of an export."""


def add_flags(parser: Parser, formats: tuple[str, ...], force: str, *, out_required: bool = True) -> None:
    """Declare the flags that both commands take."""
    parser.add_argument("--format", choices=formats, help="format (detected where possible)")
    parser.add_argument("--out", required=out_required, type=Path, metavar="PATH", help="the folder to write")
    parser.add_argument("--link", action="store_true", help="hard-link pictures instead of copying them")
    parser.add_argument("--force", action="store_true", help=force)
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")


class TransferReport(NamedTuple):
    """The outcomes of the episodes."""

    verb: str
    written: int
    left_out: list[dict[str, str]]
    notes: list[dict[str, str]]


def carry_out(transfers: Iterable[Transfer], verb: str) -> TransferReport:
    """Do the work and show its progress."""
    written = 0
    left_out: list[dict[str, str]] = []
    notes: list[dict[str, str]] = []
    for outcome in _with_progress(transfers, verb):
        if outcome.reason is None:
            written += 1
        else:
            left_out.append({"where": outcome.where, "reason": outcome.reason})
        notes += [{"where": outcome.where, "note": note} for note in outcome.notes]
    return TransferReport(verb, written, left_out, notes)


def report(work: TransferReport, form: str, out: Path, *, as_json: bool) -> int:
    """Print the outcomes; returns 1 if anything was left out."""
    _, written, left_out, notes = work
    if as_json:
        document = {"format": form, "out": str(out), "written": written, "left_out": left_out, "notes": notes}
        print(json.dumps(document, indent=2))
    else:
        for note in notes[:_MOST_NOTES]:
            print(printable(f"note: {note['where']}: {note['note']}", limit=1000), file=sys.stderr)
        if len(notes) > _MOST_NOTES:
            print(f"note: {len(notes) - _MOST_NOTES} more of these (--json has them all)", file=sys.stderr)
        for item in left_out:
            print(printable(f"left out: {item['where']}: {item['reason']}", limit=1000), file=sys.stderr)
        print(f"{work.verb} {written} of {written + len(left_out)} episodes to {printable(str(out), limit=1000)}")
    return 1 if left_out else 0


def _with_progress(transfers: Iterable[Transfer], verb: str) -> Iterator[TransferredEpisode]:
    for transfer in transfers:
        every = max(transfer.total // 20, 1)
        for done, outcome in enumerate(transfer.outcomes, 1):
            if transfer.total >= _LARGE and done % every == 0:
                print(f"{verb} {done} of {transfer.total}", file=sys.stderr)
            yield outcome


def refuse_nested_output(sources: Iterable[Path], out: Path) -> None:
    """Refuse an output inside of a source or around one, where it would be read as results.

    Raises:
        InputError: One lies in the other.
    """
    for source in sources:
        inside, around = out.resolve(), source.resolve()
        if inside.is_relative_to(around) or around.is_relative_to(inside):
            raise InputError(f"{out}: is inside {source} or contains it; name an --out outside of it")


def move_aside(path: Path, *, force: bool) -> None:
    """Refuse to overwrite an output, or move it aside; a folder without complete files does not count.

    Raises:
        InputError: It is there and `force` is not.
    """
    if not path.exists() or (path.is_dir() and all(name.startswith(_UNFINISHED) for name in os.listdir(path))):
        return
    if not force:
        raise InputError(f"{path}: already exists; name another --out, or pass --force to move it aside")
    number = 1
    while (aside := path.with_name(f"{path.name}.old-{number}")).exists():
        number += 1
    path.rename(aside)
    _say(f"moved {path} to {aside}")


@contextmanager
def whole_output(out: Path) -> Generator[Path]:
    """Yield a hidden folder to write to, and move its content into place at the end.

    What an interrupted work leaves stays hidden, is named and never deleted; it does not stand in the way of the next.
    """
    from trueline.records.folder.files import make_folder, room_needed, sync_folder

    # A folder that is there may be a mount, which a rename cannot replace: then its content is put into it.
    real = out.resolve()
    given = real.is_dir()
    home = real if given else real.parent
    make_folder(home, exist_ok=True)
    prefix = f"{_UNFINISHED}{real.name[:100]}-"
    for name in sorted(name for name in os.listdir(home) if name.startswith(prefix)):
        _say(f"note: {home / name} is of an export that did not finish or still runs; delete it if it is not needed")
    with room_needed(out):
        staging = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
    folder = staging / real.name  # the output's own name, which says something to MisActBench
    try:
        yield folder
        for path in sorted(folder.glob("*")) if given else [folder]:
            if path.exists():
                path.rename(home / path.name)
        sync_folder(home)
    except BaseException:
        if folder.exists() and any(folder.iterdir()):
            _say(f"unfinished: {out} was not made; what was exported so far is in {staging}")
        raise
    finally:
        for path in (folder, staging):
            if path.exists() and not any(path.iterdir()):
                path.rmdir()


def _say(line: str) -> None:
    print(printable(line, limit=1000), file=sys.stderr)
