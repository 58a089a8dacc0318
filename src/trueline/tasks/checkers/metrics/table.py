"""compare_table: rules on workbooks."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics.value_rules import holds
from trueline.tasks.checkers.metrics.workbook import Book, WorkbookCell, cell_place, open_book
from trueline.tasks.checkers.values import FULL, CheckResult, FileValue, Options, UnreadableResult, Value, expected_file
from trueline.tasks.errors import CheckerError

RULES = frozenset({"sheet_data", "check_cell"})
PROPERTIES = frozenset(
    {"value", "merge", "bgcolor", "fgcolor", "font_bold", "font_italic", "font_underline", "font_name", "font_size",
     "font_color"}
)  # fmt: skip
_PRECISION = 4


class _NoSheet(Exception):
    """The result has no such sheet."""


def compare_table(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether all rules hold, in order."""
    rules = _rules(options)
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    if result.suffix != ".xlsx":
        raise UnreadableResult(f"{result.name}: is not an .xlsx file")
    try:
        books = _Books(open_book(result.content), expected)
    except BadArchive as error:
        raise UnreadableResult(f"{result.name} {error}") from error
    for number, rule in enumerate(rules):
        try:
            good = _sheet_data(books, rule) if rule["type"] == "sheet_data" else _check_cell(books, rule)
        except _NoSheet as error:
            return CheckResult(0.0, f"rule {number}: {error}")
        if not good:
            return CheckResult(0.0, f"rule {number} ({rule['type']}) does not hold")
    return FULL


def supported(options: Options) -> bool:
    """Whether all these rules are supported."""
    try:
        return all(set(_props(rule)) <= PROPERTIES for rule in _rules(options) if rule["type"] == "check_cell")
    except CheckerError:
        return False


def _rules(options: Options) -> list[dict[str, JsonValue]]:
    listed = options.get("rules")
    if not isinstance(listed, list) or not listed:
        raise CheckerError("compare_table: options.rules must be a list of rules")
    rules = [rule for rule in listed if isinstance(rule, dict) and rule.get("type") in RULES]
    if len(rules) != len(listed):
        raise CheckerError(f"compare_table: only rules of the types {', '.join(sorted(RULES))} can be checked")
    return rules


@dataclass(frozen=True)
class _Books:
    result: Book
    gold: Value

    @cached_property
    def expected(self) -> Book:
        file = expected_file(self.gold)
        try:
            return open_book(file.content)
        except BadArchive as error:
            raise CheckerError(f"the expected file {file.name} {error}") from error

    def find(self, ref: JsonValue) -> tuple[Book, str]:
        """The sheet a rule names: a number or RI0, RNname in the result, EI0, ENname in the expected file."""
        text = f"RI{ref}" if isinstance(ref, int) else ref
        if not isinstance(text, str) or text[:2] not in ("RI", "RN", "EI", "EN"):
            raise CheckerError(f"compare_table: {ref!r} does not name a sheet; use 0, RI0, RNname, EI0 or ENname")
        ours, name = text[0] == "R", text[2:]
        book = self.result if ours else self.expected
        sheet = _numbered(book.sheets, name) if text[1] == "I" else name if name in book.sheets else None
        if sheet is not None:
            return book, sheet
        if ours:
            raise _NoSheet(f"there is no sheet {name!r}")
        raise CheckerError(f"compare_table: the expected file has no sheet {name!r}")


def _numbered(sheets: list[str], number: str) -> str | None:
    try:
        return sheets[int(number)]
    except (ValueError, IndexError):
        return None


def _sheet_data(books: _Books, rule: dict[str, JsonValue]) -> bool:
    precision = rule.get("precision", _PRECISION)
    if not isinstance(precision, int):
        raise CheckerError("compare_table: precision must be an integer")
    # The expected side first: its errors take precedence.
    second, first = (
        book.frame(sheet).round(precision)
        for book, sheet in map(books.find, (rule.get("sheet_idx1"), rule.get("sheet_idx0")))
    )
    return bool(first.equals(second))


def _props(rule: dict[str, JsonValue]) -> dict[str, dict[str, JsonValue]]:
    props = rule.get("props")
    found = {name: value for name, value in props.items() if isinstance(value, dict)} if isinstance(props, dict) else {}
    if not isinstance(props, dict) or len(found) != len(props):
        raise CheckerError("compare_table: check_cell needs props of the form {name: {method, ref}}")
    return found


def _check_cell(books: _Books, rule: dict[str, JsonValue]) -> bool:
    coordinate = rule.get("coordinate")
    place = cell_place(coordinate) if isinstance(coordinate, str) else None
    if place is None:
        raise CheckerError(f"compare_table: {coordinate!r} is not a cell such as B2")
    props = _props(rule)
    book, name = books.find(rule.get("sheet_idx"))
    if not hasattr(book.cells[name], "merged_cells"):
        raise _NoSheet(f"{name!r} is a sheet without cells")
    cell, computed = (cells[name].cell(*place) for cells in (book.cells, book.computed))
    return all(holds(_property(computed if prop == "value" else cell, prop), wanted) for prop, wanted in props.items())


def _property(cell: WorkbookCell, name: str) -> object:
    # A cell of a merged range, other than the first.
    merged = type(cell).__name__ == "MergedCell"
    if name == "merge":
        return merged
    if name == "value":
        return None if merged else _plain(cell.value)
    if name in ("bgcolor", "fgcolor"):
        return _color(cell.fill.fgColor)
    if name not in PROPERTIES:
        raise CheckerError(f"compare_table: the property {name!r} of a cell cannot be checked")
    if cell.value is None:
        # As in OSWorld, an empty cell has no font, whatever its style.
        return None
    font = cell.font
    match name:
        case "font_bold":
            return font.b
        case "font_italic":
            return font.i
        case "font_underline":
            return font.u
        case "font_name":
            return font.name
        case "font_size":
            return font.sz
        case _:
            return None if font.color is None else _color(font.color)


def _plain(value: object) -> object:
    """The value as stored in the file: dates and times as days since 1900."""
    match value:
        case datetime.datetime():
            return (value - datetime.datetime(1899, 12, 30)) / datetime.timedelta(days=1)  # noqa: DTZ001 - no zone there
        case datetime.date():
            return (value - datetime.date(1899, 12, 30)).days
        case datetime.time():
            return (value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / 86400
        case datetime.timedelta():
            return value / datetime.timedelta(days=1)
        case _:
            return value


def _color(color: object) -> str:
    """Its ARGB digits; theme and palette colours have none."""
    rgb = getattr(color, "rgb", None)
    return rgb if isinstance(rgb, str) else f"{getattr(color, 'type', '')} {getattr(color, 'value', '')}"
