"""The paragraphs of a word processor's file as text."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive, parse_member, read_archive
from trueline.tasks.checkers.metrics.ooxml import WORD_TYPES, open_package
from trueline.tasks.checkers.values import FileValue

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SIGNS = {f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}


def read_paragraphs(file: FileValue) -> list[str]:
    """The paragraphs of the body of a .docx (tables left out), or all paragraphs of an .odt.

    Raises:
        BadArchive: It is not such a file.
    """
    if file.suffix == ".odt":
        root = parse_member(read_archive(file.content), "content.xml")
        return ["".join(_odt_text(paragraph)) for paragraph in root.iter(f"{_TEXT}p")]
    package, main = open_package(file, WORD_TYPES)
    body = package.root(main).find(f"{W}body")
    if body is None:
        raise BadArchive("has no body")
    return ["".join(docx_text(paragraph)) for paragraph in body.findall(f"{W}p")]


def docx_text(paragraph: Element) -> Iterator[str]:
    """The text of a paragraph of a .docx, links included."""
    for part in paragraph:
        runs = [part] if part.tag == f"{W}r" else part.findall(f"{W}r") if part.tag == f"{W}hyperlink" else []
        for run in runs:
            for piece in run:
                if piece.tag == f"{W}t":
                    yield piece.text or ""
                elif piece.tag == f"{W}br":
                    # Page and column breaks are not text.
                    yield "\n" if piece.get(f"{W}type", "textWrapping") == "textWrapping" else ""
                else:
                    yield _SIGNS.get(piece.tag, "")


def _odt_text(paragraph: Element) -> Iterator[str]:
    """Its own text and that of its spans, as OSWorld reads it: without blanks in a row, tabs and links."""
    yield paragraph.text or ""
    for child in paragraph:
        if child.tag == f"{_TEXT}span":
            yield child.text or ""
            yield from (inner.tail or "" for inner in child)
        yield child.tail or ""
