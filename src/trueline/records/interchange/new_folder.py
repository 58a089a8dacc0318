"""New episode folders: each appears as a whole at its place, or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from trueline.errors import InputError
from trueline.records.episode import EpisodeRecord
from trueline.records.folder.attempts import move_aside
from trueline.records.folder.better_log import BETTER_LOG_FILE, better_log, dump_better_log
from trueline.records.folder.closing import EPISODE_FILE, RESULT_FILE, dump_episode
from trueline.records.folder.files import make_folder, room_needed, write_file
from trueline.records.folder.traj import TRAJ_FILE, dump_lines, traj_lines
from trueline.records.folder.writer import INSTRUCTION_FILE
from trueline.records.interchange.paths import put_file
from trueline.records.layout import check_name


@contextmanager
def new_folder(out: Path, below: Path, *, force: bool = False) -> Generator[Path]:
    """Make a temporary folder, and rename it once it is complete.

    Args:
        out: The folder that takes all episodes; it is made when it is not there.
        below: The episode's path below it.
        force: Move an episode that is there already aside, below `.attempts`; nothing is ever deleted.

    Raises:
        InputError: The episode is there already, or its path leads elsewhere.
    """
    if not below.parts:
        raise InputError(f"{out}: an episode needs a folder of its own below it")
    target = out
    for level in below.parts:
        target /= check_name(level, "folder name")
    if (target.exists() or target.is_symlink()) and not force:
        raise InputError(f"{target}: already exists and was left as it is (--force moves it aside)")
    if not out.is_dir():
        make_folder(out)
    with room_needed(out):
        staging = Path(tempfile.mkdtemp(prefix=".incoming-", dir=out))
        try:
            yield staging
            if not target.parent.is_dir():
                make_folder(target.parent)
            if force:
                move_aside(out, target)
            staging.rename(target)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def write_episode(folder: Path, record: EpisodeRecord, files: Mapping[str, Path], *, link: bool) -> None:
    """Fill a new folder from a record and the files it refers to, by their names in the folder."""
    for name, source in files.items():
        put_file(source, folder / check_name(name, "file name"), link=link)
    write_file(folder / INSTRUCTION_FILE, (record.instruction or "").encode(errors="backslashreplace"))
    write_file(folder / TRAJ_FILE, dump_lines(traj_lines(record)))
    write_file(folder / BETTER_LOG_FILE, dump_better_log(better_log(record)))
    write_file(folder / EPISODE_FILE, dump_episode(record))
    if record.score is not None:
        write_file(folder / RESULT_FILE, f"{record.score}\n".encode())
