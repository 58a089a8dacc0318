"""Implementations by name: built in, from installed packages, and by import path."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueline.errors import InputError
from trueline.registry import Registry

GROUP = "trueline.shapes"


def _number(name: str, found: object) -> int:
    if not isinstance(found, int):
        raise InputError(f"shape {name!r} must be a number")
    return found


def registry(*, import_paths: bool = False) -> Registry[int]:
    return Registry(
        "shape", GROUP, {"week": "calendar:SUNDAY", "text": "string:digits"}, _number, import_paths=import_paths
    )


def install(folder: Path, name: str, points: str, code: str = "") -> None:
    """What `pip install` leaves of a package with entry points."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{points}\n")
    (folder / f"{name}.py").write_text(code)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_builtin() -> None:
    assert registry().find("week") == 6
    assert registry().names() == ("week", "text")
    assert "week" in registry()
    assert "circle" not in registry()


def test_installed_package(packages: Path) -> None:
    install(packages, "circles", "circle = circles:CIRCLE", "CIRCLE = 3")
    assert registry().find("circle") == 3
    assert registry().names() == ("week", "text", "circle")


def test_unknown_name_lists_the_choices() -> None:
    with pytest.raises(InputError, match=r"^unknown shape 'cirle'; choose one of week, text$"):
        registry().find("cirle")
    with pytest.raises(InputError, match=r"choose one of week, text, or name your own as package\.module:Class"):
        registry(import_paths=True).find("cirle")


def test_import_path_only_where_allowed() -> None:
    assert registry(import_paths=True).find("calendar:MONDAY") == 0
    with pytest.raises(InputError, match="unknown shape"):
        registry().find("calendar:MONDAY")


def test_wrong_shape() -> None:
    with pytest.raises(InputError, match="must be a number"):
        registry().find("text")


def test_a_name_has_one_meaning(packages: Path) -> None:
    install(packages, "rivals", "week = rivals:WEEK", "WEEK = 7")
    with pytest.raises(InputError, match=r"shape 'week' is defined more than once: also by rivals:WEEK"):
        registry().find("week")
    install(packages, "ovals", "oval = ovals:OVAL", "OVAL = 1")
    install(packages, "eggs", "oval = eggs:OVAL", "OVAL = 2")
    with pytest.raises(InputError, match="defined more than once"):
        registry().find("oval")


def test_a_package_that_cannot_be_imported_is_one_line(packages: Path) -> None:
    install(packages, "broken", "broken = broken:BROKEN", "raise OSError('no disk')")
    with pytest.raises(InputError, match=r"broken:BROKEN: the module cannot be imported: OSError: no disk"):
        registry().find("broken")


def test_a_package_is_not_replaced_by_a_module_in_the_current_folder(
    packages: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(packages, "rings", "ring = rings:RING", "RING = 8")
    here = tmp_path_factory.mktemp("here")
    (here / "rings.py").write_text("RING = 666")
    monkeypatch.chdir(here)
    assert registry().find("ring") == 8


def test_provides_imports_only_packages(packages: Path) -> None:
    install(packages, "lines", "line = lines:LINE", "LINE = 'straight'")
    assert registry().provides("text")  # found, it would be refused: it is no number
    assert not registry().provides("curve")
    with pytest.raises(InputError, match="shape 'line' must be a number"):
        registry().provides("line")
