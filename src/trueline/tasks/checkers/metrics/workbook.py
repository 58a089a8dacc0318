"""Opening workbooks that may be malicious."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self, cast
from xml.parsers import expat

from trueline.errors import MissingExtraError
from trueline.tasks.checkers.archive import BadArchive, read_archive, repack
from trueline.tasks.checkers.metrics.raw_cells import RawCells

CELLS = 2_000_000
"""Rows times columns of a sheet; also the cells its merged ranges cover."""
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_CELL = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")


class Font(Protocol):
    """What is read of openpyxl's fonts."""

    b: bool | None
    i: bool | None
    u: str | None
    name: str | None
    sz: float | None
    color: object


class Fill(Protocol):
    """What is read of openpyxl's fills."""

    fgColor: object


class WorkbookCell(Protocol):
    """What is read of openpyxl's cells."""

    value: object
    font: Font
    fill: Fill


class Sheet(Protocol):
    """What is read of openpyxl's sheets."""

    title: str

    def cell(self, row: int, column: int) -> WorkbookCell:
        """A cell; it is created if missing."""
        ...


class Workbook(Protocol):
    """What is read of openpyxl's workbooks."""

    worksheets: list[Sheet]

    def __getitem__(self, name: str) -> Sheet: ...


class DataFrame(Protocol):
    """What is used of pandas' tables."""

    def round(self, decimals: int) -> Self:
        """Return a copy with rounded numbers."""
        ...

    def equals(self, other: Self) -> bool:
        """Same names, same types, same values."""
        ...

    def __getitem__(self, rows: slice) -> Self: ...

    def to_dict(self, orient: str) -> dict[str, list[list[object]]]:
        """Return the cells as plain data."""
        ...


@dataclass(frozen=True)
class Book:
    """A workbook, known to be of a harmless size."""

    content: bytes

    @cached_property
    def cells(self) -> Workbook:
        """Its cells, with formulas as formulas."""
        load = cast("Callable[..., Workbook]", _library("openpyxl", "load_workbook"))
        return load(io.BytesIO(self.content))

    @cached_property
    def sheets(self) -> list[str]:
        """Names of its sheets with cells in order; a sheet that is one chart is not counted."""
        return [sheet.title for sheet in self.cells.worksheets]

    @cached_property
    def raw(self) -> RawCells:
        """Its cells as they stand in the file."""
        return RawCells(read_archive(self.content))

    def frame(self, sheet: str) -> DataFrame:
        """A sheet as a table, with column names from the first row."""
        read = cast("Callable[..., DataFrame]", _library("pandas", "read_excel"))
        return read(io.BytesIO(self.content), sheet_name=sheet, engine="openpyxl")


def _library(module: str, name: str) -> object:
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise MissingExtraError("checking workbooks", "office") from error


def open_book(content: bytes) -> Book:
    """Open an .xlsx workbook.

    Raises:
        BadArchive: It is not a workbook, or a sheet is too large.
    """
    members = read_archive(content)
    _refuse_size(members)
    book = Book(repack(members))
    try:
        book.sheets  # noqa: B018 - reading it is the test
    except (MissingExtraError, MemoryError):
        raise
    except Exception as error:
        # openpyxl has no error class of its own: a broken workbook can raise anything.
        raise BadArchive(f"is not a workbook: {type(error).__name__}: {error}") from error
    return book


def _refuse_size(members: Mapping[str, bytes]) -> None:
    for name, data in members.items():
        if _SHEET.fullmatch(name):
            extent = _Extent()
            parser = expat.ParserCreate(namespace_separator=" ")
            parser.StartElementHandler = extent.start
            parser.Parse(data, True)
            if extent.rows * extent.columns > CELLS or extent.merged > CELLS:
                raise BadArchive(f"has a sheet of more than {CELLS} cells, which is not checked ({name})")


class _Extent:
    """The extent of a sheet."""

    def __init__(self) -> None:
        self.rows = self.columns = 1
        self.merged = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "c":
                self._reach(attributes.get("r", ""))
            case "mergeCell":
                first, _, last = attributes.get("ref", "").partition(":")
                (top, left), (bottom, right) = _corner(first), _corner(last or first)
                self.merged += max(bottom - top + 1, 0) * max(right - left + 1, 0)
            case _:
                pass

    def _reach(self, cell: str) -> None:
        row, column = _corner(cell)
        self.rows, self.columns = max(self.rows, row), max(self.columns, column)


def _corner(cell: str) -> tuple[int, int]:
    return cell_place(cell.replace("$", "")) or (1, 1)


def cell_place(cell: str) -> tuple[int, int] | None:
    """Row and column of a coordinate such as `B2`, counted from 1; `None` if it is not a coordinate."""
    found = _CELL.fullmatch(cell)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return int(found[2]), column
