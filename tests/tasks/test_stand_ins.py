"""Stand-ins: files of the right type, the same each time, that readers of their formats accept."""

from __future__ import annotations

import asyncio
import csv
import importlib
import io
import json
import mailbox
import tarfile
import uuid
import wave
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tasks.samples import task, write_suite
from trueline.errors import InputError
from trueline.runs.prepare import open_run
from trueline.runs.request import RunRequest
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.values import FileValue
from trueline.tasks.downloads import Downloads
from trueline.tasks.mirror import FolderMirror, open_mirror
from trueline.tasks.model import Task
from trueline.tasks.stand_ins.folder import write_stand_ins
from trueline.tasks.stand_ins.generate import generate
from trueline.tasks.stand_ins.wanted import Wanted, wanted_files

HOST = "https://files.example"
ENDINGS = (
    "docx", "odt", "xlsx", "ods", "xls", "pptx", "odp", "pdf", "png", "jpg", "gif", "svg", "xcf", "mp3", "wav", "mp4",
    "epub", "vsix", "csv", "json", "py", "html", "txt", "zip", "tar.gz", "tar.xz", "sh", "eml", "srt",
)  # fmt: skip


def made(name: str, source: str = f"{HOST}/a", **more: Any) -> bytes:
    return generate(Wanted(source, [name], **more)).content


def a_task(*steps: object, **more: object) -> Task:
    return Task.model_validate_json(json.dumps(task(config=steps, **more)))  # pyright: ignore[reportArgumentType]


def download(url: str, path: str) -> dict[str, object]:
    return {"type": "download", "parameters": {"files": [{"url": url, "path": path}]}}


def execute(*command: str) -> dict[str, object]:
    return {"type": "execute", "parameters": {"command": list(command)}}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_depends_on_its_address_alone(ending: str) -> None:
    name = f"a.{ending}"
    assert made(name) == made(name)
    assert made(name) != made(name, f"{HOST}/b")


@pytest.mark.parametrize(("ending", "function"), [("docx", "compare_docx_files"), ("odt", "compare_docx_files"),
                                                  ("pptx", "compare_pptx_files"),
                                                  ("docx", "compare_docx_tables")])  # fmt: skip
def test_checkers_tell_stand_ins_apart(ending: str, function: str) -> None:
    one, other = (FileValue(f"a.{ending}", made(f"a.{ending}", f"{HOST}/{name}")) for name in "ab")
    assert compute(function, one, one, {}).score == 1
    assert compute(function, one, other, {}).score == 0


@pytest.mark.full
def test_a_workbook_has_the_sheets_that_checkers_name() -> None:
    openpyxl: Any = importlib.import_module("openpyxl")
    options = {"rules": [{"type": "sheet_data", "sheet_idx0": "RNTotals", "sheet_idx1": "EI4"}]}
    expected = {"type": "cloud_file", "path": f"{HOST}/gold", "dest": "Gold.xlsx"}
    one = a_task(evaluator={"func": "compare_table", "expected": expected, "options": options})
    (wanted,) = wanted_files([one])
    book = openpyxl.load_workbook(io.BytesIO(generate(wanted).content))
    assert book.sheetnames == ["Sheet1", "Sheet2", "Sheet3", "Sheet4", "Sheet5", "Totals"]
    assert book["Totals"].max_row == 41


def test_pictures_sound_and_tables_are_what_their_names_say() -> None:
    assert Image.open(io.BytesIO(made("a.jpg"))).format == "JPEG"
    assert Image.open(io.BytesIO(made("a.PNG"))).size == (640, 480)
    with wave.open(io.BytesIO(made("a.wav"))) as file:
        assert file.getnframes() >= 6 * 16_000
    rows = [*csv.reader(io.StringIO(made("a.csv").decode()))]
    assert len(rows) == 41 and {len(row) for row in rows} == {8}


def test_a_document_has_the_title_by_which_its_window_is_found() -> None:
    window = {"type": "activate_window", "parameters": {"window_name": "a.pdf — Über (alles)"}}
    (wanted,) = wanted_files([a_task(download(f"{HOST}/p", "/home/user/a.pdf"), window)])
    assert b"/Title<FEFF%s>" % "Über (alles)".encode("utf-16-be").hex().encode() in generate(wanted).content


def test_an_archive_holds_what_the_setup_then_uses() -> None:
    one = a_task(
        download(f"{HOST}/exam", "/home/user/exam.zip"),
        execute("/bin/bash", "-c", "cd ~/Downloads && mkdir -p out && unzip -q ../exam.zip -d /home/user/ && ls"),
        {"type": "open", "parameters": {"path": "/home/user/exam/The answers.docx"}},
        execute("code", "/home/user/exam/src"),
        download(f"{HOST}/other", "/home/user/exam/brought.txt"),
    )
    wanted, _ = wanted_files([one])
    with zipfile.ZipFile(io.BytesIO(generate(wanted).content)) as file:
        names = file.namelist()
        assert zipfile.is_zipfile(io.BytesIO(file.read("exam/The answers.docx")))
    assert "exam/src/main.py" in names and "exam/brought.txt" not in names


