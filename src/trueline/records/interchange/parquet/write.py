"""Writes rows to Parquet as they come: memory holds one row group at a time."""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from trueline.actions.decoded import well_formed
from trueline.errors import InputError, MissingExtraError
from trueline.records.folder.files import make_folder, room_needed
from trueline.records.folder.reader import read_episode
from trueline.records.interchange.labels import read_labels
from trueline.records.interchange.parquet.columns import EPISODE_COLUMNS, STEP_COLUMNS, ColumnType
from trueline.records.interchange.parquet.rows import Row, Value, episode_row, step_rows
from trueline.records.interchange.sources import EpisodeSource, transfer_episodes, where
from trueline.records.interchange.transfer import Transfer, TransferredEpisode
from trueline.text import printable

EPISODES_FILE = "episodes.parquet"
STEPS_FILE = "steps.parquet"
_GROUP_ROWS = 5_000
_GROUP_CHARACTERS = 16_000_000
"""Trees are long: a row group is closed when its texts are, whatever their number."""


_LARGEST = 2**63 - 1


class _Writer(Protocol):
    def write_table(self, table: object) -> None: ...
    def close(self) -> None: ...


class _Table(Protocol):
    def from_pylist(self, mapping: Sequence[Row], schema: object) -> object: ...


class _Arrow(Protocol):
    """The part of pyarrow that is used; the package itself is not typed."""

    Table: _Table

    def schema(self, fields: Sequence[tuple[str, object]]) -> object: ...
    def string(self) -> object: ...
    def int64(self) -> object: ...
    def float64(self) -> object: ...
    def bool_(self) -> object: ...
    def list_(self, value_type: object) -> object: ...


class _Parquet(Protocol):
    def ParquetWriter(self, where: str, schema: object, compression: str) -> _Writer: ...


def export_parquet(sources: Sequence[EpisodeSource], out: Path) -> Transfer:
    """Write `episodes.parquet` and `steps.parquet` into a folder; both appear when all episodes are in.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        arrow = cast("_Arrow", importlib.import_module("pyarrow"))
        parquet = cast("_Parquet", importlib.import_module("pyarrow.parquet"))
    except ImportError as error:
        raise MissingExtraError("export to Parquet", "parquet") from error

    def outcomes() -> Iterator[TransferredEpisode]:
        if not out.is_dir():
            make_folder(out)
        episodes = _RowFile(arrow, parquet, out / EPISODES_FILE, EPISODE_COLUMNS)
        steps = _RowFile(arrow, parquet, out / STEPS_FILE, STEP_COLUMNS)

        def export_one(source: EpisodeSource) -> TransferredEpisode:
            episode, labels = read_episode(source.folder), read_labels(source.folder)
            row = storable(episode_row(episode, source.below))
            rows = [storable(row) for row in step_rows(episode, source.below, labels)]
            with room_needed(out):
                episodes.add(row)
                for row in rows:
                    steps.add(row)
            return TransferredEpisode(where(source), out / EPISODES_FILE)

        try:
            yield from transfer_episodes(sources, export_one).outcomes
            with room_needed(out):
                episodes.finish()
                steps.finish()
        finally:
            episodes.drop()
            steps.drop()

    return Transfer(len(sources), outcomes())


def storable(row: Row) -> Row:
    """The row as Parquet can hold it: broken Unicode from models becomes U+FFFD.

    Raises:
        InputError: A number does not fit into its column.
    """
    return {name: _storable(name, value) for name, value in row.items()}


class _RowFile:
    """A Parquet file that is renamed when it is complete."""

    def __init__(self, arrow: _Arrow, parquet: _Parquet, path: Path, columns: Mapping[str, ColumnType]) -> None:
        types: dict[ColumnType, object] = {
            "text": arrow.string(),
            "int": arrow.int64(),
            "float": arrow.float64(),
            "bool": arrow.bool_(),
            "texts": arrow.list_(arrow.string()),
        }
        self._arrow = arrow
        self._path = path
        self._schema = arrow.schema([(name, types[kind]) for name, kind in columns.items()])
        self._temporary = path.with_name(f".{path.name}.tmp-{secrets.token_hex(6)}")
        self._writer = parquet.ParquetWriter(str(self._temporary), self._schema, compression="zstd")
        self._rows: list[Row] = []
        self._characters = 0

    def add(self, row: Row) -> None:
        self._rows.append(row)
        self._characters += sum(map(_length, row.values()))
        if len(self._rows) >= _GROUP_ROWS or self._characters >= _GROUP_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
            self._rows, self._characters = [], 0

    def finish(self) -> None:
        """Write what is left and give the file its name."""
        self._flush()
        self._writer.close()
        self._temporary.replace(self._path)

    def drop(self) -> None:
        """Remove the file if it is not finished."""
        self._writer.close()
        self._temporary.unlink(missing_ok=True)


def _length(value: Value) -> int:
    return sum(map(len, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 0


def _storable(name: str, value: Value) -> Value:
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, int) and not -_LARGEST <= value <= _LARGEST:
        raise InputError(f"{name}: {printable(str(value), 40)} does not fit into 64 bits")
    return well_formed(str(value)) if isinstance(value, str) else value
