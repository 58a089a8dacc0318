"""Single cells of a workbook as they stand in its file: what formulas last gave, dates as numbers."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import parse_member

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_SHARED = "xl/sharedStrings.xml"


@dataclass(frozen=True)
class RawCells:
    """The cells of a workbook."""

    members: Mapping[str, bytes]
    _sheets: dict[str, dict[str, Element]] = field(default_factory=dict[str, dict[str, Element]])

    def value(self, sheet: str, coordinate: str) -> str | float | None:
        """The value of a cell; `None` if it is empty, a truth value or a date in words, or there is no such sheet.

        Raises:
            BadArchive: The sheet is missing in the file, or is not acceptable XML.
        """
        if sheet not in self._parts:
            return None
        if sheet not in self._sheets:
            root = parse_member(self.members, self._parts[sheet])
            self._sheets[sheet] = {cell.get("r", ""): cell for cell in reversed(list(root.iter(f"{_S}c")))}
        cell = self._sheets[sheet].get(coordinate)
        return None if cell is None else self._read(cell)

    def _read(self, cell: Element) -> str | float | None:
        kind, held = cell.get("t", "n"), (cell.findtext(f"{_S}v") or "").strip()
        try:
            match kind:
                case "n":
                    return float(held)
                case "s":
                    return self._shared[int(held)]
                case "str" | "e":
                    return held or None
                case "inlineStr":
                    inline = cell.find(f"{_S}is")
                    return None if inline is None else _text(inline)
                case _:
                    return None
        except (ValueError, IndexError):
            return None

    @cached_property
    def _parts(self) -> dict[str, str]:
        """The part of each sheet, by name."""
        targets = {
            relation.get("Id", ""): relation.get("Target", "")
            for relation in parse_member(self.members, "xl/_rels/workbook.xml.rels")
        }
        return {
            sheet.get("name", ""): posixpath.normpath(posixpath.join("/xl", targets.get(sheet.get(_ID, ""), "")))[1:]
            for sheet in parse_member(self.members, "xl/workbook.xml").iter(f"{_S}sheet")
        }

    @cached_property
    def _shared(self) -> list[str]:
        if _SHARED not in self.members:
            return []
        return [_text(item) for item in parse_member(self.members, _SHARED).findall(f"{_S}si")]


def _text(item: Element) -> str:
    """Its text, whole or in pieces; phonetic hints are left out."""
    pieces = [*item.findall(f"{_S}t"), *item.findall(f"{_S}r/{_S}t")]
    return "".join(piece.text or "" for piece in pieces)
