"""Rows rendered as text, HTML and CSV.

Cells may hold names from hostile files. HTML and CSV are made safe here. Text is shown as it is: make names `printable`
first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape

from rich.cells import cell_len


def text_table(rows: Sequence[Sequence[str]], *, ruled: bool = True, align: str = "l") -> str:
    """Lay rows out in columns, as wide as a terminal shows them.

    Args:
        rows: The first row is the header.
        ruled: Draw lines between the columns and below the header; otherwise columns are two spaces apart.
        align: `l` or `r` for each column, left or right; the last letter holds for the columns that follow.
    """
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    between = " | " if ruled else "  "
    lines = [
        between.join(
            _padded(cell, width, right=align[min(column, len(align) - 1)] == "r")
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    if ruled:
        lines.insert(1, "-|-".join("-" * width for width in widths))
    return "\n".join(lines)


def count_lines(counts: Iterable[tuple[str, int]]) -> list[str]:
    """Return an indented line for each thing with its number in front; none if there are no things."""
    rows = [(f"  {number}", what) for what, number in counts]
    return text_table(rows, ruled=False, align="rl").splitlines() if rows else []


def _padded(cell: str, width: int, *, right: bool) -> str:
    blank = " " * (width - cell_len(cell))
    return blank + cell if right else cell + blank


def html_table(rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table with every cell escaped; the first row is the header."""
    head, *body = rows
    header = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in body)
    return f"<table><thead><tr>{header}</tr></thead><tbody>{lines}</tbody></table>"


def csv_table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return CSV in which no text can become a formula in a spreadsheet; `None` is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_csv_cell(cell) for cell in row] for row in rows)
    return out.getvalue()


def _csv_cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
