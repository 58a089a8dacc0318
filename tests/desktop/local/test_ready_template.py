"""How the template is made ready: what is copied, and that crashes and company do no harm."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from trueline.desktop.local.ready_template import copy_home

PREPARE = (
    "import asyncio; from trueline.desktop.local.ready_template import ready_template; "
    "print(asyncio.run(ready_template()))"
)


def test_what_only_a_running_program_means_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, made = tmp_path / "home", tmp_path / "made"
    chrome, office = home / ".config/google-chrome", home / ".config/libreoffice/4/user"
    for folder in (chrome, office, home / "Documents"):
        folder.mkdir(parents=True)
    (chrome / "SingletonLock").symlink_to("desktop-72")
    (home / ".config/chromium").symlink_to("google-chrome")
    for path in (chrome / "Preferences", home / ".parentlock", office / ".lock", home / "Documents/.keep"):
        path.write_text("x")
    (office / "registrymodifications.xcu").write_text(
        '<item><prop oor:name="ooSetupFactoryWindowAttributes" oor:op="fuse"><value>0,54,2,2;5;0,54,9,9;</value></item>'
    )
    monkeypatch.chdir(home)  # a socket's name is short
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("bus")
        copy_home(home, made)
    found = {str(path.relative_to(made)) for path in made.rglob("*") if not path.is_dir() or path.is_symlink()}
    assert found == {
        ".config/chromium", ".config/google-chrome/Preferences",
        ".config/libreoffice/4/user/registrymodifications.xcu",
    }  # fmt: skip
    assert os.readlink(made / ".config/chromium") == "google-chrome" and (made / "Documents").is_dir()
    text = (made / ".config/libreoffice/4/user/registrymodifications.xcu").read_text()
    assert "2,2" not in text and "<value>120,90,1200,800;5;0,54,9,9;</value>" in text


@pytest.mark.full
def test_a_crash_in_the_middle_and_two_at_once_make_one_template(machine: None, tmp_path: Path) -> None:
    # pytest's own folders are closed to the user that runs sandboxes; how many there are depends on its workers.
    for folder in (tmp_path, *tmp_path.parents):
        if folder == Path(tempfile.gettempdir()):
            break
        folder.chmod(0o755)
    env = {**os.environ, "TRUELINE_CACHE_DIR": str(tmp_path / "cache")}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", PREPARE], env=env, stdout=subprocess.PIPE)

    with start() as crashed:
        end = time.monotonic() + 60
        while not (tmp_path / "cache/desktop/ready.lock").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        crashed.kill()
    with start() as one, start() as other:
        answers = {process.communicate(timeout=300)[0] for process in (one, other)}
    (path,) = answers
    ready = Path(path.decode().strip())
    assert ready.is_dir() and [folder.name for folder in ready.parent.glob("ready-*")] == [ready.name]
    assert (ready / ".thunderbird/profiles.ini").is_file() and (ready / ".config/google-chrome/Default").is_dir()
    assert not (ready / "thunderbird").exists()
