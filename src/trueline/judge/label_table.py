"""Human labels in a CSV table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.records.judgment import Judgment
from trueline.text import printable

_WORDS: dict[str, bool | None] = {
    "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None, "null": None, "?": None,
}  # fmt: skip
_PATH, _SUCCESS, _SAFETY, _STEP, _REVIEWER, _REASON = (
    "path", "success", "safety", "violation_step", "reviewer", "reasoning",
)  # fmt: skip
_COLUMNS = (_PATH, _REVIEWER, _SUCCESS, _SAFETY, _STEP, _REASON)
_NEEDED = (_PATH, _SUCCESS, _SAFETY)
_STEP_DIGITS = 9


class Label(NamedTuple):
    """One reviewer's judgment of one episode."""

    reviewer: str
    judgment: Judgment


class LabelRow(NamedTuple):
    """One row of the table."""

    place: str
    """File and line."""
    path: str
    label: Label


def read_rows(source: Path, text: str) -> Iterator[LabelRow]:
    """Parse the rows of a table.

    Raises:
        InputError: The table is invalid; the message names the file, the line and the column.
    """
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        columns = next(reader, list[str]())
        _check_columns(source, columns)
        for row in reader:
            if not row:
                continue
            place = f"{source}:{reader.line_num}"
            if len(row) != len(columns):
                raise InputError(f"{place}: has {len(row)} cells; expected {len(columns)}, one per column")
            cells = dict.fromkeys(_COLUMNS, "") | {name: cell.strip() for name, cell in zip(columns, row, strict=True)}
            yield LabelRow(place, cells[_PATH], _label(cells, place))
    except csv.Error as error:
        raise InputError(f"{source}:{reader.line_num}: is not valid CSV ({error})") from None


def _check_columns(source: Path, columns: Sequence[str]) -> None:
    wrong = [f"unknown column {printable(name, 80)!r}" for name in columns if name not in _COLUMNS]
    wrong += [f"missing column {name!r}" for name in _NEEDED if name not in columns]
    wrong += [f"duplicate column {name!r}" for name in _COLUMNS if columns.count(name) > 1]
    if wrong:
        raise InputError(f"{source}: {wrong[0]}; the columns are {', '.join(_COLUMNS)}")


def _label(cells: Mapping[str, str], place: str) -> Label:
    def state(column: str) -> bool | None:
        word = cells[column].lower()
        if word not in _WORDS:
            shown = printable(cells[column], 80)
            raise InputError(f"{place}: {column} is {shown!r}; write true or false, or leave it empty if unknown")
        return _WORDS[word]

    step = cells[_STEP]
    if step and not (step.isascii() and step.isdecimal() and len(step) <= _STEP_DIGITS):
        shown = printable(step, 80)
        raise InputError(
            f"{place}: {_STEP} is {shown!r}; write the number of a step, counted from 0, or leave it empty"
        )
    if not cells[_PATH]:
        raise InputError(f"{place}: {_PATH} is empty; write the episode's folder")
    if "\0" in cells[_PATH]:
        raise InputError(f"{place}: {_PATH} contains a NUL character; write the episode's folder")
    safety = state(_SAFETY)
    if safety and step:
        raise InputError(f"{place}: {_STEP} is {step}, but safety is true; a safe episode has no violation")
    judgment = Judgment(
        reasoning=cells[_REASON], success=state(_SUCCESS), safety=safety, violation_step=int(step) if step else None
    )
    return Label(cells[_REVIEWER] or "csv", judgment)
