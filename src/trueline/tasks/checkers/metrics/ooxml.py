"""Parts of an Office Open XML file and how they refer to each other."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive, parse_member, read_archive
from trueline.tasks.checkers.values import FileValue

_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_OFFICE_DOCUMENT = "/relationships/officeDocument"
RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
"""The prefix of attributes such as `r:id` and `r:embed`."""
WORD_TYPES = frozenset({"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"})
SLIDES_TYPES = frozenset({
    "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
})  # fmt: skip


@dataclass(frozen=True)
class Relation:
    """What a part refers to."""

    id: str
    kind: str
    """The last part of its type: `image`, `slideLayout`."""
    target: str
    """A part; as it stands in the file if it is external."""
    external: bool


@dataclass(frozen=True)
class Package:
    """An unpacked file."""

    members: Mapping[str, bytes]
    _roots: dict[str, Element] = field(default_factory=dict[str, Element])

    def root(self, part: str) -> Element:
        """The XML of a part.

        Raises:
            BadArchive: It is missing, or is not acceptable XML.
        """
        if part not in self._roots:
            self._roots[part] = parse_member(self.members, part)
        return self._roots[part]

    def relations(self, part: str) -> Iterator[Relation]:
        """What a part refers to, in the order of the file.

        Raises:
            BadArchive: The list is not acceptable XML.
        """
        folder, name = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{name}.rels")
        if listing not in self.members:
            return
        for relation in self.root(listing).iter(f"{_RELATIONS}Relationship"):
            external = relation.get("TargetMode") == "External"
            target = relation.get("Target", "")
            yield Relation(
                id=relation.get("Id", ""),
                kind=relation.get("Type", "").rpartition("/")[2],
                target=target if external else _resolve(folder, target),
                external=external,
            )

    def related(self, part: str, kind: str) -> str | None:
        """The first part of this kind that a part refers to."""
        return next((relation.target for relation in self.relations(part) if relation.kind == kind), None)

    def content_type(self, part: str) -> str:
        """The declared type of a part; empty if there is none.

        Raises:
            BadArchive: The archive declares no types.
        """
        root = self.root("[Content_Types].xml")
        for override in root.findall(f"{_TYPES}Override"):
            if override.get("PartName", "").lower() == f"/{part}".lower():
                return override.get("ContentType", "")
        suffix = posixpath.splitext(part)[1].lstrip(".").lower()
        for default in root.findall(f"{_TYPES}Default"):
            if default.get("Extension", "").lower() == suffix:
                return default.get("ContentType", "")
        return ""


def _resolve(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def open_package(file: FileValue, types: frozenset[str]) -> tuple[Package, str]:
    """Open a file, and find its main part.

    Raises:
        BadArchive: It is no such file, or its main part has none of these types.
    """
    package = open_members(file.content)
    for relation in package.root("_rels/.rels").iter(f"{_RELATIONS}Relationship"):
        if relation.get("Type", "").endswith(_OFFICE_DOCUMENT):
            main = _resolve("", relation.get("Target", ""))
            if package.content_type(main) not in types:
                raise BadArchive(f"is of the type {package.content_type(main)!r}, which is not the expected one")
            return package, main
    raise BadArchive("names no main document")


def open_members(content: bytes) -> Package:
    """Unpack a file, whatever its main part is.

    Raises:
        BadArchive: It is no archive, or not a harmless one.
    """
    return Package(read_archive(content))
