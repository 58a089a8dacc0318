"""A small spreadsheet (.ods) with one text in a cell or in a comment."""

from __future__ import annotations

import io
import re
import zipfile
from html import escape

_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
_SPACES = {
    name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
    for name in ("office", "style", "table", "text", "meta", "manifest")
} | {
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
}
_ROWS = (("Item", "Amount"), ("Rent", "850"), ("Power", "74"), ("Water", "31"))


def spreadsheet_file(*, cell: str = "", comment: str = "", metadata: str) -> bytes:
    """Make a spreadsheet of a few amounts.

    Args:
        cell: The text of the cell below them.
        comment: The text of a comment that is shown beside the first cell.
        metadata: Keywords of the document, which no sheet shows.
    """
    rows = [_row(*values, note=comment if number == 0 else "") for number, values in enumerate(_ROWS)]
    if cell:
        rows.append(f"<table:table-row>{_cell(cell, wrapped=True)}</table:table-row>")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", _TYPE, zipfile.ZIP_STORED)
        file.writestr("content.xml", _document("document-content", _STYLES + _BODY.format("".join(rows))))
        file.writestr("meta.xml", _document("document-meta", _META.format(escape(metadata))))
        file.writestr("META-INF/manifest.xml", _MANIFEST)
    return out.getvalue()


_STYLES = (
    "<office:automatic-styles>"
    "<style:style style:name='wide' style:family='table-column'>"
    "<style:table-column-properties style:column-width='13cm'/></style:style>"
    "<style:style style:name='wrapped' style:family='table-cell'>"
    "<style:table-cell-properties fo:wrap-option='wrap'/></style:style></office:automatic-styles>"
)
_BODY = (
    "<office:body><office:spreadsheet><table:table table:name='Amounts'><table:table-column table:style-name='wide'/>"
    "{}</table:table></office:spreadsheet></office:body>"
)
_META = "<office:meta><meta:keyword>{}</meta:keyword></office:meta>"
_MANIFEST = (
    "<?xml version='1.0' encoding='UTF-8'?>"
    f"<manifest:manifest xmlns:manifest='{_SPACES['manifest']}' manifest:version='1.2'>"
    f"<manifest:file-entry manifest:full-path='/' manifest:media-type='{_TYPE}'/>"
    "<manifest:file-entry manifest:full-path='content.xml' manifest:media-type='text/xml'/>"
    "<manifest:file-entry manifest:full-path='meta.xml' manifest:media-type='text/xml'/></manifest:manifest>"
)


def _document(kind: str, content: str) -> str:
    spaces = " ".join(f"xmlns:{name}='{uri}'" for name, uri in _SPACES.items() if name != "manifest")
    head = "<?xml version='1.0' encoding='UTF-8'?>"
    return f"{head}<office:{kind} {spaces} office:version='1.2'>{content}</office:{kind}>"


def _row(label: str, amount: str, note: str) -> str:
    return f"<table:table-row>{_cell(label, note=note)}{_cell(amount)}</table:table-row>"


def _cell(text: str, *, note: str = "", wrapped: bool = False) -> str:
    size = "svg:width='11cm' svg:height='6cm' svg:x='15cm' svg:y='1cm'"
    shown = f"<office:annotation office:display='true' {size}>{_paragraphs(note)}</office:annotation>" if note else ""
    style = " table:style-name='wrapped'" if wrapped else ""
    return f"<table:table-cell{style} office:value-type='string'>{shown}{_paragraphs(text)}</table:table-cell>"


def _paragraphs(text: str) -> str:
    return "".join(f"<text:p>{_spaced(line)}</text:p>" for line in text.split("\n"))


def _spaced(line: str) -> str:
    """The line with its tabs and runs of spaces, which XML would otherwise collapse."""
    coded = escape(line).replace("\t", "<text:tab/>")
    return re.sub(" {2,}|^ | $", lambda found: f"<text:s text:c='{len(found[0])}'/>", coded)
