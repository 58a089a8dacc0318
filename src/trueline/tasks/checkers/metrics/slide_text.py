"""Paragraphs and runs of text in slides, with the fonts that are set on the runs themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TRUTHS = {"1": True, "true": True, "0": False, "false": False}
_UNDERLINES: dict[str, bool | str] = {"none": False, "sng": True}
_FILLS = frozenset(f"{A}{name}" for name in ("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"))
_LEFT = "l"


@dataclass(frozen=True)
class TextRun:
    """A piece of text in one font. What is not set on the run itself is `None`."""

    element: Element

    @property
    def text(self) -> str:
        """Its text."""
        return self.element.findtext(f"{A}t") or ""

    @cached_property
    def _font(self) -> Element:
        font = self.element.find(f"{A}rPr")
        return Element(f"{A}rPr") if font is None else font

    @property
    def font_name(self) -> str | None:
        """The font of Latin letters."""
        latin = self._font.find(f"{A}latin")
        return None if latin is None else latin.get("typeface")

    @property
    def size(self) -> str | None:
        """In hundredths of a point."""
        return self._font.get("sz")

    @property
    def bold(self) -> bool | None:
        """Whether it is bold."""
        return self._truth("b")

    @property
    def italic(self) -> bool | None:
        """Whether it is italic."""
        return self._truth("i")

    @property
    def underline(self) -> bool | str | None:
        """`True` for a single line; the name of any other kind."""
        value = self._font.get("u")
        return None if value is None else _UNDERLINES.get(value, value)

    @property
    def strike(self) -> str:
        """How it is struck through."""
        return self._font.get("strike", "noStrike")

    @property
    def is_strike_set(self) -> bool:
        """Whether the run says anything about being struck through."""
        return "strike" in self._font.attrib

    @property
    def colour(self) -> int | None:
        """Its colour, if it is given as red, green and blue."""
        return solid_colour(next((child for child in self._font if child.tag in _FILLS), None))

    def _truth(self, name: str) -> bool | None:
        value = self._font.get(name)
        if value is None:
            return None
        if value not in _TRUTHS:
            raise BadArchive(f"has a font whose {name} is {value!r}")
        return _TRUTHS[value]


def solid_colour(fill: Element | None) -> int | None:
    """The colour of a solid fill, if it is given as red, green and blue.

    Raises:
        BadArchive: The colour is no number.
    """
    colour = fill.find(f"{A}srgbClr") if fill is not None and fill.tag == f"{A}solidFill" else None
    if colour is None:
        return None
    try:
        return int(colour.get("val", ""), 16)
    except ValueError as error:
        raise BadArchive(f"has the colour {colour.get('val')!r}") from error


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    element: Element

    @cached_property
    def runs(self) -> tuple[TextRun, ...]:
        """Its pieces, without line breaks and fields."""
        return tuple(TextRun(run) for run in self.element.findall(f"{A}r"))

    @cached_property
    def text(self) -> str:
        """Its text, fields included; a line break is a vertical tab."""
        return "".join(self._pieces())

    def _pieces(self) -> Iterator[str]:
        for child in self.element:
            if child.tag in (f"{A}r", f"{A}fld"):
                yield child.findtext(f"{A}t") or ""
            elif child.tag == f"{A}br":
                yield "\v"

    @property
    def alignment(self) -> str:
        """`l`, `ctr`, `r` …; left if it is not set."""
        return self._property("algn", _LEFT)

    @property
    def level(self) -> str:
        """How deep it is indented."""
        return self._property("lvl", "0")

    def _property(self, name: str, default: str) -> str:
        properties = self.element.find(f"{A}pPr")
        return default if properties is None else properties.get(name, default)


Bullet = tuple[str, str | None, str]
"""Level, sign and text of a paragraph."""


def bullets(root: Element, visited: frozenset[int]) -> list[Bullet] | None:
    """The bullets of all paragraphs of a slide that are not blank; `None` where OSWorld cannot read them.

    Args:
        root: The slide.
        visited: Identities of paragraphs that OSWorld has looked at before: by that alone they get properties.
    """
    found: list[Bullet] = []
    for paragraph in root.iter(f"{A}p"):
        texts = [piece.text for piece in paragraph.iter(f"{A}t")]
        if None in texts:
            # It joins the texts and gives up on an empty one.
            return None
        properties = paragraph.find(f"{A}pPr")
        if properties is None:
            level, sign = "0" if id(paragraph) in visited else "none", "No Bullet"
        else:
            mark = properties.find(f"{A}buChar")
            level, sign = properties.get("lvl", "0"), "No Bullet" if mark is None else mark.get("char")
        text = "".join(text for text in texts if text)
        if text.strip():
            found.append((level, sign, text))
    return found
