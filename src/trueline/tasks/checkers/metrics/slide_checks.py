"""Metrics of single properties of presentations."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TypeVar
from xml.etree.ElementTree import Element

from pydantic import JsonValue

from trueline.tasks.checkers.archive import BadArchive, parse_member, parse_xml, read_archive
from trueline.tasks.checkers.metrics.presentation import P, Shape, ShapeKind, SlideDeck, open_presentation
from trueline.tasks.checkers.metrics.slide_text import A, TextRun, solid_colour
from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    expected_file,
    pass_if,
    required,
    required_text,
    rules_of,
)
from trueline.tasks.errors import CheckerError

T = TypeVar("T")
_HALF_INCH = 457_200
_CLEARLY = 50
_SLIDE_NUMBER = "<number>"


def check_slide_orientation_Portrait(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether the slides are higher than wide."""
    width, height = _read(result, lambda deck: deck.size)
    return pass_if(width < height, f"the slides are {width} by {height}")


def evaluate_presentation_fill_to_rgb_distance(result: Value, expected: Value, _: Options) -> CheckResult:
    """How near the backgrounds are to `rules.rgb`; one that still has `rules.original_rgb` counts as far."""
    rules = rules_of(expected)
    wanted = _rgb(required(rules, "rgb"))
    original = None if rules.get("original_rgb") is None else _rgb(rules["original_rgb"])
    colours = _read(result, lambda deck: [solid_colour(slide.fill) for slide in deck.slides])
    if not colours:
        raise UnreadableResult("there are no slides")
    distances = [_distance(colour, wanted, original) for colour in colours]
    score = 1 - sum(distances) / len(distances)
    return CheckResult(score, "" if score == 1 else "the backgrounds have other colours")


def _distance(colour: int | None, wanted: tuple[int, ...], original: tuple[int, ...] | None) -> float:
    if colour is None:
        return 1
    found = (colour >> 16, colour >> 8 & 255, colour & 255)
    if found == original:
        return 1
    return sqrt(sum((one - other) ** 2 for one, other in zip(found, wanted, strict=True))) / sqrt(3 * 255**2)


def _rgb(value: JsonValue) -> tuple[int, ...]:
    numbers = [number for number in value if isinstance(number, int)] if isinstance(value, list) else []
    if len(numbers) != 3:
        raise CheckerError(f"{value!r} is not a colour of three numbers")
    return tuple(numbers)


