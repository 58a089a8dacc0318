"""`trueline export`: result folders become other people's files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.transfer import add_flags, carry_out, move_aside, refuse_nested_output, report, whole_output
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.cli.parser import Parser
    from trueline.records.interchange.sources import EpisodeSource
    from trueline.records.interchange.transfer import Transfer, TransferOptions

FORMATS = ("misactbench", "atif", "parquet", "osworld")


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.add_argument(
        "result_dirs", nargs="+", type=Path, metavar="RESULT_DIR", help="result folders, at any level; only read"
    )
    add_flags(parser, FORMATS, "move an existing output aside; nothing is deleted")
    parser.epilog = (
        "misactbench: PATH/MisActBench/misactbench.json and trajectories/<id>/step_<n>.png\n"
        "atif:        PATH/<path of the episode>/trajectory.json, pictures beside it\n"
        "parquet:     PATH/episodes.parquet and PATH/steps.parquet (needs pyarrow)\n"
        "osworld:     the same folders without Trueline's own files\n"
        "Several result folders are kept separate: PATH/<name of the result folder>/…"
    )


def run(args: argparse.Namespace) -> int:
    """Export and report."""
    from trueline.records.interchange.sources import find_sources
    from trueline.records.interchange.transfer import TransferOptions

    out: Path = args.out
    form: str = args.format or guess(out)
    sources = find_sources(args.result_dirs)
    refuse_nested_output(args.result_dirs, out)
    move_aside(out, force=args.force)
    with whole_output(out) as folder:
        work = carry_out([_export(form, sources, folder, TransferOptions(link=args.link))], "exported")
    return report(work, form, out, as_json=args.json)


def guess(out: Path) -> str:
    """The format that the output's name says.

    Raises:
        InputError: It says none.
    """
    name = out.name.lower()
    found = [form for form in FORMATS if form in name]
    if len(found) != 1:
        raise InputError(f"--format is required: {' or '.join(FORMATS)}")
    return found[0]


def _export(form: str, sources: list[EpisodeSource], out: Path, options: TransferOptions) -> Transfer:
    if form == "misactbench":
        from trueline.records.interchange.misactbench import export_benchmark

        return export_benchmark(sources, out, options)
    if form == "atif":
        from trueline.records.interchange.atif import export_atif

        return export_atif(sources, out, options)
    if form == "osworld":
        from trueline.records.interchange.osworld import export_folders

        return export_folders(sources, out, options)
    from trueline.records.interchange.parquet import export_parquet

    return export_parquet(sources, out)
