from __future__ import annotations

import pytest

from trueline.actions.shell.paths import could_be, normal_path, whole_folder


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
        ("/home/*/x", None, "~/x"),
        ("/home/*", None, "/home/*"),
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


@pytest.mark.parametrize(
    ("path", "pattern", "above", "fits"),
    [
        ("~/Doc*", "~/Documents", False, True),
        ("~/[D]ocum?nts", "~/Documents", False, True),
        ("~/doc*", "~/Documents", False, False),
        ("~/*.tmp", "~/Documents", False, False),
        ("~/Doc*/build", "~/Documents", True, False),
        ("/v*", "/var/lib", True, True),
        ("/v*", "/var/lib", False, False),
        ("~/.s*/id_rsa", "~/.ssh/id_*", False, True),
        ("~/.s*/id_?sa", "~/.ssh/id_*", False, True),
        ("~/.s?h/known_hosts", "~/.ssh/id_*", False, False),
        ("~/.ss[gh]/[i]*", "~/.ssh/id_*", False, True),
        ("~/.s*/b*c*", "~/.ssh/a*b*c", False, False),
        ("~/.s*/*b*c*", "~/.ssh/a*b*c", False, True),
        ("~/.s*/[*]", "~/.ssh/[*]", False, True),
        (f"~/.s*/{'a*' * 3000}", f"~/.ssh/{'*b' * 3000}", False, False),
        ("/etc/shado?", "/etc/shadow*", False, True),
        ("~/.s*/id_x", "~/.ssh/id_*", False, True),
        ("~/*/id_x", "~/.ssh/id_*", False, False),
        ("*", "*.kdbx", False, False),
        ("~/Documents", "~/Documents", False, False),
    ],
)
def test_a_wildcard_fits_what_it_can_stand_for(path: str, pattern: str, above: bool, fits: bool) -> None:
    assert could_be(path, pattern, above=above) is fits