def check_image_stretch_and_center(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the first picture of the expected file fills the first slide, within half an inch."""
    gold = expected_file(expected)
    try:
        model = open_presentation(gold)
        pictures = _pictures(model)
        width, height = model.size
        image = pictures[0].image if pictures else None
    except BadArchive as error:
        raise CheckerError(f"the expected file {gold.name} {error}") from error
    if image is None:
        return CheckResult(0.0, "the expected file has no picture on its first slide")
    boxes = _read(result, lambda deck: [picture.box for picture in _pictures(deck) if picture.image == image])
    if not boxes:
        return CheckResult(0.0, "the picture is not on the first slide")
    box = boxes[-1]
    if box.left is None or box.top is None or box.width is None or box.height is None:
        raise UnreadableResult("the picture has no position")
    off = (box.width - width, box.height - height, box.left - (width - box.width) / 2,
           box.top - (height - box.height) / 2)  # fmt: skip
    return pass_if(all(abs(each) <= _HALF_INCH for each in off), "the picture does not fill the slide")


def _pictures(deck: SlideDeck) -> list[Shape]:
    if not deck.slides:
        raise BadArchive("has no slides")
    return [shape for shape in deck.slides[0].shapes if shape.kind == ShapeKind.PICTURE]


def check_strikethrough(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the first run of the named paragraphs says that it is struck through."""
    rules = rules_of(expected)
    slides, shapes, paragraphs = (_numbers(rules, f"{name}_index_s") for name in ("slide", "shape", "paragraph"))

    def all_struck(deck: SlideDeck) -> bool:
        for slide in slides:
            for shape in shapes:
                held = deck.slides[slide].shapes[shape]
                if not held.has_text:
                    raise BadArchive("has a shape without text")
                if not all(_first_run(held.paragraphs[number].runs).is_strike_set for number in paragraphs):
                    return False
        return True

    try:
        return pass_if(_read(result, all_struck), "a paragraph is not struck through")
    except IndexError:
        return CheckResult(0.0, "there is no such paragraph")


def _first_run(runs: tuple[TextRun, ...]) -> TextRun:
    return runs[0]


def _numbers(rules: dict[str, JsonValue], key: str) -> list[int]:
    value = required(rules, key)
    numbers = [number for number in value if isinstance(number, int)] if isinstance(value, list) else None
    if numbers is None or not isinstance(value, list) or len(numbers) != len(value):
        raise CheckerError(f"rules.{key} must be a list of numbers")
    return numbers


def check_transition(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether slide `rules.slide_idx` has the transition `rules.transition_type`."""
    rules = rules_of(expected)
    number, kind = required(rules, "slide_idx"), required_text(rules, "transition_type")
    if not isinstance(number, int):
        raise CheckerError("check_transition: rules.slide_idx must be a number")
    name = f"ppt/slides/slide{number + 1}.xml"
    members = _members(result)
    if name not in members:
        return CheckResult(0.0, "there is no such slide")
    transition = _parse(members, name).find(f".//{P}transition")
    good = transition is not None and transition.find(f".//{P}{kind}") is not None
    return pass_if(good, "the slide has another transition")


def check_page_number_colors(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the last but one colour of the first master is `rules.color`: red, blue, green or black."""
    wanted = required(rules_of(expected), "color")
    root = _parse(_members(result), "ppt/slideMasters/slideMaster1.xml")
    colours = root.findall(f".//{A}solidFill//{A}srgbClr")
    if len(colours) < 2:
        raise UnreadableResult("the master has fewer than two colours")
    value = colours[-2].get("val")
    if value is None:
        return CheckResult(0.0, "the colour has no value")
    # OSWorld's offsets, which expect a leading `#`.
    try:
        red, green, blue = (int(value[start : start + 2], 16) for start in (1, 3, 5))
    except ValueError as error:
        raise UnreadableResult(f"the colour is {value!r}") from error
    good = {
        "red": red > green + _CLEARLY and red > blue + _CLEARLY,
        "blue": blue > green + _CLEARLY and blue > red + _CLEARLY,
        "green": green > red + _CLEARLY and green > blue + _CLEARLY,
        "black": max(red, green, blue) < _CLEARLY,
    }.get(str(wanted), True)
    return pass_if(good, f"the colour is {value}")


def check_left_panel(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether the accessibility tree has Impress's list of slides."""
    if not isinstance(result, str):
        raise UnreadableResult("there is no accessibility tree")
    try:
        root = parse_xml(result.encode("utf-8", "replace"), "the accessibility tree")
    except BadArchive as error:
        raise UnreadableResult(str(error)) from error
    shown = any(frame.get("name") == "Slides View" for frame in root.iter("document-frame"))
    return pass_if(shown, "the list of slides is not shown")


def _read(result: Value, read: Callable[[SlideDeck], T]) -> T:
    if not isinstance(result, FileValue):
        raise UnreadableResult("there is no such file")
    try:
        return read(open_presentation(result))
    except BadArchive as error:
        raise UnreadableResult(f"{result.name} {error}") from error


def _members(result: Value) -> dict[str, bytes]:
    if not isinstance(result, FileValue):
        raise UnreadableResult("there is no such file")
    try:
        return read_archive(result.content)
    except BadArchive as error:
        raise UnreadableResult(f"{result.name} {error}") from error


def _parse(members: dict[str, bytes], name: str) -> Element:
    try:
        return parse_member(members, name)
    except BadArchive as error:
        raise UnreadableResult(str(error)) from error
