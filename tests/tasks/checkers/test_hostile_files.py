"""Files made to hurt whoever opens them."""

from __future__ import annotations

import asyncio
import io
import struct
import sys
import zipfile
from pathlib import Path

import pytest
from pydantic import JsonValue

from tasks.office_files import archive, docx_file
from trueline.tasks.checkers.archive import BadArchive, read_archive
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.isolated import compute_isolated
from trueline.tasks.checkers.metrics.workbook import open_book
from trueline.tasks.checkers.values import CheckResult, FileValue, LastRow
from trueline.tasks.errors import CheckerError

LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><w>&b;</w>"""


def test_an_archive_that_unpacks_to_gigabytes_is_not_unpacked() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file, file.open("word/document.xml", "w") as member:
        for _ in range(64):
            member.write(b" " * (1 << 20))
    content = buffer.getvalue()
    assert len(content) < 100_000
    with pytest.raises(BadArchive, match="unpacks to more than"):
        read_archive(content)
    assert_only_the_expected_side_is_an_error(FileValue("a.docx", content), docx_file(["a"]))


def assert_only_the_expected_side_is_an_error(bad: FileValue, good: FileValue, **options: JsonValue) -> None:
    """What an agent left is 0 with a reason, however absurd; the same file as the expected one is a checker error."""
    outcome = compute("compare_docx_files", bad, good, options)
    assert (outcome.score, bool(outcome.reason)) == (0.0, True)
    with pytest.raises(CheckerError):
        compute("compare_docx_files", good, bad, options)


def test_a_lie_about_the_size_does_not_help() -> None:
    content = bytearray(archive({"a.txt": b" " * (60 << 20)}))
    place = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, place + 24, 10)  # the size the directory claims
    with pytest.raises(BadArchive):
        read_archive(bytes(content))


def test_too_many_members_are_refused() -> None:
    many = archive({f"{number}": "" for number in range(4097)})
    with pytest.raises(BadArchive, match="more than 4096 members"):
        read_archive(many)
    assert_only_the_expected_side_is_an_error(FileValue("a.docx", many), docx_file(["a"]))


def test_a_text_too_long_to_be_compared() -> None:
    assert_only_the_expected_side_is_an_error(docx_file(["ab" * 160_000]), docx_file(["ab"]), content_only=True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_in_any_encoding(encoding: str) -> None:
    with pytest.raises(BadArchive, match="document type"):
        read_archive(archive({"word/document.xml": LAUGHS.decode().encode(encoding)}))


@pytest.mark.parametrize("name", ["word/document.bin", "media/image1.png", "x", "word/document.XML", "a.svg", "a.html"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp037"])
def test_entities_are_refused_whatever_the_part_is_called(name: str, encoding: str) -> None:
    with pytest.raises(BadArchive):
        read_archive(archive({name: LAUGHS.decode().encode(encoding)}))
    if encoding == "cp037":
        return  # no parser knows it without a declaration
    with pytest.raises(BadArchive):
        read_archive(archive({name: ("\n " + LAUGHS.decode().partition("?>")[2]).encode(encoding)}))


@pytest.mark.parametrize(
    "part", [LAUGHS, b"<w", b"no XML", b"\x89PNG", b"", b'<?xml version="1.0" encoding="cp037"?><w/>']
)
def test_a_document_whose_main_part_is_called_otherwise_scores_0(part: bytes) -> None:
    good = docx_file(["a"])
    rels = zipfile.ZipFile(io.BytesIO(good.content)).read("_rels/.rels").replace(b"word/document.xml", b"word/a.dat")
    bad = FileValue("a.docx", archive({"_rels/.rels": rels, "word/a.dat": part}))
    assert_only_the_expected_side_is_an_error(bad, good)


def test_a_picture_may_name_a_document_type() -> None:
    picture = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg/>'
    assert "Pictures/a.svg" in read_archive(archive({"Pictures/a.svg": picture, "Pictures/b.png": b"\x89PNG<!DOCTYPE"}))


def test_nothing_in_the_current_folder_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("lzma.py", "zipfile.py", "trueline.py", "pydantic.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('run')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f":{tmp_path}")
    good = docx_file(["a"])
    assert asyncio.run(compute_isolated("compare_docx_files", good, good, {})).score == 1


def damaged() -> bytes:
    content = bytearray(docx_file(["some text"]).content)
    content[60:90] = b"\0" * 30
    return bytes(content)


def encrypted() -> bytes:
    content = bytearray(docx_file(["some text"]).content)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [b"", b"PK", b"no archive", docx_file(["a"]).content[:-30], damaged(), encrypted(),
     archive({"a": ""}), archive({"_rels/.rels": "<r/>"}), archive({"_rels/.rels": "<r"})],
)  # fmt: skip
def test_what_is_no_document_scores_0_with_a_reason(content: bytes) -> None:
    outcome = compute("compare_docx_files", FileValue("a.docx", content), docx_file(["a"]), {})
    assert outcome.score == 0.0
    assert outcome.reason.startswith("a.docx")
    with pytest.raises(CheckerError, match="expected file"):
        compute("compare_docx_files", docx_file(["a"]), FileValue("a.docx", content), {})


SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'


@pytest.mark.parametrize(
    "inner",
    [
        '<sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
        '<sheetData/><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>',
        '<sheetData/><mergeCells><mergeCell ref="$A$1:$XFD$200"/></mergeCells>',
    ],
)
def test_a_sheet_that_reaches_too_far_is_not_opened(inner: str) -> None:
    book = FileValue("a.xlsx", archive({"xl/worksheets/sheet1.xml": SHEET.format(inner)}))
    with pytest.raises(BadArchive, match="more than 2000000 cells"):
        open_book(book.content)
    rules: dict[str, JsonValue] = {"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]}
    assert "more than 2000000 cells" in compute("compare_table", book, book, rules).reason
    assert "more than 2000000 cells" in compute("exact_match", LastRow(book), {"expected": []}, {}).reason


def test_a_pattern_that_never_ends_is_ended() -> None:
    rules: dict[str, JsonValue] = {"expect": ["(a+)+$"]}
    lines = FileValue("list.txt", b"a" * 60 + b"b")
    with pytest.raises(CheckerError, match="check_list: did not finish within 2 s"):
        asyncio.run(compute_isolated("check_list", lines, rules, {}, time_limit=2))


def test_values_and_files_reach_the_other_process_whole() -> None:
    async def play() -> list[CheckResult]:
        content = bytes(range(256)) * 1000
        files = (FileValue("a.csv", b"other"), FileValue("b.csv", content))
        return [
            await compute_isolated("compare_csv", FileValue("r.csv", content), files, {}),
            await compute_isolated("exact_match", {"é": [1, None]}, {"expected": {"é": [1, None]}}, {}),
            await compute_isolated("compare_csv", None, files, {}),
        ]

    assert [outcome.score for outcome in asyncio.run(play())] == [1.0, 1.0, 0.0]


def test_an_error_over_there_is_an_error_here() -> None:
    with pytest.raises(CheckerError, match=r"check_json: rules\.expect must be a list"):
        asyncio.run(compute_isolated("check_json", FileValue("a.json", b"{}"), {"expect": 1}, {}))


@pytest.mark.parametrize(
    "exhausting",
    ['echo \'{"error": "no memory", "exhausted": true}\'', "kill -XCPU $$"],
)
def test_who_is_to_blame_for_what_uses_up_memory_or_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, exhausting: str
) -> None:
    """A stand-in for the process that exhausts itself wherever a file called bomb is opened."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\ncase "$(cat)" in *bomb*) {exhausting};; *) echo "{{\\"score\\": 1.0}}";; esac\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))

    def played(function: str, result: FileValue, expected: FileValue | dict[str, JsonValue]) -> CheckResult:
        return asyncio.run(compute_isolated(function, result, expected, {}))

    good, bad = docx_file(["a"]), docx_file(["a"], name="bomb.docx")
    assert played("compare_docx_files", good, good).score == 1
    left = played("compare_docx_files", bad, good)
    assert (left.score, "too large to check" in left.reason) == (0.0, True)
    with pytest.raises(CheckerError, match="the expected value is too large to check"):
        played("compare_docx_files", good, bad)
    if "XCPU" in exhausting:
        # A pattern that never ends is a wrong rule.
        with pytest.raises(CheckerError, match="CPU time"):
            played("check_list", bad, {"expect": ["(a+)+$"]})
    else:
        assert played("check_list", bad, {"expect": ["a"]}).score == 0


def test_no_key_reaches_that_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\necho "key=<$OPENAI_API_KEY> home=<$HOME>" >&2\nexit 3\n')
    program.chmod(0o755)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(CheckerError, match="ended with 3: key=<> home=</home/somebody>"):
        asyncio.run(compute_isolated("check_list", None, {"expect": ["a"]}, {}))
