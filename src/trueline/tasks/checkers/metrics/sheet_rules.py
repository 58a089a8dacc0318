"""Rules of compare_table on sheets: panes, zoom, validations, rows and columns, charts."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import JsonValue

from trueline.tasks.checkers.metrics.value_rules import holds
from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.errors import CheckerError

# openpyxl has no types for what is read here: sheets and charts are `Any`.
Rule = Mapping[str, JsonValue]
_ROW_PROPERTIES = frozenset({"hidden", "collapsed", "height"})
_COLUMN_PROPERTIES = frozenset({"width", "auto_size", "hidden", "collapsed", "min", "max"})
_CHART_PROPERTIES = frozenset({"title", "legend", "width", "height", "type", "direction", "xtitle", "ytitle", "ztitle"})
SHEET_RULES = frozenset({"freeze", "row_props", "col_props", "chart"})
"""Rules that compare one thing of two sheets."""


def supported_properties(rule: Rule) -> bool:
    """Whether all properties that a rule names can be read."""
    match rule.get("type"):
        case "row_props":
            return _names(rule, "props") <= _ROW_PROPERTIES
        case "col_props":
            return _names(rule, "props") <= _COLUMN_PROPERTIES
        case "chart":
            return _names(rule, "chart_props") <= _CHART_PROPERTIES
        case _:
            return True


def read_sheet(sheet: Any, rule: Rule) -> object:
    """What a rule compares of a sheet.

    Raises:
        UnreadableResult: The sheet's file is broken there.
    """
    kind = str(rule.get("type"))
    try:
        match kind:
            case "freeze":
                return sheet.freeze_panes
            case "row_props":
                return _dimensions(sheet.row_dimensions, rule)
            case "col_props":
                return _dimensions(sheet.column_dimensions, rule)
            case _:
                return _charts(sheet, _names(rule, "chart_props"))
    except (AttributeError, TypeError, ValueError, KeyError, IndexError) as error:
        raise UnreadableResult(f"{kind} cannot be read: {type(error).__name__}: {error}") from error


def _dimensions(dimensions: Any, rule: Rule) -> dict[object, object]:
    names = _names(rule, "props")
    return {number: {name: getattr(each, name) for name in names} for number, each in dimensions.items()}


def _names(rule: Rule, key: str) -> frozenset[str]:
    listed = rule.get(key, [])
    if not isinstance(listed, list):
        raise CheckerError(f"compare_table: {key} must be a list")
    return frozenset(map(str, listed))


def _charts(sheet: Any, names: frozenset[str]) -> dict[str, dict[str, object]]:
    """The charts by the cells that they show."""
    reads: dict[str, Callable[[Any], object]] = {
        "title": lambda chart: _words(chart.title),
        "legend": lambda chart: None if chart.legend is None else chart.legend.position,
        "width": lambda chart: chart.width,
        "height": lambda chart: chart.height,
        "type": lambda chart: chart.tagname,
        "direction": lambda chart: chart.barDir,
        **{f"{axis}title": lambda chart, axis=axis: _axis_words(chart, axis) for axis in "xyz"},
    }
    return {
        ";".join(f"{_source(series.val)},{_source(series.cat)}" for series in chart.series): {
            name: reads[name](chart) for name in names
        }
        for chart in sheet._charts
    }


def _source(values: Any) -> str:
    """The cells of a row of values or categories."""
    for kind in ("numRef", "strRef"):
        cells = getattr(getattr(values, kind, None), "f", None)
        if cells is not None:
            return str(cells)
    return ""


def _words(title: Any) -> str | None:
    """The first piece of a title."""
    try:
        return title.tx.rich.p[0].r[0].t
    except (AttributeError, TypeError, IndexError):
        return None


def _axis_words(chart: Any, axis: str) -> str | None:
    return _words(getattr(getattr(chart, f"{axis}_axis", None), "title", None))


def zoom_fits(sheet: Any, rule: dict[str, JsonValue]) -> bool:
    """Whether the zoom of a sheet fits a rule."""
    return holds(sheet.sheet_view.zoomScale or 100.0, rule)


def validations_fit(sheet: Any, rule: Rule) -> bool:
    """Whether there are as many validations as `dv_props` describes, and each fits one of them."""
    wanted = rule.get("dv_props")
    if not isinstance(wanted, list) or not all(isinstance(each, dict) for each in wanted):
        raise CheckerError("compare_table: dv_props must be a list of objects")
    validations = sheet.data_validations.dataValidation
    return len(validations) >= len(wanted) and all(
        any(_fits(validation, each) for each in wanted) for validation in validations
    )


def _fits(validation: Any, wanted: JsonValue) -> bool:
    assert isinstance(wanted, dict)
    for name, rule in wanted.items():
        if not isinstance(rule, dict) or not hasattr(validation, name):
            raise CheckerError(f"compare_table: dv_props.{name} is not a property of a data validation")
        value = getattr(validation, name)
        if not (_covers(value, rule) if rule.get("method") == "spreadsheet_range" else holds(value, rule)):
            return False
    return True


def _covers(ranges: Any, rule: Rule) -> bool:
    """Whether the ranges hold the first of `ref` and lie in the second."""
    ref = rule.get("ref")
    if not isinstance(ref, list) or len(ref) != 2:
        raise CheckerError("compare_table: spreadsheet_range needs a list of two ranges")
    several = importlib.import_module("openpyxl.worksheet.cell_range").MultiCellRange
    least, most = (several(str(each)) for each in ref)
    return _inside(least, ranges) and _inside(ranges, most)


def _inside(inner: Any, outer: Any) -> bool:
    return all(any(each.issubset(other) for other in outer) for each in inner)
