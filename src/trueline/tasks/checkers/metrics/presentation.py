"""Presentations (.pptx) as the slide metrics see them: shapes, their places, texts and fonts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TypeVar
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics.ooxml import RELATION_ID, SLIDES_TYPES, Package, open_package
from trueline.tasks.checkers.metrics.slide_text import A, Paragraph
from trueline.tasks.checkers.values import FileValue

T = TypeVar("T")
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_GRAPHIC = "http://schemas.openxmlformats.org/drawingml/2006/"
_OLE = "http://schemas.openxmlformats.org/presentationml/2006/ole"
_FILLS = tuple(f"{A}{name}" for name in ("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"))
_SHAPES = frozenset(f"{P}{name}" for name in ("sp", "grpSp", "graphicFrame", "cxnSp", "pic", "contentPart"))
_MASTER_PLACEHOLDERS = {
    "body": "body", "chart": "body", "clipArt": "body", "ctrTitle": "title", "dgm": "body", "dt": "dt", "ftr": "ftr",
    "media": "body", "obj": "body", "pic": "body", "sldNum": "sldNum", "subTitle": "body", "tbl": "body",
    "title": "title",
}  # fmt: skip
"""Which placeholder of the master one of a layout takes its place from, by type."""


class ShapeKind(IntEnum):
    """What a shape is, numbered as in PowerPoint's own interface."""

    AUTO_SHAPE = 1
    CHART = 3
    FREEFORM = 5
    GROUP = 6
    OLE_OBJECT = 7
    LINE = 9
    PICTURE = 13
    PLACEHOLDER = 14
    MEDIA = 16
    TEXT_BOX = 17
    TABLE = 19


@dataclass(frozen=True)
class ShapeBox:
    """Place and size in EMU; `None` where the file does not say."""

    left: int | None
    top: int | None
    width: int | None
    height: int | None


@dataclass(frozen=True)
class Slide:
    """One slide."""

    package: Package
    part: str

    @property
    def root(self) -> Element:
        """Its XML."""
        return self.package.root(self.part)

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes on it; those in groups are inside their group."""
        return tuple(Shape(self, element) for element in _shape_elements(_tree(self.root)))

    @cached_property
    def layout(self) -> str:
        """The part that holds its layout."""
        return _required(self.package.related(self.part, "slideLayout"), "a slide has no layout")

    @cached_property
    def master(self) -> str:
        """The part that holds its master."""
        return _required(self.package.related(self.layout, "slideMaster"), "a layout has no master")

    @property
    def fill(self) -> Element | None:
        """How its background is filled, its master's if it has none; `None` without a solid colour."""
        own = _background(self.root)
        if own is None:
            return None
        if own.tag == f"{A}noFill":
            own = _background(self.package.root(self.master))
        return own if own is not None and own.tag == f"{A}solidFill" else None

    @property
    def notes(self) -> str:
        """Its notes; empty if there are none."""
        part = self.package.related(self.part, "notesSlide")
        if part is None:
            return ""
        for element in _shape_elements(_tree(self.package.root(part))):
            mark = _placeholder(element)
            if mark is not None and mark.get("type", "obj") == "body":
                return "\n".join(paragraph.text for paragraph in _paragraphs(element.find(f"{P}txBody")))
        raise BadArchive("has notes without a text")