def test_a_mail_profile_is_where_checkers_look_for_it() -> None:
    path = "/home/user/.thunderbird/abc.default/ImapMail/mail.example/msgFilterRules.dat"
    one = a_task(
        download(f"{HOST}/p", "/home/user/thunderbird-profile.tar.gz"),
        execute("tar", "-xz", "-f", "/home/user/thunderbird-profile.tar.gz", "-C", "/home/user/"),
        evaluator={"func": "check_list", "result": {"type": "vm_file", "path": path, "dest": "x"}},
        instruction="Write to kim@mail.example.",
    )
    (wanted,) = wanted_files([one])
    with tarfile.open(fileobj=io.BytesIO(generate(wanted).content)) as file:
        names = file.getnames()
        prefs = _text(file, ".thunderbird/abc.default/user.js")
        inbox = _text(file, ".thunderbird/abc.default/Mail/Local Folders/Inbox")
    assert ".thunderbird/abc.default/ImapMail/mail.example" in names
    assert 'user_pref("mail.identity.id1.useremail", "kim@mail.example");' in prefs
    assert inbox.count("\nTo: kim@mail.example") == 8


def _text(file: tarfile.TarFile, name: str) -> str:
    member = file.extractfile(name)
    assert member is not None
    return member.read().decode()


def test_a_folder_of_mails_is_one(tmp_path: Path) -> None:
    expected = {"type": "cloud_file", "path": f"{HOST}/x.bin", "dest": "gold"}
    one = a_task(evaluator={"func": "check_thunderbird_folder", "expected": expected})
    (tmp_path / "gold").write_bytes(generate(*wanted_files([one])).content)
    with closing(mailbox.mbox(tmp_path / "gold")) as folder:
        assert len(folder) == 5


def test_a_hostile_task_names_no_path_outside_its_archive_or_folder(tmp_path: Path) -> None:
    upload = {"type": "upload_file", "parameters": {"files": [{"local_path": "../out.txt", "path": "/tmp/x"}]}}
    one = a_task(
        download(f"{HOST}/..%2f..%2fx.zip", "/home/user/a/../../../x.zip"),
        execute("unzip", "x.zip", "-d", "/home/user/a"),
        execute("code", "/home/user/a/../../etc/passwd"),
        upload,
    )
    written = write_stand_ins([one], tmp_path / "made")
    assert [*written.failed] == ["../out.txt"] and not (tmp_path / "out.txt").exists()
    (path,) = (path for path in (tmp_path / "made").iterdir() if path.suffix == ".zip")
    with zipfile.ZipFile(path) as file:
        assert not any(".." in name or name.startswith("/") for name in file.namelist())


def test_a_folder_is_a_mirror_and_writing_it_again_changes_nothing(tmp_path: Path) -> None:
    one = a_task(download(f"{HOST}/d?id=1", "/home/user/a.docx"), download(f"{HOST}/d?id=2", "b.docx"))
    assert write_stand_ins([one], tmp_path / "made").new == 2
    again = write_stand_ins([one], tmp_path / "made")
    assert (again.new, again.there) == (0, 2)
    mirror = open_mirror(str(tmp_path / "made"))
    first, second = (mirror.find(f"{HOST}/d?id={number}") for number in (1, 2))
    assert first is not None and second is not None and first.read_bytes() != second.read_bytes()


def test_files_of_another_kind_never_become_stand_ins(tmp_path: Path) -> None:
    (tmp_path / "real.docx").write_bytes(b"x")
    with pytest.raises(InputError, match="has other files in it"):
        write_stand_ins([a_task()], tmp_path)


def test_the_environment_of_a_run_says_that_its_files_are_stand_ins(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"os": [task(config=[download(f"{HOST}/a", "/home/user/a.txt")])]})  # pyright: ignore[reportArgumentType]
    write_stand_ins([a_task(download(f"{HOST}/a", "/home/user/a.txt"))], tmp_path / "made")
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / f"{uuid.uuid5(uuid.NAMESPACE_URL, f'{HOST}/a')}_a.txt").write_text("real")

    async def digest(mirror: str) -> tuple[object, str]:
        request = RunRequest(suite=str(suite), agent="noop", result_dir=tmp_path / "results", mirror=mirror)
        async with open_run(request, dry=True) as run:
            return run.setting.environment.options.get("assets"), run.setting.digest

    (says, made_digest), (nothing, real_digest) = (
        asyncio.run(digest(str(tmp_path / name))) for name in ("made", "real")
    )
    assert (says, nothing) == ("stand-in assets", None) and made_digest != real_digest
    # A folder that was copied together with real files is no longer one of real files.
    assert Downloads(tmp_path, mirror=FolderMirror(tmp_path)).has_stand_ins
