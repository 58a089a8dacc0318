"""The cells of a spreadsheet that are on the screen. The sheet says it has two thousand million of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trueline.desktop.accessibility.answers import (
    Raw,
    Ref,
    ask,
    ask_properties,
    ask_property,
    number_of,
    ref_of,
    states_of,
    value_of,
)
from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.details import VALUES
from trueline.desktop.accessibility.marshal import is_row
from trueline.desktop.accessibility.walk import Child, Found, describe, with_properties

MOST_ROWS, MOST_COLUMNS = 120, 60
_SCREEN = 0
_INSIDE = 3
"""Pixels from the corner of the sheet at which a cell is looked for."""

Block = tuple[range, range]


def add_cells(bus: Bus, found: Found, end: float, budget: int) -> None:
    """Add the cells that are showing, row by row, for every sheet on the screen."""
    for sheet in found.sheets:
        rows, columns = _visible(bus, sheet, end)
        places = [(row, column) for row in rows for column in columns][: max(0, budget - len(found.nodes))]
        answers = bus.call_all([ask(sheet.ref, "Table", "GetAccessibleAt", "ii", *place) for place in places], end)
        refs = [ref_of(answer) for answer in answers]
        children = [Child(ref, sheet.ref, number) for number, ref in enumerate(refs) if ref is not None]
        found.add(cell for cell in _describe(bus, found, children, end) if cell.on_screen)
        if None in answers:
            found.problems.append("some cells did not answer")


def _describe(bus: Bus, found: Found, children: Sequence[Child], end: float) -> list[Raw]:
    """All cells have the role, the interfaces and the bounds of the first one: a third less to ask."""
    first = describe(bus, found, children[:1], end)
    if not first or not first[0].bulk:
        return describe(bus, found, children, end)
    like = replace(first[0], bounds=_bounds(bus, first[0], end))
    calls = [
        call
        for child in children
        for call in (ask_properties(child.ref, "Accessible"), ask(child.ref, "Accessible", "GetState"))
    ]
    answers = bus.call_all(calls, end)
    if None in answers:
        found.problems.append("some cells did not answer")
    cells: list[Raw] = []
    for number, child in enumerate(children):
        properties, states = answers[2 * number : 2 * number + 2]
        cell = replace(like, ref=child.ref, index=child.place, name="", states=states_of(value_of(states)))
        cells.append(with_properties(cell, properties))
    return cells


def _bounds(bus: Bus, cell: Raw, end: float) -> dict[str, object]:
    """The least and the largest value that a cell takes, and the step between two."""
    if not cell.has("Value"):
        return {}
    names = VALUES[1:]
    answers = bus.call_all([ask_property(cell.ref, "Value", name) for name in names], end)
    return {name: value_of(answer) for name, answer in zip(names, answers, strict=True)}


def _visible(bus: Bus, sheet: Raw, end: float) -> Block:
    """Rows and columns between the cells in two corners of the sheet; without those, from the first cell on."""
    box = value_of(bus.call_all([ask(sheet.ref, "Component", "GetExtents", "u", _SCREEN)], end)[0])
    if not is_row(box) or len(box) != 4:
        return range(MOST_ROWS), range(MOST_COLUMNS)
    left, top, width, height = (side if isinstance(side, int) else 0 for side in box)
    corners = [(left + _INSIDE, top + _INSIDE), (left + width - _INSIDE, top + height - _INSIDE)]
    hits = bus.call_all(
        [ask(sheet.ref, "Component", "GetAccessibleAtPoint", "iiu", *at, _SCREEN) for at in corners], end
    )
    cells = [ref for ref in map(ref_of, hits) if ref is not None and ref != sheet.ref]
    return block(_places(bus, sheet, cells, end))


def _places(bus: Bus, sheet: Raw, cells: Sequence[Ref], end: float) -> list[tuple[int, int]]:
    indices = bus.call_all([ask(cell, "Accessible", "GetIndexInParent") for cell in cells], end)
    numbers = [number_of(index, -1) for index in indices]
    rows = bus.call_all([ask(sheet.ref, "Table", "GetRowAtIndex", "i", number) for number in numbers], end)
    columns = bus.call_all([ask(sheet.ref, "Table", "GetColumnAtIndex", "i", number) for number in numbers], end)
    pairs = [(number_of(row, -1), number_of(column, -1)) for row, column in zip(rows, columns, strict=True)]
    return [pair for pair in pairs if min(pair) >= 0]


def block(corners: Sequence[tuple[int, int]]) -> Block:
    """The rows and columns from one corner to the other, not more than a screen can hold."""
    first_row, first_column = min((row for row, _ in corners), default=0), min((col for _, col in corners), default=0)
    if len(corners) < 2:
        rows, columns = MOST_ROWS, MOST_COLUMNS
    else:
        rows = max(row for row, _ in corners) - first_row + 1
        columns = max(column for _, column in corners) - first_column + 1
    return (
        range(first_row, first_row + min(rows, MOST_ROWS)),
        range(first_column, first_column + min(columns, MOST_COLUMNS)),
    )
