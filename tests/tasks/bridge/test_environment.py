"""Finding and installing the environment of OSWorld's package; nothing is downloaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import trueline
from trueline.errors import InputError
from trueline.tasks.bridge.environment import NoEnvironment, environment_folder, find_environment
from trueline.tasks.bridge.install import install_environment


def make_environment(folder: Path, *versions: str) -> Path:
    packages = folder / "lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(sys.executable)
    for version in versions:
        (packages / f"desktop_env-{version}.dist-info").mkdir()
    return folder


def test_the_variable_names_the_folder_and_a_checkout_has_its_own() -> None:
    checkout = Path(trueline.__file__).resolve().parents[2]
    assert environment_folder({"TRUELINE_OSWORLD": "/opt/osworld"}) == Path("/opt/osworld")
    assert environment_folder({}) == checkout / ".venv-osworld"


def test_what_is_missing_is_said_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment, match=r"not installed in .*; run: trueline tasks install-osworld$"):
        find_environment(tmp_path / "none")
    with pytest.raises(NoEnvironment, match=r"lacks desktop-env, and 1\.0\.2 is needed; run: trueline"):
        find_environment(make_environment(tmp_path / "bare"))
    with pytest.raises(NoEnvironment, match=r"holds desktop-env 0\.9, and 1\.0\.2 is needed"):
        find_environment(make_environment(tmp_path / "old", "0.9"))
    assert find_environment(make_environment(tmp_path / "good", "1.0.2")).folder == tmp_path / "good"


def test_an_environment_without_its_configuration_is_damaged(tmp_path: Path) -> None:
    found = find_environment(make_environment(tmp_path / "good", "1.0.2"))
    with pytest.raises(NoEnvironment, match="not a virtual environment"):
        _ = found.home
    (found.folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    assert found.home == Path("/usr")


def test_installing_refuses_a_folder_of_other_files_and_what_is_no_interpreter(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="holds other files; name a new or an empty folder"):
        install_environment(tmp_path)
    with pytest.raises(InputError, match="cannot be started"):
        install_environment(tmp_path / "new", str(tmp_path / "none"))
    with pytest.raises(InputError, match="is not a Python interpreter"):
        install_environment(tmp_path / "new", "/bin/true")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
