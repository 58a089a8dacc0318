"""Presentations, documents, pictures, databases and settings made to hurt whoever opens them."""

from __future__ import annotations

import io
import sqlite3
import zipfile

import pytest
from PIL import Image
from pydantic import JsonValue

from support.agreement.slides import Deck, Paragraph, Run, Shape, Slide
from tasks.office_files import archive, docx_file
from trueline.tasks.checkers.archive import read_archive
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.values import DatabaseRows, FileValue, Value
from trueline.tasks.errors import CheckerError

LAUGHS = b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><w>&b;</w>'
GOOD = Deck([Slide([Shape("auto", (0, 0, 1, 1), [Paragraph([Run("a")])])])]).file()


def bomb(suffix: str) -> FileValue:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file, file.open("ppt/presentation.xml", "w") as member:
        for _ in range(64):
            member.write(b" " * (1 << 20))
    return FileValue(f"bomb{suffix}", buffer.getvalue())


def with_part(file: FileValue, part: str, content: bytes) -> FileValue:
    return FileValue(file.name, archive({**read_archive(file.content), part: content}))


def huge_picture() -> FileValue:
    """A picture that says it has 100,000 by 100,000 pixels."""
    buffer = io.BytesIO()
    Image.new("1", (8, 8)).save(buffer, "PNG")
    content = bytearray(buffer.getvalue())
    content[16:24] = (100_000).to_bytes(4, "big") * 2
    return FileValue("a.png", bytes(content))


def good_picture() -> FileValue:
    buffer = io.BytesIO()
    Image.new("RGB", (16, 16), "red").save(buffer, "PNG")
    return FileValue("e.png", buffer.getvalue())


@pytest.mark.parametrize(
    ("function", "result", "expected", "options"),
    [
        ("compare_pptx_files", bomb(".pptx"), GOOD, {}),
        ("compare_pptx_files", with_part(GOOD, "ppt/slides/slide1.xml", LAUGHS), GOOD, {}),
        ("compare_pptx_files", with_part(GOOD, "ppt/_rels/presentation.xml.rels", b"<x/>"), GOOD, {}),
        ("check_transition", bomb(".pptx"), {"slide_idx": 0, "transition_type": "fade"}, {}),
        ("compare_docx_tables", bomb(".docx"), docx_file(["a"]), {}),
        ("compare_docx_tables", with_part(docx_file(["a"]), "word/document.xml", LAUGHS), docx_file(["a"]), {}),
        ("compare_images", huge_picture(), good_picture(), {}),
        ("check_structure_sim", FileValue("a.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n"), good_picture(), {}),
        ("is_vlc_playing", FileValue("status.xml", LAUGHS), {"type": "file_name", "file_name": "a"}, {}),
        ("find_default_font", FileValue("x.xcu", LAUGHS), {"font_name": "a"}, {}),
        ("check_left_panel", LAUGHS.decode(), None, {}),
        ("check_json_settings", FileValue("a.json", b"[" * 100_000), {"expected": {"a": 1}}, {}),
        ("check_direct_json_object", "[" * 100_000, {"expected": {"a": 1}}, {}),
        ("check_gnome_favorite_apps", "__import__('os').system('true')", {"expected": []}, {}),
        ("check_gnome_favorite_apps", "(" * 100_000, {"expected": []}, {}),
        ("run_sqlite3", FileValue("a.sqlite", b"SQLite format 3\0" + b"\xff" * 4000), {"sql": "SELECT a FROM t"}, {}),
        ("compare_table", FileValue("a.xlsx", bomb(".xlsx").content), None, {"rules": [{"type": "sheet_name"}]}),
    ],
)  # fmt: skip
def test_what_hurts_is_score_0(function: str, result: Value, expected: Value, options: dict[str, JsonValue]) -> None:
    checked = compute(function, result, expected, options)
    assert checked.score == 0
    assert checked.reason


def test_a_broken_expected_file_is_nobodys_score() -> None:
    for function, good, bad in (
        ("compare_pptx_files", GOOD, bomb(".pptx")),
        ("compare_docx_tables", docx_file(["a"]), bomb(".docx")),
        ("compare_images", good_picture(), huge_picture()),
    ):
        with pytest.raises(CheckerError):
            compute(function, good, bad, {})


def test_rows_of_a_database_are_read_where_memory_is_limited() -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE cookies (creation_utc, host_key, name, value)")
    database.execute("INSERT INTO cookies VALUES (1, '.example.com', 'id', x'00')")
    rows = DatabaseRows(FileValue("Cookies", database.serialize()))
    gone: dict[str, JsonValue] = {"type": "domains", "domains": ["example.org"]}
    assert compute("is_cookie_deleted", rows, gone, {}).score == 0, "public suffixes do not count"
    other: dict[str, JsonValue] = {"type": "domains", "domains": ["other.com"]}
    assert compute("is_cookie_deleted", rows, other, {}).score == 1
    broken = DatabaseRows(FileValue("Cookies", b"nothing"))
    assert compute("is_cookie_deleted", broken, gone, {}).score == 0
