"""Office files made for a test."""

from __future__ import annotations

import importlib
import io
import random
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from trueline.tasks.checkers.values import FileValue

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)


def archive(members: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def docx_file(paragraphs: Sequence[str], rng: random.Random | None = None, name: str = "a.docx") -> FileValue:
    """A document; with a generator, its text is cut into runs, links and breaks, and a table may stand in between."""
    body = "".join(f"<w:p>{_runs(text, rng)}</w:p>" for text in paragraphs)
    if rng is not None and rng.random() < 0.3:
        body += "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>in a table</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    document = f'<w:document xmlns:w="{_W}"><w:body>{body}<w:sectPr/></w:body></w:document>'
    return FileValue(
        name, archive({"[Content_Types].xml": _TYPES, "_rels/.rels": _RELS, "word/document.xml": document})
    )


def _runs(text: str, rng: random.Random | None) -> str:
    if rng is None or not text:
        return _run(text)
    cut = rng.randrange(len(text) + 1)
    between = rng.choice(("", "", "", "<w:r><w:tab/></w:r>", "<w:r><w:br/></w:r>", '<w:r><w:br w:type="page"/></w:r>'))
    second = _run(text[cut:])
    return _run(text[:cut]) + between + (f"<w:hyperlink>{second}</w:hyperlink>" if rng.random() < 0.2 else second)


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""


def odt_file(paragraphs: Sequence[str], _: random.Random | None = None, name: str = "a.odt") -> FileValue:
    """An OpenDocument text."""
    body = "".join(f"<text:p>{escape(text)}</text:p>" for text in paragraphs)
    content = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body><office:text>'
        f"{body}</office:text></office:body></office:document-content>"
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    kind = "application/vnd.oasis.opendocument.text"
    return FileValue(name, archive({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest}))


def xlsx_file(
    sheets: Mapping[str, Sequence[Sequence[object]]],
    *,
    merge: str | None = None,
    style: Mapping[str, Any] | None = None,
    styled: str = "A1",
    name: str = "a.xlsx",
) -> FileValue:
    """A workbook; `style` is for one cell of the first sheet."""
    openpyxl: Any = importlib.import_module("openpyxl")
    styles: Any = importlib.import_module("openpyxl.styles")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    first = book.worksheets[0]
    if style is not None:
        first[styled].font = styles.Font(name="Calibri", size=11, bold=style["bold"], color=style["color"])
        if style["fill"] is not None:
            first[styled].fill = styles.PatternFill("solid", fgColor=style["fill"])
    if merge is not None:
        first.merge_cells(merge)
    buffer = io.BytesIO()
    book.save(buffer)
    return FileValue(name, buffer.getvalue())
