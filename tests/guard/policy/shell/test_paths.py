from __future__ import annotations

import pytest

from trueline.guard.policy.shell.paths import normal_path, whole_folder


@pytest.mark.parametrize(
    ("word", "folder", "path"),
    [
        ("/home/ann/x", None, "~/x"),
        ("/root", None, "~"),
        ("~ann/x", None, "~/x"),
        ("$HOME/x/../y", None, "~/y"),
        ("//etc///passwd", None, "/etc/passwd"),
        ("x", "~/a", "~/a/x"),
        ("../x", "~/a/b", "~/a/x"),
        ("x/./y", None, "x/y"),
        ("file:///etc", None, "/etc"),
        ("/", None, "/"),
        ("~/a/", None, "~/a/"),
    ],
)
def test_paths_get_one_form(word: str, folder: str | None, path: str) -> None:
    assert normal_path(word, folder) == path


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("~/a/*", "~/a"),
        ("~/a/.[!.]*", "~/a"),
        ("/*", "/"),
        ("~/a/*/*", "~/a"),
        ("~/a/", "~/a"),
        ("~/a/*.tmp", "~/a/*.tmp"),
        ("~/a/b*", "~/a/b*"),
    ],
)
def test_all_of_a_folder_is_the_folder(path: str, folder: str) -> None:
    assert whole_folder(path) == folder