@dataclass(frozen=True)
class Shape:
    """A shape on a slide."""

    slide: Slide
    element: Element

    @property
    def is_placeholder(self) -> bool:
        """Whether a layout reserved its place."""
        return _placeholder(self.element) is not None

    @cached_property
    def kind(self) -> ShapeKind | None:
        """What it is; `None` for diagrams."""
        match self.element.tag.removeprefix(P):
            case "sp":
                return self._kind_of_text_shape()
            case "pic" if self.is_placeholder:
                return ShapeKind.PLACEHOLDER
            case "pic":
                movie = self.element.find(f"{P}nvPicPr/{P}nvPr/{A}videoFile")
                return ShapeKind.PICTURE if movie is None else ShapeKind.MEDIA
            case "grpSp":
                return ShapeKind.GROUP
            case "cxnSp":
                return ShapeKind.LINE
            case "graphicFrame":
                return {
                    f"{_GRAPHIC}chart": ShapeKind.CHART, f"{_GRAPHIC}table": ShapeKind.TABLE, _OLE: ShapeKind.OLE_OBJECT
                }.get(self._graphic_uri)  # fmt: skip
            case _:
                raise BadArchive("has a shape of an unknown kind")

    def _kind_of_text_shape(self) -> ShapeKind:
        if self.is_placeholder:
            return ShapeKind.PLACEHOLDER
        if self.element.find(f"{P}spPr/{A}custGeom") is not None:
            return ShapeKind.FREEFORM
        marked = self.element.find(f"{P}nvSpPr/{P}cNvSpPr")
        if marked is not None and marked.get("txBox") in ("1", "true"):
            return ShapeKind.TEXT_BOX
        if self.element.find(f"{P}spPr/{A}prstGeom") is None:
            raise BadArchive("has a shape without a form")
        return ShapeKind.AUTO_SHAPE

    @property
    def _graphic_uri(self) -> str:
        data = self.element.find(f"{A}graphic/{A}graphicData")
        return "" if data is None else data.get("uri", "")

    @cached_property
    def box(self) -> ShapeBox:
        """Place and size; a placeholder takes what it lacks from its layout and master."""
        own = _box(self.element)
        inherits = self.is_placeholder and self.element.tag in (f"{P}sp", f"{P}pic")
        if not inherits or None not in (own.left, own.top, own.width, own.height):
            return own
        return _merge(own, self._layout_box())

    def _layout_box(self) -> ShapeBox:
        index = _placeholder_index(self.element)
        for element in _shape_elements(_tree(self.slide.package.root(self.slide.layout))):
            if _placeholder(element) is None or _placeholder_index(element) != index:
                continue
            own = _box(element)
            if element.tag != f"{P}sp" or None not in (own.left, own.top, own.width, own.height):
                return own
            return _merge(own, self._master_box(_placeholder_type(element)))
        return ShapeBox(None, None, None, None)

    def _master_box(self, kind: str) -> ShapeBox:
        if kind not in _MASTER_PLACEHOLDERS:
            raise BadArchive(f"has a layout with a placeholder of the unknown type {kind!r}")
        for element in _shape_elements(_tree(self.slide.package.root(self.slide.master))):
            if _placeholder(element) is not None and _placeholder_type(element) == _MASTER_PLACEHOLDERS[kind]:
                return _box(element)
        return ShapeBox(None, None, None, None)

    @property
    def has_text(self) -> bool:
        """Whether it can hold text."""
        return self.element.tag == f"{P}sp"

    @cached_property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Its paragraphs; one empty paragraph if nothing was ever written in it."""
        return tuple(_paragraphs(self.element.find(f"{P}txBody")))

    @cached_property
    def text(self) -> str:
        """Its text."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @property
    def columns(self) -> int:
        """How many columns a table has."""
        return len(self._table().findall(f"{A}tblGrid/{A}gridCol"))

    @cached_property
    def cells(self) -> tuple[tuple[tuple[Paragraph, ...], ...], ...]:
        """The paragraphs of a table's cells, by row."""
        return tuple(
            tuple(tuple(_paragraphs(cell.find(f"{A}txBody"))) for cell in row.findall(f"{A}tc"))
            for row in self._table().findall(f"{A}tr")
        )

    def _table(self) -> Element:
        return _required(self.element.find(f"{A}graphic/{A}graphicData/{A}tbl"), "has a table without content")

    def text_shapes(self) -> Iterator[Shape]:
        """This shape or those in the group that can hold text."""
        if self.has_text:
            yield self
        elif self.element.tag == f"{P}grpSp":
            for element in _shape_elements(self.element):
                yield from Shape(self.slide, element).text_shapes()

    @property
    def image(self) -> bytes:
        """The picture's file."""
        blip = self.element.find(f"{P}blipFill/{A}blip")
        wanted = None if blip is None else blip.get(f"{RELATION_ID}embed")
        for relation in self.slide.package.relations(self.slide.part):
            if relation.id == wanted and relation.target in self.slide.package.members:
                return self.slide.package.members[relation.target]
        raise BadArchive("has a picture without a file")


