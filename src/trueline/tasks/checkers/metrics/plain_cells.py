"""The cell values of a workbook, read without a library."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive, parse_member, read_archive

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
CellValue = str | float
Cells = dict[str, CellValue]


def read_cells(content: bytes) -> dict[str, Cells]:
    """The non-empty cells by sheet and coordinate; formulas as their last result.

    Raises:
        BadArchive: It is not an .xlsx workbook.
    """
    members = read_archive(content)
    targets = {
        relation.get("Id", ""): relation.get("Target", "")
        for relation in parse_member(members, "xl/_rels/workbook.xml.rels")
    }
    texts = _texts(members)
    return {
        sheet.get("name", ""): dict(_cells(parse_member(members, _path(targets.get(sheet.get(_ID, ""), ""))), texts))
        for sheet in parse_member(members, "xl/workbook.xml").iter(f"{_S}sheet")
    }


def _path(target: str) -> str:
    return posixpath.normpath(target.lstrip("/") if target.startswith("/") else f"xl/{target}")


def _texts(members: Mapping[str, bytes]) -> list[str]:
    if "xl/sharedStrings.xml" not in members:
        return []
    return [_text(item) for item in parse_member(members, "xl/sharedStrings.xml").findall(f"{_S}si")]


def _text(item: Element) -> str:
    """Its text, plain or in runs; phonetic hints are left out."""
    pieces = [*item.findall(f"{_S}t"), *item.findall(f"{_S}r/{_S}t")]
    return "".join(piece.text or "" for piece in pieces)


def _cells(sheet: Element, texts: list[str]) -> Iterator[tuple[str, CellValue]]:
    for cell in sheet.iter(f"{_S}c"):
        value = _value(cell, texts)
        if value != "":
            yield cell.get("r", ""), value


def _value(cell: Element, texts: list[str]) -> CellValue:
    held = cell.findtext(f"{_S}v") or ""
    try:
        match cell.get("t", "n"):
            case "s":
                return texts[int(held)]
            case "inlineStr":
                inline = cell.find(f"{_S}is")
                return "" if inline is None else _text(inline)
            case "n":
                return float(held) if held else ""
            case _:
                return held
    except (ValueError, IndexError) as error:
        raise BadArchive(f"has a cell {cell.get('r', '')!r} that cannot be read: {error}") from error
