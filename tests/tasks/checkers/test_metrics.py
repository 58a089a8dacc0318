"""What each metric says of plain cases; test_agreement compares many more with OSWorld's own."""

from __future__ import annotations

import contextlib
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from support.agreement import all_generators
from tasks.office_files import docx_file, odt_file, xlsx_file
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.metrics import is_native
from trueline.tasks.checkers.metrics.similarity import ratio
from trueline.tasks.checkers.values import FileValue, LastRow, Value
from trueline.tasks.errors import CheckerError


def file(text: str, name: str = "a.txt") -> FileValue:
    return FileValue(name, text.encode())


def score(function: str, result: Value | LastRow, expected: Value, **options: JsonValue) -> float:
    return compute(function, result, expected, options).score


def test_text_files() -> None:
    assert score("compare_text_file", file("a\r\nb"), file("a\nb")) == 1
    assert score("compare_text_file", file("A  b"), file("a b")) == 0
    assert score("compare_text_file", file("A  b"), file("a b"), ignore_blanks=True, ignore_case=True) == 1


def test_one_of_several_csv_files() -> None:
    assert score("compare_csv", file("a,b\n1,2"), (file("x"), file("a,b\n1,2\n"))) == 1
    assert score("compare_csv", file(" a,b "), file("a,b")) == 0
    assert score("compare_csv", file(" a,b "), file("a,b"), strict=False) == 1


def test_json_rules() -> None:
    document = file(json.dumps({"a": {"n": 3.5}, "t": "Hello"}))
    good: list[JsonValue] = [
        {"key": ["a", "n"], "method": "range.te", "ref": [3, 3.5]},
        {"key": ["t"], "method": "re.I", "ref": "^hello$"},
    ]
    bad: list[JsonValue] = [{"key": ["t"], "method": "eq", "ref": "Hello"}]
    assert score("check_json", document, {"expect": good}) == 1
    assert score("check_json", document, {"expect": good, "unexpect": bad}) == 0
    assert score("check_json", file("a: {n: 3.5}\nt: hello"), {"expect": good}, is_yaml=True) == 1
    assert score("check_json", file("# nothing left\n"), {"unexpect": bad}, is_yaml=True) == 0


def test_documents_as_likeness() -> None:
    assert score("compare_docx_files", docx_file(["one two"]), docx_file(["one", "two"])) == 1
    assert 0.5 < score("compare_docx_files", docx_file(["hello"]), docx_file(["hallo"]), content_only=True) < 1
    assert score("compare_docx_files", odt_file(["x"]), docx_file(["x"])) == 0


@pytest.mark.parametrize(
    "function",
    ["check_include_exclude", "check_json", "check_list", "compare_csv", "compare_docx_files", "compare_table",
     "compare_text_file", "mail_is", "only_cell_filled", "same_lines", "some_file_holds", "unchanged_except"],
)  # fmt: skip
def test_a_file_that_is_not_there_scores_0(function: str) -> None:
    expected: dict[str, Value] = {
        "compare_text_file": file("a"), "compare_csv": file("a"), "compare_docx_files": docx_file(["a"]),
        "same_lines": {"lines": []}, "some_file_holds": {"holds": ["a"]},
        "only_cell_filled": {"cell": "B2", "sum_of": "B1:B1"},
    }  # fmt: skip
    outcome = compute(function, None, expected.get(function, {}), {"rules": [{"type": "sheet_data"}]})
    assert (outcome.score, bool(outcome.reason)) == (0.0, True)


@pytest.mark.parametrize(
    ("function", "result", "expected"),
    [
        ("compare_text_file", FileValue("a.txt", b"\xff"), file("a")),
        ("check_list", FileValue("a.txt", b"\xff"), {"expect": ["a"]}),
        ("check_json", file("{"), {"expect": []}),
        ("check_json", file("{}"), {"expect": [{"key": ["a", 0, "b"], "method": "eq", "ref": 1}]}),
        ("compare_table", file("junk", "a.xlsx"), None),
    ],
)
def test_what_the_agent_left_broken_scores_0(function: str, result: Value, expected: Value) -> None:
    assert score(function, result, expected, rules=[{"type": "check_cell", "props": {}}]) == 0


