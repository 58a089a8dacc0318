"""Metrics of values and text files."""

from __future__ import annotations

import io
import re

from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    expected_file,
    flag,
    pass_if,
    rules_of,
    strings,
    utf8,
)
from trueline.tasks.errors import CheckerError

_NO_FILE = CheckResult(0.0, "there is no such file")


def exact_match(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the value equals `rules.expected`."""
    rules = rules_of(expected)
    if "expected" not in rules:
        raise CheckerError("exact_match: rules.expected is missing")
    return pass_if(result == rules["expected"], "the value is different")


def check_include_exclude(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the text holds all of `include` and none of `exclude`."""
    rules = rules_of(expected)
    include, exclude = strings(rules, "include"), strings(rules, "exclude")
    if not isinstance(result, str):
        return CheckResult(0.0, "there is no text")
    missing = [text for text in include if text not in result]
    present = [text for text in exclude if text in result]
    return pass_if(not missing and not present, f"lacks {missing}, holds {present}")


def compare_text_file(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether two UTF-8 files hold the same text."""
    gold = utf8(expected_file(expected), CheckerError)
    if not isinstance(result, FileValue):
        return _NO_FILE
    pair = [utf8(result, UnreadableResult), gold]
    if flag(options, "ignore_blanks"):
        pair = [" ".join(re.split(r"\s+", text)).strip() for text in pair]
    if flag(options, "ignore_case"):
        pair = [text.lower() for text in pair]
    return pass_if(pair[0] == pair[1], "the texts differ")


def compare_csv(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether the lines equal those of the expected file, or of one of several; `strict: false` trims them."""
    golds = expected if isinstance(expected, tuple) else (expected_file(expected),)
    if not golds:
        raise CheckerError("compare_csv: there is no expected file")
    wanted = [_lines(expected_file(gold), options) for gold in golds]
    if not isinstance(result, FileValue):
        return _NO_FILE
    return pass_if(_lines(result, options) in wanted, "the lines differ")


def check_list(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether each pattern of `expect` matches a line of the file, and no pattern of `unexpect` does."""
    rules = rules_of(expected)
    wanted, unwanted = (_patterns(strings(rules, key), key) for key in ("expect", "unexpect"))
    if not isinstance(result, FileValue):
        return _NO_FILE
    lines = list(io.StringIO(utf8(result, UnreadableResult)))
    missing = [pattern.pattern for pattern in wanted if not any(map(pattern.search, lines))]
    present = [pattern.pattern for pattern in unwanted if any(map(pattern.search, lines))]
    return pass_if(not missing and not present, f"no line with {missing}, lines with {present}")


def _lines(file: FileValue, options: Options) -> list[str]:
    try:
        text = file.content.decode("utf-8")
    except UnicodeDecodeError:
        text = file.content.decode("latin-1")
    if flag(options, "ignore_case"):
        text = text.lower()
    lines = text.splitlines()
    return lines if flag(options, "strict", default=True) else [line.strip() for line in lines]


def _patterns(sources: list[str], key: str) -> list[re.Pattern[str]]:
    try:
        return [re.compile(source) for source in sources]
    except re.error as error:
        raise CheckerError(f"check_list: rules.{key}: not a regular expression: {error}") from error
