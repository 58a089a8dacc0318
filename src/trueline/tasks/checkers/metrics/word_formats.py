"""Metrics of formats, tables and parts of the text of documents."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive, parse_member, read_archive
from trueline.tasks.checkers.metrics.documents import compare_docx_files
from trueline.tasks.checkers.metrics.images import same_pixels
from trueline.tasks.checkers.metrics.paragraphs import W
from trueline.tasks.checkers.metrics.similarity import ratio
from trueline.tasks.checkers.metrics.word_document import WordDocument, open_document, whole_number
from trueline.tasks.checkers.values import (
    FULL,
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    flag,
    pass_if,
    required,
    required_texts,
    rules_of,
)
from trueline.tasks.errors import CheckerError

T = TypeVar("T")
_NO_FILE = CheckResult(0.0, "there is no such file")
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_YELLOW = "#ffff00"
_FOURTEEN = "28"
"""In half points."""
_LEAST_GAIN = 0.01


def compare_docx_tables(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the tables have the same sizes and texts."""
    pair = _read_pair(result, expected, lambda document: [(table.size, table.texts) for table in document.tables])
    if pair is None:
        return _NO_FILE
    found, wanted = ([(size, _stripped(texts)) for size, texts in tables] for tables in pair)
    return pass_if(found == wanted, "the tables differ")


def _stripped(texts: list[list[str]]) -> list[list[str]]:
    return [[text.strip() for text in row] for row in texts]


