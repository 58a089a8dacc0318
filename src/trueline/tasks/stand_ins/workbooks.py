"""Workbooks: .xlsx, .ods and .xls with a table of names, amounts and days on each sheet."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from trueline.tasks.stand_ins.content import Content
from trueline.tasks.stand_ins.office_open_xml import OFFICE, OfficeFile
from trueline.tasks.stand_ins.opendocument import open_document

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_ROWS = 40
_EPOCH = datetime.date(1899, 12, 30)
Row = Sequence[str | int | float | datetime.date]
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name '
    'val="Calibri"/></font><font><b/><sz val="11"/>'
    '<name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill '
    'patternType="none"/></fill><fill><patternFill '
    'patternType="gray125"/></fill></fills><borders '
    'count="1"><border><left/><right/><top/><bottom/><diagonal/></border>'
    '</borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" '
    'borderId="0"/></cellStyleXfs><cellXfs count="3">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" '
    'borderId="0" xfId="0" '
    'applyFont="1"/><xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" '
    'applyNumberFormat="1"/></cellXfs><cellStyles '
    'count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def xlsx(content: Content, sheets: Sequence[str] = ("Sheet1", "Sheet2", "Sheet3")) -> bytes:
    """A workbook of Excel's with these sheets."""
    package, shared = OfficeFile(), dict[str, int]()
    for number, _ in enumerate(sheets, 1):
        package.add(f"xl/worksheets/sheet{number}.xml", _sheet(content.table(_ROWS), shared), f"{_SHEET}.worksheet+xml")
    count = len(sheets)
    rows = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(sheets, 1)
    )
    package.add(
        "xl/workbook.xml",
        f'<workbook xmlns="{_MAIN}" xmlns:r="{OFFICE}"><bookViews><workbookView activeTab="0"/></bookViews>'
        f"<sheets>{rows}</sheets></workbook>",
        f"{_SHEET}.sheet.main+xml",
    )
    package.add("xl/styles.xml", _STYLES, f"{_SHEET}.styles+xml")
    texts = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
    package.add(
        "xl/sharedStrings.xml",
        f'<sst xmlns="{_MAIN}" uniqueCount="{len(shared)}">{texts}</sst>',
        f"{_SHEET}.sharedStrings+xml",
    )
    relations = [(f"rId{number}", "worksheet", f"worksheets/sheet{number}.xml") for number in range(1, count + 1)]
    relations += [
        (f"rId{count + 1}", "styles", "styles.xml"),
        (f"rId{count + 2}", "sharedStrings", "sharedStrings.xml"),
    ]
    package.relate("xl/workbook.xml", relations)
    return package.file("xl/workbook.xml", content.title(), content.person())


def _sheet(rows: Sequence[Row], shared: dict[str, int]) -> str:
    made = "".join(
        f'<row r="{number}">{"".join(_cell(place, number, value, shared) for place, value in enumerate(row))}</row>'
        for number, row in enumerate(rows, 1)
    )
    last = f"{chr(ord('A') + len(rows[0]) - 1)}{len(rows)}"
    return f'<worksheet xmlns="{_MAIN}"><dimension ref="A1:{last}"/><sheetData>{made}</sheetData></worksheet>'


def _cell(place: int, row: int, value: str | float | datetime.date, shared: dict[str, int]) -> str:
    where = f'r="{chr(ord("A") + place)}{row}"'
    if isinstance(value, str):
        style = ' s="1"' if row == 1 else ""
        return f'<c {where}{style} t="s"><v>{shared.setdefault(value, len(shared))}</v></c>'
    if isinstance(value, datetime.date):
        return f'<c {where} s="2"><v>{(value - _EPOCH).days}</v></c>'
    return f"<c {where}><v>{value}</v></c>"


def ods(content: Content) -> bytes:
    """An OpenDocument workbook."""
    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in content.table(_ROWS))
        + "</table:table>"
        for name in ("Sheet1", "Sheet2")
    )
    return open_document("spreadsheet", f"<office:spreadsheet>{tables}</office:spreadsheet>")


def _ods_cell(value: str | float | datetime.date) -> str:
    shown = f"<text:p>{escape(str(value))}</text:p>"
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string">{shown}</table:table-cell>'
    if isinstance(value, datetime.date):
        day = f'office:value-type="date" office:date-value="{value}"'
        return f"<table:table-cell {day}>{shown}</table:table-cell>"
    return f'<table:table-cell office:value-type="float" office:value="{value}">{shown}</table:table-cell>'


def xls(content: Content) -> bytes:
    """A worksheet in the oldest of Excel's binary formats, which has one sheet and no packaging."""
    out = bytearray(_record(0x0009, struct.pack("<HH", 2, 0x0010)))
    for number, row in enumerate(content.table(_ROWS)):
        for place, value in enumerate(row):
            where = struct.pack("<HH3x", number, place)
            if isinstance(value, int | float):
                out += _record(0x0003, where + struct.pack("<d", value))
            else:
                text = str(value).encode("latin-1", "replace")
                out += _record(0x0004, where + bytes((len(text),)) + text)
    return bytes(out + _record(0x000A, b""))


def _record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body
