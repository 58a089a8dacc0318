"""Word documents: a new one of a few paragraphs, and paragraphs put in front of an existing one."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable
from io import BytesIO
from xml.sax.saxutils import escape

_BODY = "word/document.xml"
_LARGEST = 64 << 20
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OPENING = re.compile(rb"<(?:(\w+):)?body(?:\s[^<>]*)?>")
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
    ),
}


def new_document(paragraphs: Iterable[str]) -> bytes:
    """A document of these paragraphs."""
    body = "".join(_paragraph(text) for text in paragraphs)
    document = f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
    return _zipped({name: part.encode() for name, part in _PARTS.items()} | {_BODY: document.encode()})


def with_first_paragraphs(document: bytes, paragraphs: Iterable[str]) -> bytes:
    """A document with these paragraphs before its own, in a large blue font.

    Raises:
        ValueError: It is not a Word document that can be changed.
    """
    try:
        with zipfile.ZipFile(BytesIO(document)) as archive:
            if sum(info.file_size for info in archive.infolist()) > _LARGEST:
                raise ValueError("holds more than can be read")
            parts = {info.filename: archive.read(info) for info in archive.infolist()}
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise ValueError(f"is not a Word document ({error})") from error
    found = _OPENING.search(parts.get(_BODY, b""))
    if found is None:
        raise ValueError("is not a Word document (it has no body)")
    ours = "".join(
        _paragraph(text, '<w:rPr><w:color w:val="1F3FBF"/><w:sz w:val="36"/></w:rPr>') for text in paragraphs
    )
    whole = parts[_BODY]
    parts[_BODY] = whole[: found.end()] + ours.encode() + whole[found.end() :]
    return _zipped(parts)


def _paragraph(text: str, look: str = "") -> str:
    """One paragraph; its line breaks are kept. It declares its own prefix, whatever that of the document is."""
    lines = "<w:br/>".join(f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in text.split("\n"))
    return f'<w:p xmlns:w="{_W}"><w:r>{look}{lines}</w:r></w:p>'


def _zipped(parts: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()
