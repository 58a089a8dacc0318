"""JSON that two parsers could read in two ways."""

from __future__ import annotations

import pytest

from trueline.strict_json import parse_strict


def test_plain_json() -> None:
    assert parse_strict('{"a": [1, 2.5, {"a": null}], "b": "\\u00e4"}') == {"a": [1, 2.5, {"a": None}], "b": "ä"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "'a' appears twice"),
        ('{"x": [{"b": 1, "c": 2, "b": 1}]}', "'b' appears twice"),
        ('{"a": 1, "\\u0061": 2}', "'a' appears twice"),
        ("NaN", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("1e999", "1e999 is not a number"),
        ("[" * 150 + "]" * 150, "nested deeper"),
        ("[" * 200_000, "nested deeper|Expecting"),
        ("9" * 5000, "digits"),
        ("{'a': 1}", "Expecting"),
        ("", "Expecting"),
    ],
)
def test_what_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_strict(text)