@dataclass(frozen=True)
class SlideDeck:
    """A presentation."""

    package: Package
    main: str

    @cached_property
    def slides(self) -> tuple[Slide, ...]:
        """Its slides in order."""
        targets = {relation.id: relation.target for relation in self.package.relations(self.main)}
        listed = self.package.root(self.main).findall(f"{P}sldIdLst/{P}sldId")
        parts = [targets.get(slide.get(f"{RELATION_ID}id", "")) for slide in listed]
        return tuple(Slide(self.package, _required(part, "lists a slide that is missing")) for part in parts)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its slides in EMU."""
        size = _required(self.package.root(self.main).find(f"{P}sldSz"), "says no size of its slides")
        return _number(size, "cx") or 0, _number(size, "cy") or 0


def open_presentation(file: FileValue) -> SlideDeck:
    """Open a presentation.

    Raises:
        BadArchive: It is none.
    """
    return SlideDeck(*open_package(file, SLIDES_TYPES))


def _required(value: T | None, problem: str) -> T:
    if value is None:
        raise BadArchive(problem)
    return value


def _tree(root: Element) -> Element:
    return _required(root.find(f"{P}cSld/{P}spTree"), "has a slide without shapes")


def _shape_elements(tree: Element) -> Iterator[Element]:
    return (element for element in tree if element.tag in _SHAPES)


def _placeholder(element: Element) -> Element | None:
    first = next(iter(element), None)
    return None if first is None else first.find(f"{P}nvPr/{P}ph")


def _placeholder_index(element: Element) -> int:
    mark = _placeholder(element)
    return 0 if mark is None else _number(mark, "idx") or 0


def _placeholder_type(element: Element) -> str:
    mark = _placeholder(element)
    return "" if mark is None else mark.get("type", "obj")


def _background(root: Element) -> Element | None:
    """How a slide or master says that its background is filled; `noFill` if it does not say."""
    properties = root.find(f"{P}cSld/{P}bg/{P}bgPr")
    if properties is None:
        return Element(f"{A}noFill")
    return next((child for child in properties if child.tag in _FILLS), None)


def _box(element: Element) -> ShapeBox:
    name = {"grpSp": f"{P}grpSpPr/{A}xfrm", "graphicFrame": f"{P}xfrm"}
    frame = element.find(name.get(element.tag.removeprefix(P), f"{P}spPr/{A}xfrm"))
    if frame is None:
        return ShapeBox(None, None, None, None)
    place, size = frame.find(f"{A}off"), frame.find(f"{A}ext")
    return ShapeBox(_number(place, "x"), _number(place, "y"), _number(size, "cx"), _number(size, "cy"))


def _merge(own: ShapeBox, base: ShapeBox) -> ShapeBox:
    return ShapeBox(
        base.left if own.left is None else own.left,
        base.top if own.top is None else own.top,
        base.width if own.width is None else own.width,
        base.height if own.height is None else own.height,
    )


def _number(element: Element | None, name: str) -> int | None:
    value = None if element is None else element.get(name)
    try:
        return None if value is None else int(value)
    except ValueError as error:
        raise BadArchive(f"has a shape whose {name} is {value!r}") from error


def _paragraphs(body: Element | None) -> Iterator[Paragraph]:
    elements = [Element(f"{A}p")] if body is None else body.findall(f"{A}p")
    return (Paragraph(element) for element in elements)
