"""What all Office Open XML files share: content types, relations, properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from trueline.tasks.stand_ins.packing import zip_file

XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_PROPERTIES = "application/vnd.openxmlformats-package.core-properties+xml"


@dataclass
class OfficeFile:
    """The parts of a file, collected one after the other."""

    parts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    types: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, path: str, text: str, kind: str) -> None:
        """Add a part of XML; `kind` is its content type."""
        self.parts[path] = (XML + text).encode()
        self.types[path] = kind

    def add_picture(self, path: str, content: bytes) -> None:
        """Add a PNG picture."""
        self.parts[path] = content

    def relate(self, path: str, relations: Sequence[tuple[str, str, str]]) -> None:
        """Say what a part refers to: identifier, kind and target of each; an empty path is the package itself."""
        folder, _, name = path.rpartition("/")
        rows = "".join(
            f'<Relationship Id="{id}" Type="{kind if ":" in kind else f"{OFFICE}/{kind}"}" Target="{target}"/>'
            for id, kind, target in relations
        )
        rels = f'<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'
        self.parts[f"{folder}/_rels/{name}.rels".lstrip("/")] = (XML + rels).encode()

    def file(self, main: str, title: str, author: str) -> bytes:
        """The finished file; `main` is the path of its main part."""
        self.add(
            "docProps/core.xml",
            f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
            f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{escape(title)}</dc:title>'
            f"<dc:creator>{escape(author)}</dc:creator>"
            '<dcterms:created xsi:type="dcterms:W3CDTF">2020-01-01T00:00:00Z</dcterms:created></cp:coreProperties>',
            _PROPERTIES,
        )
        properties = f"{_PACKAGE}/relationships/metadata/core-properties"
        self.relate("", [("rId1", "officeDocument", main), ("rId2", properties, "docProps/core.xml")])
        return zip_file({"[Content_Types].xml": self._types(), **self.parts})

    def _types(self) -> bytes:
        defaults: Mapping[str, str] = {
            "rels": "application/vnd.openxmlformats-package.relationships+xml",
            "xml": "application/xml",
            "png": "image/png",
        }
        rows = "".join(f'<Default Extension="{end}" ContentType="{kind}"/>' for end, kind in defaults.items())
        rows += "".join(f'<Override PartName="/{path}" ContentType="{kind}"/>' for path, kind in self.types.items())
        return f'{XML}<Types xmlns="{_PACKAGE}/content-types">{rows}</Types>'.encode()
