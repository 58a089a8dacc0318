"""Mirrors: which file of a folder stands for an address, and which addresses a web mirror is asked for."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

import pytest

from trueline.errors import InputError
from trueline.tasks.downloads import DownloadError, Downloads
from trueline.tasks.mirror import open_mirror

URL = "https://files.example/data/resolve/main/gimp/4711/Gold%20file.png?download=true"


def folder(tmp_path: Path, *names: str) -> Path:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["files.example/data/resolve/main/gimp/4711/Gold file.png"], 0),
        (["gimp/4711/Gold file.png", "gimp/4712/Gold file.png"], 0),
        (["x/4711/Gold file.png"], 0),
        ([f"cache/t/{uuid.uuid5(uuid.NAMESPACE_URL, URL)}_pic.png", "4711/Gold file.png"], 0),
        (["Gold file.png"], None),
        (["other/Gold file.png"], None),
        (["a/4711/Gold file.png", "b/4711/Gold file.png"], None),
        ([], None),
    ],
)
def test_files_are_recognised_by_the_end_of_their_path(tmp_path: Path, names: list[str], found: int | None) -> None:
    mirror = open_mirror(str(folder(tmp_path, *names)))
    assert mirror.find(URL) == (None if found is None else tmp_path / names[found])


def test_files_of_google_drive_are_recognised_by_their_id(tmp_path: Path) -> None:
    mirror = open_mirror(str(folder(tmp_path, "1Ab_c.xlsx", "1De")))
    assert mirror.find("https://drive.google.com/uc?export=download&id=1Ab_c") == tmp_path / "1Ab_c.xlsx"
    assert mirror.find("https://drive.google.com/uc?id=1De&export=download") == tmp_path / "1De"
    assert mirror.find("https://drive.google.com/uc?id=..%2f1De") is None


@pytest.mark.parametrize("url", ["https://h/../../etc/passwd", "https://h/%2e%2e/etc/passwd", "file:///etc/passwd", ""])
def test_no_address_names_a_file_outside(tmp_path: Path, url: str) -> None:
    assert open_mirror(str(tmp_path)).find(url) is None


def test_a_file_of_a_mirror_is_used_and_not_cached(tmp_path: Path) -> None:
    mirror = open_mirror(str(folder(tmp_path / "mirror", "4711/Gold file.png")))
    downloads = Downloads(tmp_path / "cache", offline=True, mirror=mirror)
    assert downloads.has(URL)
    assert asyncio.run(downloads.fetch(URL)).read_text() == "4711/Gold file.png"
    assert not Downloads(tmp_path / "cache").has(URL)
    with pytest.raises(DownloadError, match="--offline is set"):
        asyncio.run(Downloads(tmp_path / "cache", offline=True, mirror=mirror, largest=3).fetch(URL))


def test_addresses_of_a_web_mirror() -> None:
    mirror = open_mirror("https://mirror.example/osworld/")
    assert mirror.addresses("https://files.example/a/b?c=d") == (
        "https://mirror.example/osworld/a/b?c=d",
        "https://mirror.example/osworld/files.example/a/b?c=d",
    )


@pytest.mark.parametrize("named", ["/nowhere/at/all", "ftp://host/x", "https://", "https://host/?a=b"])
def test_what_is_no_mirror_is_refused(named: str) -> None:
    with pytest.raises(InputError, match=r"mirror .*: (must be a folder|no such folder)"):
        open_mirror(named)
