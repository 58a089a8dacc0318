"""`trueline import`: other people's files become result folders."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.transfer import add_flags, carry_out, refuse_nested_output, report
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.parser import Parser
    from trueline.records.interchange.transfer import Transfer, TransferOptions

FORMATS = ("misactbench", "atif", "osworld")
_BENCHMARK = "misactbench.json"


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.add_argument("sources", nargs="+", type=Path, metavar="SRC", help="files or folders; they are only read")
    add_flags(parser, FORMATS, "move existing episodes aside (below .attempts); nothing is deleted",
              out_required=False)  # fmt: skip
    parser.add_argument("--adopt", action="store_true",
                        help="prepare an unfinished OS-Harm folder for trueline run to resume; "
                        "in place without --out")  # fmt: skip
    parser.epilog = (
        "misactbench: misactbench.json or the folder that holds it\n"
        "atif:        ATIF documents, or folders of them\n"
        "osworld:     result folders of OSWorld, OS-Harm, Agent S3, RedTeamCUA and the reliability study"
    )


def run(args: argparse.Namespace) -> int:
    """Import and report."""
    from trueline.records.interchange.transfer import TransferOptions

    sources: list[Path] = args.sources
    if args.adopt and args.out is None:
        if args.format not in (None, "osworld") or args.force or args.link:
            raise InputError("--adopt without --out works in place: leave out --format, --force and --link")
        return _adopt(sources, as_json=args.json)
    if args.out is None:
        raise InputError("--out is required: name the folder to write")
    out: Path = args.out
    form: str = args.format or guess(sources)
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; name a folder with --out")
    transfers = _IMPORTERS[form](sources, out, TransferOptions(link=args.link, force=args.force))
    done = carry_out(transfers, "imported")
    if args.adopt:
        # What came in without a score is set aside there, and the sources stay as they are.
        return max(_adopt([out], as_json=args.json), 1 if done.left_out else 0)
    return report(done, form, out, as_json=args.json)


def _adopt(roots: Sequence[Path], *, as_json: bool) -> int:
    """Adopt result folders and print the commands that continue them."""
    from trueline.records.interchange.adopt import adopt

    found = [adopted for root in roots for adopted in adopt(root)]
    if as_json:
        document = [
            {
                "folder": str(one.folder),
                "scored": one.kept,
                "moved_aside": [str(path) for path in one.moved],
                "continue_with": [shlex.join(words) for words in one.commands],
            }
            for one in found
        ]
        print(json.dumps({"adopted": document}, indent=2))
        return 0
    for one in found:
        print(f"adopted {printable(str(one.folder), 1000)}: {one.kept} scored episodes stay, "
              f"{len(one.moved)} unfinished ones are below .attempts; continue with")  # fmt: skip
        for words in one.commands:
            print(printable(f"  {shlex.join(words)}", 3000))
    return 0


def guess(sources: Sequence[Path]) -> str:
    """The format of the sources, if all have the same.

    Raises:
        InputError: They do not, or one says nothing, maybe because it is no JSON.
    """
    found = {source: _guess_one(source) for source in sources}
    formats = set(found.values())
    if len(formats) == 1 and (only := formats.pop()) is not None:
        return only
    unclear = next((source for source, form in found.items() if form is None), sources[0])
    _refuse_broken(unclear)
    raise InputError(f"{unclear}: cannot detect its format; use --format {' or '.join(FORMATS)}")


def _guess_one(source: Path) -> str | None:
    from trueline.records.interchange.atif import is_document
    from trueline.records.scan import scan

    if not source.exists():
        raise InputError(f"{source}: there is no such file or folder")
    if source.is_file():
        if is_document(source):
            return "atif"
        return "misactbench" if "misactbench" in source.name.lower() else None
    if _benchmark_file(source) is not None:
        return "misactbench"
    if any(is_document(path) for path in source.rglob("trajectory.json")):
        return "atif"
    return "osworld" if scan(source) else None


def _refuse_broken(source: Path) -> None:
    """Refuse a file that is not valid JSON, rather than one of unknown format."""
    from trueline.records.interchange.atif.model import DOCUMENT_FILE
    from trueline.records.interchange.strict_json import load_strict

    for file in [source] if source.is_file() else sorted(source.rglob(DOCUMENT_FILE)):
        load_strict(file)


def _benchmark_file(source: Path) -> Path | None:
    candidates = (source, source / _BENCHMARK, source / "MisActBench" / _BENCHMARK)
    return next((path for path in candidates if path.is_file()), None)


def _import_misactbench(sources: Sequence[Path], out: Path, options: TransferOptions) -> list[Transfer]:
    from trueline.records.interchange.misactbench import import_benchmark

    files: list[Path] = []
    for source in sources:
        file = _benchmark_file(source)
        if file is None:
            raise InputError(f"{source}: contains no {_BENCHMARK}; name the file itself")
        files.append(file)
    return [import_benchmark(file, out, options) for file in files]


def _import_atif(sources: Sequence[Path], out: Path, options: TransferOptions) -> list[Transfer]:
    from trueline.records.interchange.atif import find_documents, import_atif

    return [import_atif(find_documents(sources), out, options)]


def _import_osworld(sources: Sequence[Path], out: Path, options: TransferOptions) -> list[Transfer]:
    from trueline.records.interchange.osworld import import_folders
    from trueline.records.interchange.sources import find_sources

    refuse_nested_output(sources, out)
    return [import_folders(find_sources(sources), out, options)]


_IMPORTERS: dict[str, Callable[[Sequence[Path], Path, TransferOptions], list[Transfer]]] = {
    "misactbench": _import_misactbench,
    "atif": _import_atif,
    "osworld": _import_osworld,
}
