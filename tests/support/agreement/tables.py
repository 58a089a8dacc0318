"""Pairs of workbooks."""

from __future__ import annotations

import copy
import importlib
import io
import random
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from support.agreement import Case, Generator
from support.agreement.words import maybe_missing
from tasks.office_files import xlsx_file
from trueline.tasks.checkers.values import FileValue

MOMENT = datetime.fromisoformat("2024-02-29T12:30")
CELLS: tuple[object, ...] = (
    1,
    2,
    2.5,
    2.50001,
    0.1 + 0.2,
    "x",
    "X",
    "1",
    "NA",
    None,
    True,
    MOMENT,
    "two words",
    -7,
    1e6,
)


def _book() -> Any:
    return importlib.import_module("openpyxl").Workbook()


def saved(book: Any, name: str = "a.xlsx") -> FileValue:
    buffer = io.BytesIO()
    book.save(buffer)
    return FileValue(name, buffer.getvalue())


def sheet_data(rng: random.Random) -> Case:
    kinds = [rng.sample(CELLS, rng.randrange(1, 4)) for _ in range(3)]
    header: list[object] = ["a", "b", rng.choice(("c", "a", None))]
    rows = [header]
    rows += [[rng.choice(kind) for kind in kinds] for _ in range(rng.randrange(4))]
    other = [list(row) for row in rows]
    if rng.random() < 0.5:
        other[rng.randrange(len(other))][rng.randrange(3)] = rng.choice(CELLS)
    left, right = rng.choice(((0, "EI0"), ("RI0", "EI0"), ("RNfirst", "ENfirst"), ("RNsecond", "EI1"), (5, "EI0")))
    rule: dict[str, JsonValue] = {"type": "sheet_data", "sheet_idx0": left, "sheet_idx1": right}
    if rng.random() < 0.2:
        rule["precision"] = rng.randrange(6)
    name = rng.choice(("a.xlsx", "a.xlsx", "a.xlsx", "a.xlsm"))
    pair = xlsx_file({"first": rows, "second": rows}, name=name), xlsx_file({"first": other, "second": rows})
    return Case("compare_table", maybe_missing(rng, pair[0]), pair[1], {"rules": [rule]})


def chart_sheets(rng: random.Random) -> Case:
    """A sheet that is one chart does not count."""

    def made() -> FileValue:
        book = _book()
        for row in (["a", "b"], [1, rng.choice((2, 3))]):
            book.active.append(row)
        reader = importlib.import_module("openpyxl.chart")
        for place in rng.sample((0, 1), rng.randrange(3)):
            sheet = book.create_chartsheet(f"chart{place}", place)
            chart = reader.BarChart()
            chart.add_data(reader.Reference(book.worksheets[0], min_col=1, min_row=1, max_row=2))
            sheet.add_chart(chart)
        return saved(book)

    rules: list[JsonValue] = [rng.choice((
        {"type": "sheet_data", "sheet_idx0": rng.choice((0, "RI1", "RI0")), "sheet_idx1": "EI0"},
        {"type": "sheet_name"},
    ))]  # fmt: skip
    return Case("compare_table", made(), made(), {"rules": rules})


def check_cell(rng: random.Random) -> Case:
    book = xlsx_file(
        {"S": [["a", 1, 2.5, "=1+1"], ["b c", -3, datetime.fromisoformat("2024-02-29")],
               [rng.choice((7, True, datetime.fromisoformat("1900-01-15"))), None, "z", '="x"']]},
        merge=rng.choice((None, "A1:B1", "B2:C3")),
        style={
            "bold": rng.random() < 0.5,
            "color": rng.choice((None, "FFFF0000")),
            "fill": rng.choice((None, "FF00FF00")),
        },
        styled=rng.choice(("A1", "A1", "B3", "D1", "D3", "F9")),
    )  # fmt: skip
    choices: list[tuple[str, str, JsonValue]] = [
        *(("value", method, ref) for method in ("eq", "ne", "gt") for ref in ("a", 1, 2.5, None, -3, 45351, 15)),
        ("value", "approx:0.6", 2), ("value", "re", "b"),
        *(("merge", "eq", ref) for ref in (True, False)),
        *(("font_bold", "eq", ref) for ref in (True, False, None)),
        *((name, "eq", ref) for name in ("bgcolor", "fgcolor") for ref in ("FF00FF00", "00000000")),
        *(("font_color", "eq", ref) for ref in ("FFFF0000", None)),
        ("font_name", "eq", "Calibri"), ("font_size", "ge", 11), ("font_italic", "eq", False),
        ("font_underline", "eq", None),
    ]  # fmt: skip
    prop, method, ref = rng.choice(choices)
    cell = rng.choice(("A1", "B1", "C1", "A2", "B2", "C2", "A3", "B3", "C3", "D1", "D3", "F9"))
    rule: JsonValue = {"type": "check_cell", "sheet_idx": 0, "coordinate": cell,
                       "props": {prop: {"method": method, "ref": ref}}}  # fmt: skip
    return Case("compare_table", book, None, {"rules": [rule]})


