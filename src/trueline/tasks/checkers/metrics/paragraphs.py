"""The paragraphs of a word processor's file as text."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive, parse_member, read_archive
from trueline.tasks.checkers.values import FileValue

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFFICE_DOCUMENT = "/relationships/officeDocument"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SIGNS = {f"{_W}tab": "\t", f"{_W}ptab": "\t", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def read_paragraphs(file: FileValue) -> list[str]:
    """The paragraphs of the body of a .docx (tables left out), or all paragraphs of an .odt.

    Raises:
        BadArchive: It is not such a file.
    """
    members = read_archive(file.content)
    if file.suffix == ".odt":
        root = parse_member(members, "content.xml")
        return ["".join(_odt_text(paragraph)) for paragraph in root.iter(f"{_TEXT}p")]
    body = parse_member(members, _main_part(members)).find(f"{_W}body")
    if body is None:
        raise BadArchive("has no body")
    return ["".join(_docx_text(paragraph)) for paragraph in body.findall(f"{_W}p")]


def _main_part(members: Mapping[str, bytes]) -> str:
    for relation in parse_member(members, "_rels/.rels"):
        if relation.get("Type", "").endswith(_OFFICE_DOCUMENT):
            return posixpath.normpath(relation.get("Target", "").lstrip("/"))
    raise BadArchive("names no main document")


def _docx_text(paragraph: Element) -> Iterator[str]:
    for part in paragraph:
        runs = [part] if part.tag == f"{_W}r" else part.findall(f"{_W}r") if part.tag == f"{_W}hyperlink" else []
        for run in runs:
            for piece in run:
                if piece.tag == f"{_W}t":
                    yield piece.text or ""
                elif piece.tag == f"{_W}br":
                    # Page and column breaks are not text.
                    yield "\n" if piece.get(f"{_W}type", "textWrapping") == "textWrapping" else ""
                else:
                    yield _SIGNS.get(piece.tag, "")


def _odt_text(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == f"{_TEXT}s":
            yield " " * min(int(child.get(f"{_TEXT}c", "1")), 1000)
        elif child.tag == f"{_TEXT}tab":
            yield "\t"
        elif child.tag == f"{_TEXT}line-break":
            yield "\n"
        elif child.tag != f"{_TEXT}p":
            yield from _odt_text(child)
        yield child.tail or ""
