"""What a simulated user may not say."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from trueline.runs.retries.leaks import leaks, secrets_of

EXPECTED: JsonValue = {"type": "rule", "rules": {"include": ["Quarterly total: 4711"], "exclude": ["x"]}}


def test_expected_strings_that_the_task_does_not_say_are_secret() -> None:
    assert "Quarterly total: 4711" in secrets_of(EXPECTED, "Add the total.")
    assert "Quarterly total: 4711" not in secrets_of(EXPECTED, "Write 'quarterly  total: 4711'.")
    assert "x" not in secrets_of(EXPECTED, "")


@pytest.mark.parametrize(
    "message",
    [
        "Write quarterly total:  4711 at the end.",
        "Run `make` first.",
        "Just click at (120, 44).",
        "Press Ctrl+S to save.",
        "Use =SUM(A1:A4) there.",
        "Open File -> Save as.",
        "You have to mkdir ~/out before.",
        "```\nx\n```",
    ],
)
def test_how_to_do_it_is_a_leak(message: str) -> None:
    assert leaks(message, secrets_of(EXPECTED, "Add the total."))


@pytest.mark.parametrize(
    "message",
    [
        "The total is missing from the report.",
        "I meant the sheet of this year, not the one of last year, and the file must keep its name.",
        "You saved it somewhere else than where I asked for.",
    ],
)
def test_what_is_wrong_is_no_leak(message: str) -> None:
    assert leaks(message, secrets_of(EXPECTED, "Add the total.")) == ()
