"""Metrics of text files beyond those of `text`."""

from __future__ import annotations

import csv
import io
import json
import re
from difflib import SequenceMatcher
from typing import cast

from pydantic import JsonValue

from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    expected_file,
    pass_if,
    required,
    rules_of,
    utf8,
)
from trueline.tasks.errors import CheckerError

_NO_FILE = CheckResult(0.0, "there is no such file")
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)")


def diff_text_file(result: Value, expected: Value, _: Options) -> CheckResult:
    """How similar two files are, line by line, as difflib measures it."""
    wanted = utf8(expected_file(expected), CheckerError).splitlines()
    if not isinstance(result, FileValue):
        return _NO_FILE
    return line_similarity(utf8(result).splitlines(), wanted)


def line_similarity(found: list[str], wanted: list[str]) -> CheckResult:
    """How similar two lists of lines are."""
    score = SequenceMatcher(a=found, b=wanted).ratio()
    return CheckResult(score, "" if score == 1 else "the texts differ")


def file_contains(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a file has all texts of `rules.expected`."""
    wanted = rules_of(expected).get("expected")
    if not isinstance(result, FileValue):
        return _NO_FILE
    if not isinstance(wanted, list | str):
        return CheckResult(0.0, "rules.expected is not a list of texts, which no file has")
    text = utf8(result)
    missing = [item for item in wanted if not isinstance(item, str) or item not in text]
    return pass_if(not missing, f"the file lacks {missing[:5]}")


def check_line_number(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether `rules.expected` lines hold a time of day."""
    wanted = rules_of(expected).get("expected")
    if not isinstance(result, FileValue):
        return _NO_FILE
    try:
        number = int(wanted) if isinstance(wanted, str | int | float) else None
    except ValueError:
        number = None
    count = sum(1 for line in io.StringIO(utf8(result)) if _TIME.search(line))
    return pass_if(count == number, f"{count} lines hold a time instead of {number}")


def compare_config(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a file is exactly the text `rules.expected`."""
    wanted = required(rules_of(expected), "expected")
    if not isinstance(result, FileValue):
        return _NO_FILE
    return pass_if(utf8(result) == wanted, "the text is different")


def compare_result_files(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a file has the number, or is the text, of the expected file."""
    wanted = utf8(expected_file(expected), CheckerError).strip()
    if not isinstance(result, FileValue):
        return _NO_FILE
    found = utf8(result).strip()
    try:
        number = float(wanted)
        if wanted in found or abs(float(found) - number) < 1e-4:
            return CheckResult(1.0)
    except ValueError:
        return pass_if(found == wanted, "the texts differ")
    return CheckResult(0.0, "the numbers differ")


def compare_terminal_and_txt(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a file is exactly what the terminal shows."""
    if not isinstance(result, FileValue) or not expected:
        return _NO_FILE
    return pass_if(utf8(result) == expected, "the texts differ")


def is_included_all_json_objects(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether all values of one JSON file (the result) are in the other."""
    if not isinstance(result, FileValue) or not isinstance(expected, FileValue):
        return _NO_FILE
    inner, outer = (_json_object(file) for file in (result, expected))
    missing = [key for key, value in inner.items() if key not in outer or outer[key] != value]
    return pass_if(not missing, f"other values for {missing[:5]}")


def _json_object(file: FileValue) -> dict[str, JsonValue]:
    try:
        document: object = json.loads(utf8(file))
    except (ValueError, RecursionError) as error:
        raise UnreadableResult(f"{file.name}: is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise UnreadableResult(f"{file.name}: is not a JSON object")
    return cast("dict[str, JsonValue]", document)


def compare_python_pure_text(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether two programs have the same lines, apart from blank ones, trailing blanks and the first comments."""
    if not isinstance(result, FileValue):
        return _NO_FILE
    found, wanted = (_program_lines(text) for text in (utf8(result), utf8(expected_file(expected), CheckerError)))
    return pass_if(found == wanted, "the programs differ")


def _program_lines(text: str) -> list[str]:
    lines = text.splitlines()
    first = 0
    while first < min(3, len(lines)) and _names_interpreter(lines[first].strip()):
        first += 1
    return [line.expandtabs(4).rstrip() for line in lines[first:] if line.strip()]


def _names_interpreter(line: str) -> bool:
    return line.startswith(("#!", "# -*- coding:", "# coding:", "# coding="))


def check_csv(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether each record of `expect` fits a line of a table, and no record of `unexpect` does."""
    rules = rules_of(expected)
    wanted, unwanted = (records(rules, key, "check_csv") for key in ("expect", "unexpect"))
    if not isinstance(result, FileValue):
        return _NO_FILE
    try:
        rows = list(csv.DictReader(io.StringIO(utf8(result))))
    except csv.Error as error:
        raise UnreadableResult(f"{result.name}: is not a table: {error}") from error
    return match_records([dict(row) for row in rows], wanted, unwanted)


def records(rules: dict[str, JsonValue], key: str, function: str) -> list[dict[str, JsonValue]]:
    """A list of objects from the rules; empty if it is missing.

    Raises:
        CheckerError: It is not a list of objects.
    """
    listed = rules.get(key, [])
    found = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else None
    if found is None or not isinstance(listed, list) or len(found) != len(listed):
        raise CheckerError(f"{function}: rules.{key} must be a list of objects")
    return found


def match_records(
    rows: list[dict[str, object]], wanted: list[dict[str, JsonValue]], unwanted: list[dict[str, JsonValue]]
) -> CheckResult:
    """Whether each wanted record fits a row and no unwanted one does. A record fits if all its values are there."""

    def fits(record: dict[str, JsonValue], row: dict[str, object]) -> bool:
        return all(key in row and row[key] == value for key, value in record.items())

    missing = [record for record in wanted if not any(fits(record, row) for row in rows)]
    present = [record for record in unwanted if any(fits(record, row) for row in rows)]
    return pass_if(not missing and not present, f"lacks {missing}, has {present}"[:300])