def sheet_fuzzy(rng: random.Random) -> Case:
    texts = (
        "+1 (555) 1234",
        "15551234",
        "12 Main Rd",
        "12 Main Road",
        "alpha beta",
        "Alpha beta",
        " x ",
        "",
        3,
        3.5,
        None,
    )
    rows = [[rng.choice(texts) for _ in range(3)] for _ in range(4)]
    other = copy.deepcopy(rows)
    for _ in range(rng.randrange(3)):
        other[rng.randrange(4)][rng.randrange(3)] = rng.choice(texts)
    inner: list[JsonValue] = []
    for _ in range(rng.choice((1, 1, 2))):
        rule: dict[str, JsonValue] = {
            "range": [*rng.sample(("A1:A4", "B1:C2", "C3", "B2:B5"), rng.choice((1, 2)))],
            "type": rng.choice(("includes", "included_by", "fuzzy_match", "exact_match")),
        }
        extras: dict[str, JsonValue] = {
            "threshold": rng.choice((60, 85, 90)), "ignore_case": rng.random() < 0.6, "ignore_chars": " ()-",
            "trim_leadings": "+ ", "trim_trailings": " ", "normalization": [["Rd", "Road"]],
        }  # fmt: skip
        rule |= {name: value for name, value in extras.items() if rng.random() < 0.35}
        inner.append(rule)
    names = rng.choice((("RNS", "ENS"), ("RNS", "ENS"), (0, "EI0"), ("RNnone", "ENS")))
    outer: JsonValue = {"type": "sheet_fuzzy", "sheet_idx0": names[0], "sheet_idx1": names[1], "rules": inner}
    return Case("compare_table", xlsx_file({"S": rows}), xlsx_file({"S": other}), {"rules": [outer]})


def sheet_properties(rng: random.Random) -> Case:
    """Panes, zoom, rows, columns, validations, names."""
    cells: Any = importlib.import_module("openpyxl.worksheet.datavalidation")

    def made() -> FileValue:
        book = _book()
        sheet = book.active
        sheet.title = rng.choice(("S", "S", "S", "T"))
        for row in range(4):
            sheet.append([row, "x"])
        sheet.freeze_panes = rng.choice((None, "A2", "A2", "B1"))
        sheet.sheet_view.zoomScale = rng.choice((None, 100, 259, 260, 261))
        if rng.random() < 0.5:
            sheet.row_dimensions[2].hidden = True
        if rng.random() < 0.3:
            sheet.row_dimensions[3].height = 20
        if rng.random() < 0.5:
            sheet.column_dimensions["B"].width = rng.choice((20, 30))
        for _ in range(rng.choice((0, 1, 1, 2))):
            listed = rng.choice(('"Pass,Fail,Held"', '"Fail,Pass,Held"', '"Pass,Fail"'))
            validation = cells.DataValidation(type=rng.choice(("list", "list", "whole")), formula1=listed)
            validation.add(rng.choice(("D2:D29", "D2:D30", "D1:D28", "C2:D29")))
            sheet.add_data_validation(validation)
        return saved(book)

    two: dict[str, JsonValue] = {"sheet_idx0": 0, "sheet_idx1": "EI0"}
    validations: JsonValue = [{
        "ranges": {"method": "spreadsheet_range", "ref": ["D2:D29", "D1:D1048576"]},
        "type": {"method": "eq", "ref": "list"},
        "formula1": {"method": "str_set_eq", "ref": ["Pass", "Fail", "Held"]},
    }]  # fmt: skip
    rule: dict[str, JsonValue] = rng.choice((
        {"type": "freeze", **two}, {"type": "sheet_name"}, {"type": "row_props", "props": ["hidden"], **two},
        {"type": "col_props", "props": ["width", "hidden"], **two}, {"type": "row_props", "props": ["height"], **two},
        {"type": "zoom", "sheet_idx": 0, "method": rng.choice(("lt", "ge", "eq")), "ref": 260},
        {"type": "data_validation", "sheet_idx": 0, "dv_props": validations},
    ))  # fmt: skip
    return Case("compare_table", made(), made(), {"rules": [rule]})


def charts(rng: random.Random) -> Case:
    library: Any = importlib.import_module("openpyxl.chart")

    def made() -> FileValue:
        book = _book()
        sheet = book.active
        for row in (["a", "b", "c"], [1, 2, 3], [4, 5, 6]):
            sheet.append(row)
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            chart = rng.choice((library.BarChart, library.BarChart, library.LineChart, library.PieChart))()
            data = library.Reference(sheet, min_col=rng.choice((1, 1, 2)), min_row=1, max_row=3)
            chart.add_data(data, titles_from_data=rng.random() < 0.5)
            if rng.random() < 0.4:
                chart.set_categories(library.Reference(sheet, min_col=3, min_row=2, max_row=3))
            chart.title = rng.choice((None, "Sales", "Sales", "Costs"))
            if rng.random() < 0.2:
                chart.legend = None
            if hasattr(chart, "barDir"):
                chart.barDir = rng.choice(("col", "col", "bar"))
            if hasattr(chart, "x_axis"):
                chart.x_axis.title = rng.choice((None, "Month"))
            sheet.add_chart(chart, "E2")
        return saved(book)

    properties: list[JsonValue] = [
        *rng.sample(("title", "legend", "type", "direction", "xtitle", "width"), rng.randrange(1, 4))
    ]
    rule: JsonValue = {"type": "chart", "sheet_idx0": 0, "sheet_idx1": "EI0", "chart_props": properties}
    found = made()
    return Case("compare_table", found, found if rng.random() < 0.3 else made(), {"rules": [rule]})


GENERATORS: dict[str, Generator] = {
    f"compare_table {make.__name__}": make
    for make in (sheet_data, chart_sheets, check_cell, sheet_fuzzy, sheet_properties, charts)
}
