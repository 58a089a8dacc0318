"""PDF files with pages of text."""

from __future__ import annotations

import textwrap

from trueline.tasks.stand_ins.content import Content

_PAGES = 5


def pdf(content: Content, title: str = "") -> bytes:
    """A few pages of text in Helvetica, each with a heading; by default the title is drawn, too."""
    pages = [[content.title(), "", *_lines(content)] for _ in range(_PAGES)]
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids: list[str] = []
    for number, lines in enumerate(pages, 1):
        shown = "".join(
            f"({line.translate({40: '[', 41: ']', 92: '/'})}) Tj T*\n" for line in (*lines, f"Page {number}")
        )
        stream = f"BT /F1 12 Tf 16 TL 72 720 Td\n{shown}ET".encode("latin-1", "replace")
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {len(objects) + 2} 0 R>>".encode()
        )
        objects.append(b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream))
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>".encode()
    named = "FEFF" + (title or content.title()).encode("utf-16-be").hex()
    objects.append(f"<</Title<{named}>/Author({content.person()})>>".encode())
    return _assemble(objects)


def _lines(content: Content) -> list[str]:
    paragraphs = (textwrap.wrap(content.paragraph(), 80) for _ in range(6))
    return [line for paragraph in paragraphs for line in (*paragraph, "")]


def _assemble(objects: list[bytes]) -> bytes:
    """Number the objects and add the table of their places; the last one is the document's information."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        len(objects),
        start,
    )
    return bytes(out)
