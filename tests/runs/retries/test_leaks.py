"""What a simulated user may not say."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from trueline.runs.retries.leaks import leaks, secrets_of

TASK = "Add the total."
EXPECTED: JsonValue = {
    "func": "exact_match",
    "expected": {"type": "rule", "rules": {"include": ["Quarterly total: 4711"], "exclude": ["Blue whale"]}},
    "result": {"type": "vm_file", "path": "/home/user/report.csv", "dest": "report.csv"},
}


def rule(*expected: JsonValue) -> JsonValue:
    return {"func": "exact_match", "expected": {"type": "rule", "rules": {"expected": [*expected]}}}


def test_expected_values_that_the_task_does_not_say_are_secret() -> None:
    assert secrets_of(EXPECTED, TASK) == ("Quarterly total: 4711",)
    assert secrets_of(EXPECTED, "Write 'quarterly  total: 4711'.") == ()
    assert secrets_of(rule("first line\nsecond line", 7, 42.5, "1,984", "x", True, None), TASK) == (
        "1984", "42.5", "7", "first line", "second line",
    )  # fmt: skip
    assert secrets_of(rule(7), "Make 7 copies.") == secrets_of(rule(7), "Make seven copies.") == ()


def test_the_words_of_the_checkers_own_language_are_no_secrets() -> None:
    gold: JsonValue = {
        "func": ["compare_table", "check_list"],
        "conj": "and",
        "expected": [{"type": "cloud_file", "path": "https://example.org/gold.xlsx", "dest": "gold.xlsx"}, None],
        "result": [{"type": "vm_file", "path": "/home/user/a.xlsx"}, {"type": "vm_command_line", "command": "cat a"}],
        "options": {
            "rules": [
                {
                    "type": "check_cell",
                    "sheet_idx": 3,
                    "coordinate": "B6",
                    "props": {"value": {"method": "eq", "ref": 86}},
                }
            ]
        },
    }
    assert secrets_of(gold, TASK) == ("86",)
    message = "The rule is simple: this exact match of the file is wrong, check the list. It is called report.csv."
    assert leaks(message, secrets_of(EXPECTED, TASK)) == ()


@pytest.mark.parametrize(
    "message",
    [
        "Write quarterly total:  4711 at the end.",
        "It must be Quarterly-Total 4711!",
        "Run `make` first.",
        "Just click at (120, 44).",
        "Click somewhere near 120, 440.",
        "It is at x=120, y=44.",
        "Press Ctrl+S to save.",
        "press Control and S",
        "Hit the Enter key afterwards.",
        "There is a keyboard shortcut for it.",
        "Use =SUM(A1:A4) there.",
        "You need SUM(B2:B9).",
        "The AVERAGE function would do.",
        "Open File -> Save as.",
        "Open Edit, then Preferences, then Security, and go on.",
        "It stands in the Tools menu.",
        "Click on Save before you end.",
        "You have to mkdir ~/out before.",
        "type ls -la in the terminal",
        "run git reset, please",
        "Type something like this into a terminal.",
        "```\nx\n```",
    ],
)
def test_how_to_do_it_is_a_leak(message: str) -> None:
    assert leaks(message, secrets_of(EXPECTED, TASK))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("42.5", "The value must be 42,5 ."),
        ("42.5", "the answer is 42 .5"),
        ("42.5", "It should be forty-two point five"),
        (42.5, "I get 42.50 there."),
        (7, "It must be 7."),
        (7, "It must be seven!"),
        (1984, "The year is 1984."),
        ("12500", "The sum is 12,500 Euro."),
        ("budget.csv", "Call it budget dot csv."),
        ("budget.csv", "Call it b u d g e t . c s v"),
        ("Blue", "It must be BLUE."),
        ("2030-05-01", "It is 2030/05/01."),
    ],
)
def test_an_expected_value_is_found_however_it_is_spelt(expected: JsonValue, message: str) -> None:
    assert leaks(message, secrets_of(rule(expected), TASK))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (7, "I asked for 17 rows, and 7.5 is too much."),
        ("42.5", "There are 142.5 of them, or 42."),
        (1, "I meant the one of last year."),
        ("Blue", "The blueprint is wrong."),
        ("true", "That is not true."),
        ("Blue whale", "The total is missing from the report."),
        (4711, "I meant the sheet of this year, not that of last year, and the file must keep its name."),
        (4711, "You saved it somewhere else than where I asked for. I cannot find it."),
        (4711, "You clicked the wrong thing and then closed the file - I need it open."),
        (4711, "The menu at the top should look as before, and I want to control a smaller font."),
    ],
)
def test_what_is_wrong_is_no_leak(expected: JsonValue, message: str) -> None:
    assert leaks(message, secrets_of(rule(expected), TASK)) == ()
