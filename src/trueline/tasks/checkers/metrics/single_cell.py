"""only_cell_filled: one cell of a workbook filled in, nothing else touched."""

from __future__ import annotations

import math

from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics.plain_cells import Cells, CellValue, read_cells
from trueline.tasks.checkers.metrics.workbook import cell_place
from trueline.tasks.checkers.values import CheckResult, FileValue, Options, UnreadableResult, Value, pass_if, rules_of
from trueline.tasks.errors import CheckerError


def only_cell_filled(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether `rules.cell` of the first sheet holds the sum of the range `rules.sum_of`, and nothing else changed.

    Ours. The result comes from the getter `kept_file`; the sum is computed from the original file. A formula
    counts as its last result.
    """
    rules = rules_of(expected)
    cell, span = rules.get("cell"), rules.get("sum_of")
    if not isinstance(cell, str) or not isinstance(span, str) or cell_place(cell) is None:
        raise CheckerError("only_cell_filled: rules.cell must be a cell such as B9, rules.sum_of a range such as B2:B8")
    now, then = result if isinstance(result, tuple) and len(result) == 2 else (None, None)
    if now is None:
        return CheckResult(0.0, "there is no such file")
    if then is None:
        raise CheckerError("only_cell_filled: the setup left no such file")
    try:
        before = read_cells(then.content)
    except BadArchive as error:
        raise CheckerError(f"only_cell_filled: the original file {error}") from error
    first = next(iter(before), "")
    cells = before.get(first, {})
    wanted = {**before, first: {**cells, cell: _sum(cells, span)}}
    difference = _difference(_read(now), wanted)
    return pass_if(not difference, difference)


def _read(file: FileValue) -> dict[str, Cells]:
    try:
        return read_cells(file.content)
    except BadArchive as error:
        raise UnreadableResult(f"{file.name} {error}") from error


def _sum(cells: Cells, span: str) -> float:
    corners = [cell_place(corner) for corner in span.split(":")]
    if len(corners) != 2 or corners[0] is None or corners[1] is None:
        raise CheckerError(f"only_cell_filled: rules.sum_of: {span!r} is not a range such as B2:B8")
    (top, left), (bottom, right) = corners[0], corners[1]
    inside = [
        value
        for name, value in cells.items()
        if (place := cell_place(name)) is not None and top <= place[0] <= bottom and left <= place[1] <= right
    ]
    return sum(value for value in inside if isinstance(value, float))


def _difference(found: dict[str, Cells], wanted: dict[str, Cells]) -> str:
    if list(found) != list(wanted):
        return f"the sheets are {list(found)[:10]}"
    for sheet, cells in wanted.items():
        for place in sorted({*cells, *found[sheet]}):
            if not _alike(found[sheet].get(place), cells.get(place)):
                return f"{sheet}.{place} holds {str(found[sheet].get(place, 'nothing'))[:80]!r}"
    return ""


def _alike(first: CellValue | None, second: CellValue | None) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)
    return first == second
