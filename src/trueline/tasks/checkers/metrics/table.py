"""compare_table: rules on workbooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import JsonValue

from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics.sheet_rules import (
    SHEET_RULES,
    read_sheet,
    supported_properties,
    validations_fit,
    zoom_fits,
)
from trueline.tasks.checkers.metrics.similarity import ratio
from trueline.tasks.checkers.metrics.value_rules import holds
from trueline.tasks.checkers.metrics.workbook import Book, WorkbookCell, cell_place, open_book
from trueline.tasks.checkers.values import FULL, CheckResult, FileValue, Options, UnreadableResult, Value, expected_file
from trueline.tasks.errors import CheckerError

RULES = frozenset({"sheet_data", "check_cell", "sheet_name", "sheet_fuzzy", "zoom", "data_validation"}) | SHEET_RULES
PROPERTIES = frozenset(
    {"value", "merge", "bgcolor", "fgcolor", "font_bold", "font_italic", "font_underline", "font_name", "font_size",
     "font_color"}
)  # fmt: skip
_PRECISION = 4
_SUFFIXES = (".xlsx", ".xlsm", ".xltx", ".xltm")
_LIKENESS = 85.0


class _NoSheet(Exception):
    """The result has no such sheet."""


def compare_table(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether all rules hold, in order."""
    rules = _rules(options)
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    if result.suffix not in _SUFFIXES:
        raise UnreadableResult(f"{result.name}: is not a workbook such as .xlsx")
    try:
        books = _Books(open_book(result.content), expected)
    except BadArchive as error:
        raise UnreadableResult(f"{result.name} {error}") from error
    for number, rule in enumerate(rules):
        try:
            good = _holds(books, rule)
        except _NoSheet as error:
            return CheckResult(0.0, f"rule {number}: {error}")
        if not good:
            return CheckResult(0.0, f"rule {number} ({rule['type']}) does not hold")
    return FULL


def supported(options: Options) -> bool:
    """Whether all these rules are supported."""
    try:
        rules = _rules(options)
        cells = all(set(_props(rule)) <= PROPERTIES for rule in rules if rule["type"] == "check_cell")
        return cells and all(map(supported_properties, rules))
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
        book, sheet = self.find_or_blank(ref)
        if sheet in book.sheets:
            return book, sheet
        if book is self.result:
            raise _NoSheet(f"there is no sheet {ref!r}")
        raise CheckerError(f"compare_table: the expected file has no sheet {ref!r}")

    def sheet(self, ref: JsonValue) -> Any:
        """The sheet a rule names, as openpyxl has it."""
        book, name = self.find(ref)
        return book.cells[name]

    def find_or_blank(self, ref: JsonValue) -> tuple[Book, str]:
        """The sheet a rule names; the name may be that of no sheet."""
        text = f"RI{ref}" if isinstance(ref, int) else ref
        if not isinstance(text, str) or text[:2] not in ("RI", "RN", "EI", "EN"):
            raise CheckerError(f"compare_table: {ref!r} does not name a sheet; use 0, RI0, RNname, EI0 or ENname")
        ours, name = text[0] == "R", text[2:]
        book = self.result if ours else self.expected
        return book, (_numbered(book.sheets, name) or "") if text[1] == "I" else name


def _holds(books: _Books, rule: dict[str, JsonValue]) -> bool:
    match rule["type"]:
        case "sheet_data":
            return _sheet_data(books, rule)
        case "check_cell":
            return _check_cell(books, rule)
        case "sheet_name":
            return books.result.sheets == books.expected.sheets
        case "sheet_fuzzy":
            return _fuzzy(books, rule)
        case "zoom":
            return zoom_fits(books.sheet(rule.get("sheet_idx")), rule)
        case "data_validation":
            return validations_fit(books.sheet(rule.get("sheet_idx")), rule)
        case _:
            first, second = (read_sheet(books.sheet(rule.get(key)), rule) for key in ("sheet_idx0", "sheet_idx1"))
            return first == second


def _numbered(sheets: list[str], number: str) -> str | None:
    try:
        return sheets[int(number)]
    except (ValueError, IndexError):
        return None


def _fuzzy(books: _Books, rule: dict[str, JsonValue]) -> bool:
    """Whether the texts of ranges fit, cell by cell."""
    pair = [books.find_or_blank(rule.get(key)) for key in ("sheet_idx0", "sheet_idx1")]
    inner = rule.get("rules")
    if not isinstance(inner, list):
        raise CheckerError("compare_table: sheet_fuzzy needs a list of rules")
    for each in inner:
        ranges = each.get("range") if isinstance(each, dict) else None
        if not isinstance(each, dict) or not isinstance(ranges, list):
            raise CheckerError("compare_table: each rule of sheet_fuzzy must be an object with a range")
        for span in map(str, ranges):
            for coordinate in _coordinates(span):
                texts = [_simplify(str(book.raw.value(sheet, coordinate)), each) for book, sheet in pair]
                if not _alike(texts[0], texts[1], each):
                    return False
    return True


def _coordinates(span: str) -> Iterator[str]:
    corners = [cell_place(corner) for corner in span.replace("$", "").split(":")]
    if len(corners) > 2 or corners[0] is None or corners[-1] is None:
        raise CheckerError(f"compare_table: {span!r} is not a range such as A1:B6")
    (top, left), (bottom, right) = corners[0], corners[-1]
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            yield f"{_letters(column)}{row}"


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, last = divmod(column - 1, 26)
        letters = chr(65 + last) + letters
    return letters


def _simplify(text: str, rule: dict[str, JsonValue]) -> str:
    pairs = rule.get("normalization", [])
    for pair in pairs if isinstance(pairs, list) else []:
        if not isinstance(pair, list) or len(pair) != 2:
            raise CheckerError("compare_table: normalization must be a list of pairs of texts")
        text = text.replace(str(pair[0]), str(pair[1]))
    if "trim_leadings" in rule:
        text = text.lstrip(str(rule["trim_leadings"]))
    if "trim_trailings" in rule:
        text = text.rstrip(str(rule["trim_trailings"]))
    ignored = str(rule.get("ignore_chars", ""))
    text = "".join(char for char in text if char not in ignored)
    return text.lower() if rule.get("ignore_case", False) else text


def _alike(found: str, wanted: str, rule: dict[str, JsonValue]) -> bool:
    match rule.get("type"):
        case "includes":
            return wanted in found
        case "included_by":
            return found in wanted
        case "exact_match":
            return found == wanted
        case "fuzzy_match":
            threshold = rule.get("threshold", _LIKENESS)
            if not isinstance(threshold, int | float):
                raise CheckerError("compare_table: threshold must be a number")
            return ratio(found, wanted) * 100 >= threshold
        case kind:
            raise CheckerError(f"compare_table: unknown type {kind!r} in sheet_fuzzy")


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
    cell = book.cells[name].cell(*place)
    return all(
        holds(book.raw.value(name, str(coordinate)) if prop == "value" else _property(cell, prop), wanted)
        for prop, wanted in props.items()
    )


def _property(cell: WorkbookCell, name: str) -> object:
    # A cell of a merged range, other than the first.
    merged = type(cell).__name__ == "MergedCell"
    if name == "merge":
        return merged
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


def _color(color: object) -> str:
    """Its ARGB digits; theme and palette colours have none."""
    rgb = getattr(color, "rgb", None)
    return rgb if isinstance(rgb, str) else f"{getattr(color, 'type', '')} {getattr(color, 'value', '')}"
