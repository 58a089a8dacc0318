"""compare_pptx_files: two presentations, slide by slide and shape by shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics.presentation import Shape, ShapeBox, ShapeKind, Slide, SlideDeck, open_presentation
from trueline.tasks.checkers.metrics.slide_text import Paragraph, TextRun, bullets, solid_colour
from trueline.tasks.checkers.values import (
    FULL,
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    expected_file,
    flag,
)
from trueline.tasks.errors import CheckerError

T = TypeVar("T")
V = TypeVar("V")
_TOLERANCE = 0.005
_LOWER_HALF, _RIGHT_HALF, _UPPER_PART = 3_600_000, 4_320_000, 1_980_000
"""Limits of places in EMU, with which OSWorld checks that something was moved."""
_MOVED_TITLE, _FREE_TEXT = "Product Comparison", "Elaborate on what you want to discuss."
"""Texts of two tasks, which OSWorld's function knows."""
_OFF = frozenset({
    "examine_title_bottom_position", "examine_table_bottom_position", "examine_right_position",
    "examine_top_position", "examine_shape_for_shift_size", "examine_image_size", "examine_modify_height",
})  # fmt: skip
"""Switches that are off by default; all others are on."""


class _Differs(Exception):
    """The presentations differ."""


def compare_pptx_files(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether two presentations are equal in all that the options `examine_…` ask for."""
    gold = expected_file(expected)
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    tolerance = options.get("approximately_tolerance", _TOLERANCE)
    if not isinstance(tolerance, int | float):
        raise CheckerError("compare_pptx_files: approximately_tolerance must be a number")
    second = _Side(gold, CheckerError)
    first = _Side(result, UnreadableResult)
    try:
        _Comparison(options, tolerance).presentations(first, second)
    except _Differs as difference:
        return CheckResult(0.0, str(difference))
    return FULL


@dataclass(frozen=True)
class _Side:
    """One of the two files, and whose fault it is if something in it cannot be read."""

    file: FileValue
    error: type[CheckerError] | type[UnreadableResult]

    def read(self, read: Callable[[T], V], of: T) -> V:
        try:
            return read(of)
        except BadArchive as error:
            raise self.error(f"{self.file.name} {error}") from error

    def open(self) -> SlideDeck:
        return self.read(open_presentation, self.file)


@dataclass(frozen=True)
class _Comparison:
    options: Options
    tolerance: float

    def on(self, name: str) -> bool:
        key = f"examine_{name}"
        return flag(self.options, key, default=key not in _OFF)

    def presentations(self, first: _Side, second: _Side) -> None:
        wanted, found = second.open(), first.open()
        slides = first.read(lambda deck: deck.slides, found), second.read(lambda deck: deck.slides, wanted)
        if self.on("number_of_slides") and len(slides[0]) != len(slides[1]):
            raise _Differs(f"{len(slides[0])} slides instead of {len(slides[1])}")
        for number, (one, other) in enumerate(zip(*slides, strict=False), 1):
            try:
                self.slides(number, one, other, first, second)
            except _Differs as difference:
                raise _Differs(f"slide {number}: {difference}") from difference

    def slides(self, number: int, one: Slide, other: Slide, first: _Side, second: _Side) -> None:
        fills = second.read(_background, other), first.read(_background, one)
        if self.on("background_color") and fills[0] != fills[1]:
            raise _Differs("the backgrounds differ")
        notes = second.read(_notes, other), first.read(_notes, one)
        if self.on("note") and notes[0] != notes[1]:
            raise _Differs("the notes differ")
        shapes = first.read(_shapes, one), second.read(_shapes, other)
        if len(shapes[0]) != len(shapes[1]):
            raise _Differs(f"{len(shapes[0])} shapes instead of {len(shapes[1])}")
        seen = _Seen(one, other)
        for shape, model in zip(*shapes, strict=True):
            second.read(_read_all, model)
            first.read(_read_all, shape)
            self.places(number, shape, model)
            if shape.kind == ShapeKind.TABLE:
                self.tables(shape, model)
            if shape.has_text and model.has_text:
                self.texts(shape, model, seen)
        self.inner_texts(shapes)

    def places(self, number: int, one: Shape, other: Shape) -> None:
        same = self._same_box(one.box, other.box)
        both_text = one.has_text and other.has_text
        same_text = both_text and one.text == other.text
        if self.on("title_bottom_position"):
            if same_text:
                if one.text == _MOVED_TITLE and not _moved_beyond(one.box.top, other.box.top, _LOWER_HALF):
                    raise _Differs("the title was not moved down")
            elif not same:
                raise _Differs("a shape is elsewhere")
        if self.on("table_bottom_position"):
            if number == 3 and one.kind == other.kind == ShapeKind.TABLE:
                if not _moved_beyond(one.box.top, other.box.top, _LOWER_HALF):
                    raise _Differs("the table was not moved down")
            elif not same:
                raise _Differs("a shape is elsewhere")
        without_text = not one.has_text and not other.has_text
        pictures = one.kind == other.kind == ShapeKind.PICTURE
        right = self.on("right_position") and number == 2 and without_text
        if right and not _moved_beyond(one.box.left, other.box.left, _RIGHT_HALF):
            raise _Differs("a shape was not moved to the right")
        top = self.on("top_position") and number == 2 and pictures
        if top and not _moved_up(one.box.top, other.box.top):
            raise _Differs("a picture was not moved up")
        if self.on("shape_for_shift_size") and not same and not (same_text and one.text == _FREE_TEXT):
            raise _Differs("a shape is elsewhere")
        if self.on("shape") and not same:
            raise _Differs(f"a shape has another place or size: {one.box} instead of {other.box}")
        if self.on("image_size") and not (self._same_size(one.box, other.box) if pictures else same):
            raise _Differs("a picture has another size")
        if self.on("modify_height"):
            free = without_text or one.kind == other.kind == ShapeKind.FREEFORM
            if not (self._near(one.box.height, other.box.height) if free else same):
                raise _Differs("a shape has another height")

    def _same_box(self, one: ShapeBox, other: ShapeBox) -> bool:
        return self._near(one.left, other.left) and self._near(one.top, other.top) and self._same_size(one, other)

    def _same_size(self, one: ShapeBox, other: ShapeBox) -> bool:
        return self._near(one.width, other.width) and self._near(one.height, other.height)

    def _near(self, one: int | None, other: int | None) -> bool:
        if one == other:
            return True
        if one == 0 or other == 0:
            return False
        if one is None or other is None:
            raise UnreadableResult("only one of the two shapes has a position")
        return abs(one - other) / max(abs(one), abs(other)) <= self.tolerance

    def tables(self, one: Shape, other: Shape) -> None:
        if other.kind != ShapeKind.TABLE:
            raise _Differs("a table where none is expected")
        if len(one.cells) != len(other.cells) or one.columns != other.columns:
            raise _Differs("a table has other rows or columns")
        for row, model_row in zip(one.cells, other.cells, strict=True):
            if len(row) < one.columns or len(model_row) < other.columns:
                raise UnreadableResult("a table has a row that is too short")
            for cell, model in list(zip(row, model_row, strict=False))[: one.columns]:
                self.cells(cell, model)

    def cells(self, one: Sequence[Paragraph], other: Sequence[Paragraph]) -> None:
        if len(one) != len(other):
            raise _Differs("a cell has other paragraphs")
        for paragraph, model in zip(one, other, strict=True):
            if self.on("run_count") and len(paragraph.runs) != len(model.runs):
                raise _Differs("the text of a cell is split into other runs")
            for run, model_run in zip(paragraph.runs, model.runs, strict=False):
                self.colours(run, model_run)
                if bool(run.bold) != bool(model_run.bold) or bool(run.italic) != bool(model_run.italic):
                    raise _Differs("a cell has another font")
                if not _same_underline(run, model_run):
                    raise _Differs("a cell is underlined differently")

    def texts(self, one: Shape, other: Shape, seen: _Seen) -> None:
        if self.on("text") and one.text.strip() != other.text.strip():
            raise _Differs(f"the text is {one.text[:80]!r}")
        if len(one.paragraphs) != len(other.paragraphs):
            raise _Differs("a shape has other paragraphs")
        for paragraph, model in zip(one.paragraphs, other.paragraphs, strict=True):
            if self.on("alignment") and paragraph.alignment != model.alignment:
                raise _Differs("a paragraph is aligned differently")
            if self.on("text") and paragraph.text != model.text:
                raise _Differs(f"a paragraph is {paragraph.text[:80]!r}")
            if self.on("indent") and paragraph.level != model.level:
                raise _Differs("a paragraph is indented differently")
            seen.visit(paragraph, model)
            if self.on("run_count") and len(paragraph.runs) != len(model.runs):
                raise _Differs("the text of a paragraph is split into other runs")
            for run, model_run in zip(paragraph.runs, model.runs, strict=False):
                self.runs(run, model_run)
                if self.on("bullets") and not seen.same_bullets():
                    raise _Differs("the bullets differ")

    def runs(self, one: TextRun, other: TextRun) -> None:
        for name, differs in (
            ("font_name", one.font_name != other.font_name),
            ("font_size", one.size != other.size),
            ("font_bold", bool(one.bold) != bool(other.bold)),
            ("font_italic", bool(one.italic) != bool(other.italic)),
            ("font_underline", not _same_underline(one, other)),
            ("strike_through", one.strike != other.strike),
        ):
            if differs and self.on(name):
                raise _Differs(f"{one.text[:80]!r} differs in {name}")
        self.colours(one, other)

    def colours(self, one: TextRun, other: TextRun) -> None:
        if self.on("color_rgb") and None not in (one.colour, other.colour) and one.colour != other.colour:
            raise _Differs(f"{one.text[:80]!r} has another colour")

    def inner_texts(self, shapes: tuple[Sequence[Shape], Sequence[Shape]]) -> None:
        """Compare all shapes with text, those in groups too."""
        first, second = ([inner for shape in side for inner in shape.text_shapes()] for side in shapes)
        if len(first) != len(second):
            raise _Differs("other texts in groups")
        if not self.on("alignment"):
            return
        for one, other in zip(first, second, strict=True):
            if self.on("text") and one.text.strip() != other.text.strip():
                raise _Differs(f"the text is {one.text[:80]!r}")
            alignments = [[paragraph.alignment for paragraph in shape.paragraphs] for shape in (one, other)]
            if alignments[0] != alignments[1]:
                raise _Differs("a text in a group has other paragraphs or alignments")


@dataclass
class _Seen:
    """The paragraphs of two slides that were visited when the bullets were compared for the first time."""

    one: Slide
    other: Slide

    def __post_init__(self) -> None:
        self._visited: set[int] = set()
        self._same: bool | None = None

    def visit(self, *paragraphs: Paragraph) -> None:
        self._visited.update(id(paragraph.element) for paragraph in paragraphs)

    def same_bullets(self) -> bool:
        # Later comparisons differ only in more visited paragraphs, so they cannot fail where the first did not.
        if self._same is None:
            found, wanted = (bullets(slide.root, frozenset(self._visited)) for slide in (self.one, self.other))
            self._same = found is None or wanted is None or found == wanted
        return self._same


def _moved_beyond(place: int | None, model: int | None, limit: int) -> bool:
    if place is None or model is None:
        raise UnreadableResult("a shape has no position")
    return place > model and place >= limit


def _moved_up(place: int | None, model: int | None) -> bool:
    if place is None or model is None:
        raise UnreadableResult("a shape has no position")
    return place < model and place <= _UPPER_PART


def _same_underline(one: TextRun, other: TextRun) -> bool:
    """Not set is the same as any kind but a single line."""
    pair = (one.underline, other.underline)
    if None in pair:
        return True not in pair
    return pair[0] == pair[1]


def _background(slide: Slide) -> int | None:
    fill = slide.fill
    colour = solid_colour(fill)
    if fill is not None and colour is None:
        raise BadArchive("has a background in a colour of its theme")
    return colour


def _notes(slide: Slide) -> str:
    return slide.notes.strip()


def _shapes(slide: Slide) -> tuple[Shape, ...]:
    return slide.shapes


def _read_all(shape: Shape) -> None:
    """Meet what cannot be read here, where it is known whose file it is in."""
    for inner in (shape, *shape.text_shapes()):
        _ = inner.kind, inner.box
        for paragraph in _all_paragraphs(inner):
            for run in paragraph.runs:
                _ = run.bold, run.italic, run.colour


def _all_paragraphs(shape: Shape) -> Iterator[Paragraph]:
    if shape.has_text:
        yield from shape.paragraphs
    if shape.kind == ShapeKind.TABLE:
        for row in shape.cells:
            for cell in row:
                yield from cell
