"""Rows as text, HTML and CSV."""

from __future__ import annotations

import csv
import io

from trueline.tables import count_lines, csv_table, html_table, text_table


def test_text_columns_are_as_wide_as_a_terminal_shows_them() -> None:
    rows = [["name", "n"], ["日本", "1"], ["e\u0301", "22"]]
    assert text_table(rows).splitlines() == [
        "name | n",
        "-----|---",
        "日本 | 1",
        "e\u0301    | 22",
    ]
    assert text_table(rows, ruled=False).splitlines() == ["name  n", "日本  1", "e\u0301     22"]


def test_the_last_alignment_holds_for_the_columns_that_follow() -> None:
    rows = [["name", "runs", "n"], ["日本", "1", "222"]]
    assert text_table(rows, ruled=False, align="lr").splitlines() == ["name  runs    n", "日本     1  222"]
    assert text_table(rows, ruled=False, align="rl").splitlines() == ["name  runs  n", "日本  1     222"]


def test_counts_have_their_numbers_in_front() -> None:
    assert count_lines([("aligned", 7), ("misaligned", 1234)]) == ["     7  aligned", "  1234  misaligned"]
    assert count_lines([]) == []


def test_html_is_escaped() -> None:
    assert html_table([["<th>"], ['<script>"&']]) == (
        "<table><thead><tr><th>&lt;th&gt;</th></tr></thead>"
        "<tbody><tr><td>&lt;script&gt;&quot;&amp;</td></tr></tbody></table>"
    )


def test_no_text_becomes_a_formula() -> None:
    rows = [["=1+1", "-x", "@a", "plain, quoted", -0.5, None]]
    found = list(csv.reader(io.StringIO(csv_table(list("abcdef"), rows))))
    assert found == [list("abcdef"), ["'=1+1", "'-x", "'@a", "plain, quoted", "-0.5", ""]]
