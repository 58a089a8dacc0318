"""compare_docx_files: the text of two documents."""

from __future__ import annotations

import re

from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics.paragraphs import read_paragraphs
from trueline.tasks.checkers.metrics.similarity import ratio
from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    expected_file,
    flag,
    pass_if,
)
from trueline.tasks.errors import CheckerError

_KINDS = (".docx", ".odt")


def compare_docx_files(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether the paragraphs are equal; with `content_only` or `fuzzy_match`, how similar they are."""
    gold = expected_file(expected)
    if not gold.name.endswith(_KINDS):
        raise CheckerError(f"{gold.name}: must be a .docx or .odt file")
    try:
        wanted = read_paragraphs(gold)
    except BadArchive as error:
        raise CheckerError(f"the expected file {gold.name} {error}") from error
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    if not result.name.endswith(gold.suffix):
        return CheckResult(0.0, f"a {result.suffix or 'nameless'} file where {gold.suffix} is expected")
    try:
        found = read_paragraphs(result)
    except BadArchive as error:
        raise UnreadableResult(f"{result.name} {error}") from error
    return _compare(found, wanted, options)


def _compare(found: list[str], wanted: list[str], options: Options) -> CheckResult:
    pair = [found, wanted]
    if flag(options, "ignore_order"):
        pair = [sorted(paragraphs) for paragraphs in pair]
    if flag(options, "delete_empty_lines"):
        pair = [[text for text in paragraphs if text.strip()] for paragraphs in pair]
    if flag(options, "ignore_case"):
        pair = [[text.lower() for text in paragraphs] for paragraphs in pair]
    fuzzy = flag(options, "fuzzy_match")
    if flag(options, "content_only") or flag(options, "ignore_blanks", default=True):
        first, second = (re.sub(r"\s+", " ", "\n".join(paragraphs)).strip() for paragraphs in pair)
        if fuzzy or flag(options, "content_only"):
            return _likeness(ratio(first, second))
        return pass_if(first == second, "the texts differ")
    first, second = pair
    if len(first) != len(second):
        return CheckResult(0.0, f"{len(first)} paragraphs instead of {len(second)}")
    if not fuzzy:
        return pass_if(first == second, "the texts differ")
    return _likeness(sum(map(ratio, first, second)) / len(first) if first else 1.0)


def _likeness(score: float) -> CheckResult:
    return CheckResult(score, "" if score == 1 else "the texts differ")
