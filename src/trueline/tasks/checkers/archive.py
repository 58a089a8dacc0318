"""Opening office files from the desktop safely: ZIP archives of XML that may be malicious."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.parsers import expat

MEMBERS = 4096
MEMBER_BYTES = 48 << 20
TOTAL_BYTES = 192 << 20
_PIECE = 1 << 16
_XML_NAMES = (".xml", ".rels", ".vml")
_ENCODINGS = ("utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1")
_EBCDIC = b"\x4c\x6f\xa7\x94"
"""`<?xm` in EBCDIC, which some parsers accept."""
_START = 1 << 16
# zipfile has no error class of its own for encrypted members, unknown methods and broken data.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, ValueError, OSError, EOFError,
)  # fmt: skip


class BadArchive(Exception):
    """A file is not of the expected format, or too large. The caller knows whose fault that is."""


def read_archive(content: bytes) -> dict[str, bytes]:
    """Unpack all members of a ZIP file within limits.

    XML with a document type is refused whatever its member is called: the file itself says which members are read as
    XML. Only a picture (`.svg`) may name one, without declarations of its own.

    Raises:
        BadArchive: It is not a ZIP file, is damaged, encrypted or too large, or its XML is not well-formed.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > MEMBERS:
                raise BadArchive(f"is an archive with more than {MEMBERS} members, which is too many to open")
            members: dict[str, bytes] = {}
            left = TOTAL_BYTES
            for entry in entries:
                members[entry.filename] = _unpack(archive, entry, min(left, MEMBER_BYTES))
                left -= len(members[entry.filename])
    except _DAMAGED as error:
        raise BadArchive(f"is not a readable archive: {error}") from error
    for name, data in members.items():
        if name.lower().endswith(_XML_NAMES) or _looks_like_xml(data):
            _check_xml(name, data)
    return members


def _looks_like_xml(data: bytes) -> bool:
    """Whether a parser might accept it as XML: the first character other than blanks and zeros is `<`."""
    if data.startswith(_EBCDIC):
        return True
    return data[:_START].removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe\0 \t\r\n")[:1] == b"<"


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    """Read a member in pieces, because its declared size may be false."""
    pieces: list[bytes] = []
    size = 0
    with archive.open(entry) as member:
        while piece := member.read(_PIECE):
            size += len(piece)
            if size > limit:
                raise BadArchive(f"holds {entry.filename!r}, which unpacks to more than {limit} bytes")
            pieces.append(piece)
    return b"".join(pieces)


def _check_xml(name: str, data: bytes) -> None:
    parser = expat.ParserCreate()

    def declare(_: str, encoding: str | None, __: int) -> None:
        # In another encoding, the next parser might read something different.
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            raise BadArchive(f"{name!r} is XML in {encoding!r}, which office files never are")

    def doctype(_: str, __: str | None, ___: str | None, declares: int) -> None:
        if declares or not name.lower().endswith(".svg"):
            raise BadArchive(f"{name!r} declares a document type, which office files never do")

    parser.XmlDeclHandler = declare
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BadArchive(f"{name!r} is not well-formed XML: {error}") from error


def repack(members: Mapping[str, bytes]) -> bytes:
    """Pack members that are known to be of a harmless size into an archive, for libraries that need a file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def parse_member(members: Mapping[str, bytes], name: str) -> ElementTree.Element:
    """Parse one XML member.

    Raises:
        BadArchive: It is missing, or is not acceptable XML.
    """
    if name not in members:
        raise BadArchive(f"has no {name!r}")
    return parse_xml(members[name], name)


def parse_xml(data: bytes, name: str) -> ElementTree.Element:
    """Parse XML that may be malicious; the name is for errors.

    Raises:
        BadArchive: It is not well-formed, or declares a document type.
    """
    _check_xml(name, data)
    return ElementTree.fromstring(data)  # noqa: S314 - document types were refused above
