"""What the measured applications show."""

from __future__ import annotations

ROWS = 300
SHEET_ROWS, SHEET_COLUMNS = 60, 30


def web_page() -> bytes:
    """A page of 300 rows, each with a link, a button, a box to write in and a text."""
    rows = "".join(
        f"<li><a href='#{row}'>link {row}</a> <button>button {row}</button> "
        f"<input value='input {row}'><p>paragraph {row}</p></li>"
        for row in range(ROWS)
    )
    return f"<!doctype html><title>Rows</title><ul>{rows}</ul>".encode()


def sheet() -> bytes:
    """A spreadsheet with more filled cells than a screen shows, as one XML file."""
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>r{row}c{column}</text:p></table:table-cell>'
            for column in range(SHEET_COLUMNS)
        )
        + "</table:table-row>"
        for row in range(SHEET_ROWS)
    )
    names = "urn:oasis:names:tc:opendocument:xmlns:"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="{names}office:1.0" '
        f'xmlns:table="{names}table:1.0" xmlns:text="{names}text:1.0" office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
        f'<table:table table:name="Sheet1">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document>"
    ).encode()
