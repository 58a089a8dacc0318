"""Imports folders of OSWorld, OS-Harm and related systems with a record, and exports them without our files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trueline.errors import InputError
from trueline.records.assemble import EVENTS_FILE
from trueline.records.episode_state import RESULT_FILE
from trueline.records.folder.better_log import BETTER_LOG_FILE, better_log, dump_better_log
from trueline.records.folder.closing import EPISODE_FILE, dump_episode
from trueline.records.folder.files import write_file
from trueline.records.folder.reader import read_episode
from trueline.records.folder.traj import TRAJ_FILE, dump_lines, traj_lines
from trueline.records.interchange.atif.model import ATIF_FILE
from trueline.records.interchange.labels import LABELS_FILE
from trueline.records.interchange.new_folder import new_folder
from trueline.records.interchange.paths import put_file
from trueline.records.interchange.sources import EpisodeSource, transfer_episodes
from trueline.records.interchange.transfer import Transfer, TransferOptions, TransferredEpisode
from trueline.text import printable

_OURS = frozenset({EVENTS_FILE, EPISODE_FILE, LABELS_FILE, ATIF_FILE})
_OUR_TREES = ".xml.gz"


def import_folders(sources: Sequence[EpisodeSource], out: Path, options: TransferOptions) -> Transfer:
    """Copy folders of OSWorld and its kin and add `episode.json` to each; the sources are only read."""
    return transfer_episodes(sources, lambda source: _import_one(source, out, options))


def export_folders(sources: Sequence[EpisodeSource], out: Path, options: TransferOptions) -> Transfer:
    """Copy folders without our own files; files that OSWorld's tools need are made from the record if missing."""
    return transfer_episodes(sources, lambda source: _export_one(source, out, options))


def _import_one(source: EpisodeSource, out: Path, options: TransferOptions) -> TransferredEpisode:
    if not source.placed:
        raise InputError(
            f"{source.folder}: its path does not say what it is; "
            "put it below <action_space>/<observation_type>/<model>/<domain>/"
        )
    episode = read_episode(source.folder)
    with new_folder(out, source.below, force=options.force) as folder:
        notes = _copy(source.folder, folder, link=options.link)
        if not episode.ours:
            record = episode.record
            write_file(folder / EPISODE_FILE, dump_episode(record))
            # What was odd is kept, unless it is found again in the copied files whenever they are read.
            again = read_episode(folder).problems
            lost = tuple(problem for problem in episode.problems if problem not in again)
            if lost:
                write_file(folder / EPISODE_FILE, dump_episode(record.model_copy(update={"problems": lost})))
    return TransferredEpisode(str(source.folder), out / source.below, notes=(*notes, *map(str, episode.problems)))


def _export_one(source: EpisodeSource, out: Path, options: TransferOptions) -> TransferredEpisode:
    episode = read_episode(source.folder)
    with new_folder(out, source.below) as folder:
        # A result that is damaged must not count for those who read nothing else.
        unscored = episode.record.score is None
        leave = _OURS | {RESULT_FILE} if unscored else _OURS
        notes = _copy(source.folder, folder, link=options.link, leave=leave)
        if unscored and RESULT_FILE in episode.files:
            notes = (*notes, f"{RESULT_FILE} is left out: {episode.record.detail}")
        if episode.ours and not (folder / TRAJ_FILE).exists():
            write_file(folder / TRAJ_FILE, dump_lines(traj_lines(episode.record)))
        if episode.ours and not (folder / BETTER_LOG_FILE).exists():
            write_file(folder / BETTER_LOG_FILE, dump_better_log(better_log(episode.record)))
    return TransferredEpisode(str(source.folder), out / source.below, notes=notes)


def _copy(source: Path, target: Path, *, link: bool, leave: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Copy the files of an episode; links out of it and special files are skipped and listed."""
    notes: list[str] = []

    def pass_over(below: Path) -> None:
        notes.append(f"{printable(str(below))}: leads out of the folder or is not a file, not copied")

    root = Path(os.path.realpath(source))
    for folder, subfolders, names in os.walk(root):
        for name in subfolders:
            if Path(folder, name).is_symlink():
                pass_over(Path(folder, name).relative_to(root))
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            below = path.relative_to(root)
            if name.startswith(".") or str(below) in leave or (leave and name.endswith(_OUR_TREES)):
                continue
            real = Path(os.path.realpath(path))
            if not real.is_relative_to(root) or not real.is_file():
                pass_over(below)
                continue
            copy = target / below
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put_file(real, copy, link=link)
    return tuple(notes)
