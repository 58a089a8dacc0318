"""A PDF file with a heading and a text, in a standard font."""

from __future__ import annotations

from textwrap import wrap

from trueline.tasks.errors import SetupError

_COLUMNS, _ROWS, _POINTS, _LEADING = 68, 40, 13, 18


def pdf_file(title: str, text: str, *, metadata: str) -> bytes:
    """Make a PDF.

    Args:
        title: The heading.
        text: Below it; a line break begins a line.
        metadata: Keywords of the document, which no page shows.

    Raises:
        SetupError: It has characters that the standard fonts lack.
    """
    lines = [title, "", *(line for given in text.splitlines() for line in wrap(given, _COLUMNS) or [""])]
    pages = [lines[at : at + _ROWS] for at in range(0, len(lines), _ROWS)]
    first = 5
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title " + _string(title) + b" /Keywords " + _string(metadata) + b" >>",
    ]
    for number, page in enumerate(pages):
        shown = b"".join(b"T* " + _string(line) + b" Tj\n" for line in page)
        content = f"BT /F1 {_POINTS} Tf {_LEADING} TL 60 790 Td\n".encode() + shown + b"ET"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            + f"/Contents {first + 2 * number + 1} 0 R >>".encode()
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")
    return _whole(objects)


def _whole(objects: list[bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def _string(text: str) -> bytes:
    try:
        coded = text.replace("\t", " ").encode("cp1252")
    except UnicodeEncodeError as error:
        raise SetupError(f"pdf: the fonts of a PDF lack U+{ord(text[error.start]):04X}; use another vector") from error
    for special in (b"\\", b"(", b")"):
        coded = coded.replace(special, b"\\" + special)
    return b"(" + coded + b")"