@pytest.mark.parametrize(
    ("function", "expected", "options"),
    [
        ("exact_match", {}, {}),
        ("exact_match", None, {}),
        ("check_include_exclude", {"include": "text"}, {}),
        ("check_list", {"expect": ["("]}, {}),
        ("check_json", {"expect": [{"key": ["a"], "method": "about", "ref": 1}]}, {}),
        ("check_json", {"expect": [{"key": ["a"], "method": "re", "ref": "("}]}, {}),
        ("check_json", {"expect": [{"method": "eq", "ref": 1}]}, {}),
        ("compare_text_file", None, {}),
        ("compare_text_file", FileValue("e", b"\xff"), {}),
        ("compare_csv", (), {}),
        ("compare_table", None, {}),
        ("compare_table", None, {"rules": [{"type": "sheet_print"}]}),
        ("same_lines", {}, {}),
        ("same_lines", {"lines": [1]}, {}),
        ("some_file_holds", {"holds": []}, {}),
        ("some_file_holds", {"holds": ["("]}, {}),
        ("only_cell_filled", {"cell": "B2"}, {}),
        ("mail_is", {"sent": "x"}, {}),
        ("no_such_function", None, {}),
    ],
)
def test_a_wrong_rule_is_an_error_and_never_0(function: str, expected: Value, options: dict[str, JsonValue]) -> None:
    with pytest.raises(CheckerError):
        compute(function, file('{"a": 1}'), expected, options)


@pytest.mark.parametrize("family", ["values", "texts", "browser", "applications", "slides", "documents"])
def test_no_result_is_never_right(family: str) -> None:
    """Whatever the rule: 0, or an error about the rule. A missing value may equal an expected one that is missing."""
    for name, make in all_generators([family]).items():
        case = make(random.Random(f"no result {name}"))
        if name not in ("exact_match", "literal_match", "match_in_list", "compare_answer", "is_in_vm_clickboard"):
            with contextlib.suppress(CheckerError):
                assert compute(case.metric, None, case.expected, case.options).score == 0, name


def test_only_rules_that_can_be_checked_are_native() -> None:
    cell: JsonValue = {"type": "check_cell", "props": {"value": {"method": "eq", "ref": 1}}}
    assert is_native("compare_table", {"rules": [cell, {"type": "sheet_data"}, {"type": "freeze"}]})
    assert is_native("compare_table", {"rules": [{"type": "chart", "chart_props": ["type", "title"]}]})
    assert not is_native("compare_table", {"rules": [{"type": "chart", "chart_props": ["anchor"]}]})
    assert not is_native("compare_table", {"rules": [cell, {"type": "sheet_print"}]})
    assert not is_native("compare_table", {"rules": [{"type": "check_cell", "props": {"border": {}}}]})


@settings(deadline=None)
@given(st.text("abc", max_size=30), st.text("abc", max_size=30))
def test_likeness_is_that_of_the_longest_common_subsequence(first: str, second: str) -> None:
    rows = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            rows[i + 1][j + 1] = rows[i][j] + 1 if a == b else max(rows[i][j + 1], rows[i + 1][j])
    whole = len(first) + len(second)
    assert ratio(first, second) == pytest.approx(2 * rows[-1][-1] / whole if whole else 1.0)


@pytest.mark.full
def test_the_last_row_of_a_workbook() -> None:
    book = xlsx_file({"S": [["name", "year"], ["x", 1], ["y", 2]]})
    assert score("exact_match", LastRow(book), {"expected": ["y", "2"]}) == 1
    assert score("exact_match", LastRow(xlsx_file({"S": [["name"]]})), {"expected": ["y"]}) == 0
    assert score("exact_match", LastRow(file("junk")), {"expected": ["y"]}) == 0


@pytest.mark.full
def test_sheets_that_are_not_there() -> None:
    book = xlsx_file({"S": [["a"], [1]]})
    rule: dict[str, JsonValue] = {"type": "sheet_data", "sheet_idx0": "RNnone", "sheet_idx1": "EI0"}
    assert score("compare_table", book, book, rules=[rule]) == 0
    with pytest.raises(CheckerError, match="the expected file has no sheet"):
        score("compare_table", book, book, rules=[{**rule, "sheet_idx1": "ENnone"}])
