"""Word documents (.docx) as the metrics of formats see them: paragraphs, runs, tables, sections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics.ooxml import RELATION_ID, WORD_TYPES, Package, open_package
from trueline.tasks.checkers.metrics.paragraphs import W, docx_text
from trueline.tasks.checkers.values import FileValue

_ON = frozenset({"1", "true", "on"})
_MOST_COLUMNS = 1000


@dataclass(frozen=True)
class WordRun:
    """A piece of text in one format. What is not set on the run itself is `None`."""

    element: Element

    @property
    def text(self) -> str:
        """Its text."""
        wrapper = Element("p")
        wrapper.append(self.element)
        return "".join(docx_text(wrapper))

    @property
    def font_name(self) -> str | None:
        """The font of Latin letters."""
        return self._value("rFonts", "ascii")

    @property
    def size(self) -> str | None:
        """Font size in half points."""
        return self._value("sz")

    @property
    def is_italic(self) -> bool:
        """Whether it is set to italic."""
        return self._is_on("i")

    @property
    def is_struck(self) -> bool:
        """Whether it is set to be struck through."""
        return self._is_on("strike")

    @property
    def is_subscript(self) -> bool:
        """Whether it is set below the line."""
        return self._value("vertAlign") == "subscript"

    def _value(self, name: str, attribute: str = "val") -> str | None:
        found = self.element.find(f"{W}rPr/{W}{name}")
        return None if found is None else found.get(f"{W}{attribute}")

    def _is_on(self, name: str) -> bool:
        found = self.element.find(f"{W}rPr/{W}{name}")
        return found is not None and found.get(f"{W}val", "true") in _ON


@dataclass(frozen=True)
class WordParagraph:
    """A paragraph."""

    element: Element

    @cached_property
    def text(self) -> str:
        """Its text, links included."""
        return "".join(docx_text(self.element))

    @cached_property
    def runs(self) -> tuple[WordRun, ...]:
        """Its pieces, without those in links."""
        return tuple(WordRun(run) for run in self.element.findall(f"{W}r"))

    @property
    def alignment(self) -> str | None:
        """`left`, `center` …; `None` if it is not set."""
        found = self.element.find(f"{W}pPr/{W}jc")
        return None if found is None else found.get(f"{W}val")

    @property
    def line_spacing(self) -> tuple[str, int] | None:
        """A number of lines or a height, and how much; `None` if it is not set."""
        found = self.element.find(f"{W}pPr/{W}spacing")
        line = None if found is None else found.get(f"{W}line")
        if found is None or line is None:
            return None
        rule = found.get(f"{W}lineRule", "auto")
        return ("lines" if rule == "auto" else "height", whole_number(line))

    @property
    def tab_stops(self) -> list[tuple[str, int]]:
        """Kind and position of its tab stops, without those that clear one and the one at the start."""
        stops = [
            (stop.get(f"{W}val", "left"), whole_number(stop.get(f"{W}pos", "0")))
            for stop in self.element.findall(f"{W}pPr/{W}tabs/{W}tab")
        ]
        return [stop for stop in stops if stop[0] != "clear" and stop not in (("left", 0), ("start", 0))]


@dataclass(frozen=True)
class WordTable:
    """A table."""

    element: Element

    @property
    def size(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        return len(self.element.findall(f"{W}tr")), len(self.element.findall(f"{W}tblGrid/{W}gridCol"))

    @cached_property
    def texts(self) -> list[list[str]]:
        """The text of each place of its grid; a cell over several places is in all of them.

        Raises:
            BadArchive: A cell continues one that is not there, or a place is empty.
        """
        rows, columns = self.size
        places: list[str] = []
        for cell in self.element.iterfind(f"{W}tr/{W}tc"):
            span, continues = _span(cell)
            for number in range(span):
                if continues and len(places) < columns:
                    raise BadArchive("has a table with a merged cell that continues no cell above it")
                if continues:
                    places.append(places[-columns])
                else:
                    places.append(places[-1] if number else _cell_text(cell))
        if len(places) < rows * columns:
            raise BadArchive("has a table with rows that are too short")
        return [places[row * columns : (row + 1) * columns] for row in range(rows)]


def _span(cell: Element) -> tuple[int, bool]:
    """How many columns a cell takes, and whether it continues the one above."""
    wide, merged = cell.find(f"{W}tcPr/{W}gridSpan"), cell.find(f"{W}tcPr/{W}vMerge")
    span = 1 if wide is None else whole_number(wide.get(f"{W}val", "1"))
    if span > _MOST_COLUMNS:
        raise BadArchive(f"has a table with a cell over {span} columns")
    return span, merged is not None and merged.get(f"{W}val", "continue") == "continue"


def _cell_text(cell: Element) -> str:
    return "\n".join("".join(docx_text(paragraph)) for paragraph in cell.findall(f"{W}p"))


@dataclass(frozen=True)
class WordDocument:
    """A document."""

    package: Package
    main: str

    @cached_property
    def _body(self) -> Element:
        body = self.package.root(self.main).find(f"{W}body")
        if body is None:
            raise BadArchive("has no body")
        return body

    @cached_property
    def paragraphs(self) -> tuple[WordParagraph, ...]:
        """The paragraphs outside tables."""
        return tuple(WordParagraph(element) for element in self._body.findall(f"{W}p"))

    @property
    def tables(self) -> tuple[WordTable, ...]:
        """The tables, without those in tables."""
        return tuple(WordTable(element) for element in self._body.findall(f"{W}tbl"))

    @property
    def sections(self) -> tuple[Element, ...]:
        """The properties of its sections in order."""
        inner = self._body.findall(f"{W}p/{W}pPr/{W}sectPr")
        return (*inner, *self._body.findall(f"{W}sectPr"))

    @property
    def footers(self) -> Iterator[str]:
        """The text of the first paragraph of each section's footer; a section without one has that before it."""
        targets = {relation.id: relation.target for relation in self.package.relations(self.main)}
        text = ""
        for section in self.sections:
            for reference in section.findall(f"{W}footerReference"):
                if reference.get(f"{W}type") == "default":
                    part = targets.get(reference.get(f"{RELATION_ID}id", ""))
                    if part is None:
                        raise BadArchive("names a footer that is missing")
                    first = self.package.root(part).find(f"{W}p")
                    text = "" if first is None else "".join(docx_text(first))
            yield text

    @property
    def images(self) -> list[bytes]:
        """The pictures' files, in the order of the list of relations."""
        found: list[bytes] = []
        for relation in self.package.relations(self.main):
            if "image" in relation.kind:
                if relation.external or relation.target not in self.package.members:
                    raise BadArchive("names a picture that is not in it")
                found.append(self.package.members[relation.target])
        return found


def open_document(file: FileValue) -> WordDocument:
    """Open a document.

    Raises:
        BadArchive: It is none.
    """
    return WordDocument(*open_package(file, WORD_TYPES))


def whole_number(text: str) -> int:
    """A number in the file.

    Raises:
        BadArchive: It is none.
    """
    try:
        return round(float(text))
    except (ValueError, OverflowError) as error:
        raise BadArchive(f"has {text!r} where a number belongs") from error