def compare_docx_images(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the same pictures are in both documents."""
    pair = _read_pair(result, expected, lambda document: document.images)
    if pair is None:
        return _NO_FILE
    if len(pair[0]) != len(pair[1]):
        return CheckResult(0.0, f"{len(pair[0])} pictures instead of {len(pair[1])}")
    return pass_if(all(map(same_pixels, *pair)), "a picture differs")


def compare_init_lines(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the paragraphs are equal as far as the shorter document goes."""
    pair = _texts(result, expected)
    if pair is None:
        return _NO_FILE
    return pass_if(all(one == other for one, other in zip(*pair, strict=False)), "the texts differ")


def compare_docx_lines(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the same lines are in both documents, in any order."""
    pair = _texts(result, expected)
    if pair is None:
        return _NO_FILE
    found, wanted = ({text.strip() for text in texts if text.strip()} for texts in pair)
    return pass_if(found == wanted, "the lines differ")


def compare_docx_files_and_ignore_new_lines(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether the paragraphs that are not empty are equal."""
    pair = _texts(result, expected)
    if pair is None:
        return _NO_FILE
    found, wanted = ([text for text in texts if text] for texts in pair)
    if flag(options, "ignore_blanks", default=True):
        first, second = (re.sub(r"\s+", " ", "\n".join(texts)).strip() for texts in (found, wanted))
        return pass_if(first == second, "the texts differ")
    return pass_if(found == wanted, "the texts differ")


def compare_line_spacing(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether texts and line spacing are equal."""
    return _same_text_and(result, expected, lambda document: [each.line_spacing for each in document.paragraphs])


def _same_text_and(result: Value, expected: Value, read: Callable[[WordDocument], object]) -> CheckResult:
    pair = _read_pair(result, expected, read)
    if pair is None:
        return _NO_FILE
    texts = compare_docx_files(result, expected, {})
    return pass_if(pair[0] == pair[1], "the formats differ") if texts.score else texts


def compare_font_names(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether all text is set in `rules.font_name`."""
    wanted = required(rules_of(expected), "font_name")
    names = _read_one(result, lambda document: [run.font_name for each in document.paragraphs for run in each.runs])
    others = {str(name) for name in names or () if name != wanted}
    return _NO_FILE if names is None else pass_if(not others, f"other fonts: {sorted(others)[:5]}")


def compare_subscript_contains(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a piece of text is a subscript in both documents, at the same place."""
    pair = _read_pair(
        result, expected, lambda document: [[run.is_subscript for run in each.runs] for each in document.paragraphs]
    )
    if pair is None:
        return _NO_FILE
    both = any(one and other for runs in zip(*pair, strict=False) for one, other in zip(*runs, strict=False))
    return pass_if(both, "there is no such subscript")


def has_page_numbers_in_footers(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether each section's footer has a digit."""
    footers = _read_one(result, lambda document: list(document.footers))
    if footers is None:
        return _NO_FILE
    return pass_if(all(any(map(str.isdigit, text)) for text in footers), "a footer has no number")


def is_first_line_centered(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether the first paragraph is centred."""
    first = _read_one(result, lambda document: [each.alignment for each in document.paragraphs[:1]])
    if not first:
        return _NO_FILE
    return pass_if(first == ["center"], f"the first paragraph is aligned {first[0]}")


def contains_page_break(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether there are `rules.page_break_count` page breaks, or any without that rule."""
    wanted = rules_of(expected).get("page_break_count")

    def count(document: WordDocument) -> int:
        runs = (run.element for paragraph in document.paragraphs for run in paragraph.runs)
        return sum(1 for run in runs for mark in run.iter(f"{W}br") if mark.get(f"{W}type") == "page")

    found = _read_one(result, count)
    if found is None:
        return _NO_FILE
    return pass_if(found > 0 and wanted in (None, found), f"there are {found} page breaks")


def check_tabstops(result: Value, expected: Value, options: Options) -> CheckResult:
    """How near the tab stops are; with `word_number_split_by_tabstop`, so many words stand before one."""
    pair = _read_pair(result, expected, _tabbed)
    if pair is None:
        return _NO_FILE
    (found, _width), (wanted, width) = pair
    if len(found) != len(wanted):
        return CheckResult(0.0, "other paragraphs")
    number, place = options.get("word_number_split_by_tabstop"), options.get("index", 0)
    if number is not None:
        if not isinstance(place, int):
            raise CheckerError("check_tabstops: index must be a number")
        pieces = [text.split("\t") for text, _ in found]
        if any(not -len(each) <= place < len(each) for each in pieces):
            raise UnreadableResult("a paragraph has too few tabs")
        if any(len(each[place].split()) != number for each in pieces):
            return CheckResult(0.0, "other words before a tab")
    if width is None or not wanted:
        raise CheckerError("check_tabstops: the expected document says no width of its pages, or has no text")
    lost = 0.0
    for (_, stops), (_, models) in zip(found, wanted, strict=True):
        if [kind for kind, _ in stops] != [kind for kind, _ in models]:
            return CheckResult(0.0, "other tab stops")
        lost += sum(abs(one - other) for (_, one), (_, other) in zip(stops, models, strict=True)) / width
    score = 1 - lost / len(found)
    return CheckResult(min(max(score, 0.0), 1.0), "" if score == 1 else "tab stops are elsewhere")


def _tabbed(document: WordDocument) -> tuple[list[tuple[str, list[tuple[str, int]]]], int | None]:
    """Text and tab stops of paragraphs that are not blank, and the width of the text."""
    paragraphs = [(each.text, each.tab_stops) for each in document.paragraphs if each.text.strip()]
    section = next(iter(document.sections), None)
    return paragraphs, None if section is None else _text_width(section)


def _text_width(section: Element) -> int | None:
    page, margin = section.find(f"{W}pgSz"), section.find(f"{W}pgMar")
    if page is None or margin is None:
        return None
    width, *sides = (page.get(f"{W}w"), margin.get(f"{W}left"), margin.get(f"{W}right"))
    if width is None or None in sides:
        return None
    return whole_number(width) - sum(whole_number(side) for side in sides if side is not None)


def evaluate_strike_through_last_paragraph(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the text is as expected, and the last paragraph is struck through."""
    struck = _read_pair(
        result, expected, lambda document: [run.is_struck for each in document.paragraphs[-1:] for run in each.runs]
    )
    return _if_same_text(result, expected, struck, all, "the last paragraph is not struck through")


def check_italic_font_size_14(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the text is as expected, and all that is italic has a size of 14."""
    sizes = _read_pair(
        result,
        expected,
        lambda document: [run.size == _FOURTEEN for each in document.paragraphs for run in each.runs if run.is_italic],
    )
    return _if_same_text(result, expected, sizes, all, "something italic has another size")


def _if_same_text(
    result: Value, expected: Value, pair: tuple[T, T] | None, good: Callable[[T], bool], problem: str
) -> CheckResult:
    if pair is None:
        return _NO_FILE
    texts = compare_docx_files(result, expected, {})
    return pass_if(good(pair[0]), problem) if texts.score else texts


def check_highlighted_words(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the text is as expected, and nothing in an .odt is highlighted in yellow."""
    if result is None or expected is None:
        return _NO_FILE
    texts = compare_docx_files(result, expected, {})
    if not texts.score:
        return texts
    if not isinstance(result, FileValue) or result.suffix != ".odt":
        raise UnreadableResult("not an .odt file")
    try:
        members = read_archive(result.content)
        roots = [parse_member(members, name) for name in ("content.xml", "styles.xml") if name in members]
    except BadArchive as error:
        raise UnreadableResult(f"{result.name} {error}") from error
    styles = {
        style.get(f"{_STYLE}name")
        for root in roots
        for automatic in root.iter("{urn:oasis:names:tc:opendocument:xmlns:office:1.0}automatic-styles")
        for style in automatic
        if any(properties.get(f"{_FO}background-color") == _YELLOW for properties in style)
    }
    used = {span.get(f"{_TEXT}style-name") for root in roots for span in root.iter(f"{_TEXT}span")}
    return pass_if(not styles & used, "something is still highlighted")


def compare_references(result: Value, expected: Value, options: Options) -> CheckResult:
    """How similar the lists of references are, above `reference_base_result`."""
    heading = str(options.get("reference_indicator", "References"))
    base = options.get("reference_base_result", 0.5)
    if not isinstance(base, int | float):
        raise CheckerError("compare_references: reference_base_result must be a number")
    pair = _texts(result, expected)
    if pair is None:
        return _NO_FILE
    if heading not in pair[0] and heading not in pair[1]:
        return FULL
    if heading not in pair[0] or heading not in pair[1]:
        return CheckResult(0.0, "one document has no references")
    found, wanted = ([text for text in texts[texts.index(heading) + 1 :] if text.strip()] for texts in pair)
    if len(found) != len(wanted):
        return CheckResult(0.0, f"{len(found)} references instead of {len(wanted)}")
    if not found:
        raise UnreadableResult("there are no references")
    score = sum(map(ratio, found, wanted)) / len(found)
    gained = (score - base) / (1 - base) if score >= base + _LEAST_GAIN else 0.0
    return CheckResult(gained, "" if gained == 1 else f"the references are alike to {score:.3f}")


def compare_unique_train_records(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the lines are those of the original (the second expected file) without repeated second fields."""
    golds = expected if isinstance(expected, tuple) else ()
    if result is None or len(golds) < 2 or golds[0] is None or golds[1] is None:
        return _NO_FILE
    pairs = [_texts(result, gold) for gold in golds[:2]]
    if pairs[0] is None or pairs[1] is None:
        return _NO_FILE
    found, gold, original = (_lines(texts) for texts in (pairs[0][0], pairs[0][1], pairs[1][1]))
    ids, wanted = _ids(found), _ids(gold)
    good = set(found) <= set(original) and len(ids) == len(set(ids)) and set(ids) == set(wanted)
    return pass_if(good and len(found) == len(gold), "other lines")


def _lines(texts: list[str]) -> list[str]:
    return [text.strip() for text in texts if text.strip()]


def _ids(lines: list[str]) -> list[str]:
    return [fields[1].strip() for fields in (line.split(",") for line in lines) if len(fields) == 4]


def fuzzy_place_math(result: Value, expected: Value, _: Options) -> CheckResult:
    """How similar the three words of a document are to the nearest of `rules.expected`."""
    answers = required_texts(rules_of(expected), "expected")
    texts = _read_one(result, lambda document: [paragraph.text for paragraph in document.paragraphs])
    if texts is None:
        return _NO_FILE
    words = [word for text in texts for word in text.split()]
    if len(words) != 3:
        return CheckResult(0.0, f"{len(words)} words instead of 3")
    score = sum(max((ratio(word, answer) for answer in answers), default=0.0) for word in words) / 3
    return CheckResult(score, "" if score == 1 else "the words differ")


def _texts(result: Value, expected: Value) -> tuple[list[str], list[str]] | None:
    return _read_pair(result, expected, lambda document: [paragraph.text for paragraph in document.paragraphs])


def _read_pair(result: Value, expected: Value, read: Callable[[WordDocument], T]) -> tuple[T, T] | None:
    """The same of both documents; `None` if one is missing."""
    if result is None or expected is None:
        return None
    if not isinstance(expected, FileValue):
        raise CheckerError("the expected document is missing")
    try:
        wanted = read(open_document(expected))
    except BadArchive as error:
        raise CheckerError(f"the expected file {expected.name} {error}") from error
    found = _read_one(result, read)
    return None if found is None else (found, wanted)


def _read_one(result: Value, read: Callable[[WordDocument], T]) -> T | None:
    if result is None:
        return None
    if not isinstance(result, FileValue):
        raise UnreadableResult("there is no document")
    try:
        return read(open_document(result))
    except BadArchive as error:
        raise UnreadableResult(f"{result.name} {error}") from error
