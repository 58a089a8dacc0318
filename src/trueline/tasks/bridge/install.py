"""Installs OSWorld's own package in an environment of its own, with pip and pinned, hashed versions."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from pathlib import Path

from trueline.errors import InputError, TruelineError
from trueline.tasks.bridge.environment import NoEnvironment, OSWorldEnvironment, find_environment
from trueline.text import printable

STAMP = ".trueline-osworld"
"""In the environment: a digest of what was installed, written once all of it was."""
_REQUIREMENT = re.compile(rb"^([A-Za-z0-9._-]+)==", re.MULTILINE)
_OLDEST = (3, 11)
_TAIL = 8
Tell = Callable[[str], None]


class InstallError(TruelineError):
    """Pip or venv failed. Run the command again to continue: what was downloaded is in pip's cache."""


def install_environment(folder: Path, python: str | None = None, tell: Tell = lambda _: None) -> OSWorldEnvironment:
    """Make the environment, or complete one; returns at once if it is complete.

    Args:
        folder: Where it goes: a new or empty folder, or an environment of an earlier call.
        python: The interpreter it is made with, Python 3.11 or newer; by default the one that runs this.
        tell: Gets a line for each step.

    Raises:
        InputError: The folder holds something else, or there is no such interpreter.
        InstallError: It could not be installed; the message ends with what pip said.
    """
    folder = folder.absolute()
    requirements = (resources.files("trueline.tasks.bridge") / "requirements.txt").read_bytes()
    version = _version_of(python or sys.executable)
    stamp = hashlib.sha256(f"{version}\0{folder}\0".encode() + requirements).hexdigest()
    if _is_complete(folder, stamp):
        return find_environment(folder)
    _make(folder, python or sys.executable, tell)
    with resources.as_file(resources.files("trueline.tasks.bridge") / "requirements.txt") as path:
        _pip(folder, path, len(_REQUIREMENT.findall(requirements)), tell)
    found = find_environment(folder)
    (folder / STAMP).write_text(stamp, "ascii")
    return found


def _is_complete(folder: Path, stamp: str) -> bool:
    try:
        find_environment(folder)
        return (folder / STAMP).read_text("ascii") == stamp
    except (NoEnvironment, OSError, ValueError):
        return False


def _version_of(python: str) -> str:
    line = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that the user names
            [python, "-I", "-c", line], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"--python {printable(python)}: cannot be started ({error})") from None
    version = done.stdout.strip()
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise InputError(f"--python {printable(python)}: is not a Python interpreter")
    if tuple(map(int, version.split(".")[:2])) < _OLDEST:
        raise InputError(f"--python {printable(python)}: is Python {version}; name one of 3.11 or newer")
    return version


def _make(folder: Path, python: str, tell: Tell) -> None:
    """Make the virtual environment, unless it works; one that does not is made anew."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / "pyvenv.cfg").is_file():
            raise InputError(f"--dir {printable(str(folder))}: holds other files; name a new or an empty folder")
        if _works(folder):
            return
        tell(f"{folder} does not work any more; it is made anew")
        shutil.rmtree(folder)
    tell(f"making {folder} with {python}")
    done = subprocess.run(  # noqa: S603 - checked above
        [python, "-m", "venv", str(folder)], capture_output=True, text=True, check=False, env=_environment()
    )
    if done.returncode:
        said = printable((done.stdout + done.stderr).strip().rpartition("\n")[2], 300)
        raise InstallError(
            f"{printable(str(folder))}: no virtual environment can be made ({said}); "
            "on Debian and Ubuntu: sudo apt-get install -y python3-venv"
        )


def _works(folder: Path) -> bool:
    """Whether its interpreter starts, and knows the folder as its own: environments cannot be moved."""
    line = "import sys, pip; print(sys.prefix)"
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(  # noqa: S603 - an environment that this made
            [str(folder / "bin/python"), "-I", "-c", line], capture_output=True, text=True, check=False, timeout=60
        )
        return done.returncode == 0 and Path(done.stdout.strip()).resolve() == folder.resolve()
    return False


def _pip(folder: Path, requirements: Path, total: int, tell: Tell) -> None:
    argv = [str(folder / "bin/python"), "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
            "--progress-bar", "off", "--no-deps", "--require-hashes", "-r", str(requirements)]  # fmt: skip
    process = subprocess.Popen(  # noqa: S603 - a fixed command line
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env=_environment(), start_new_session=True,
    )  # fmt: skip
    said: deque[str] = deque(maxlen=_TAIL)
    done = 0
    try:
        assert process.stdout is not None, "it is a pipe"
        for line in process.stdout:
            said.append(line.strip())
            if line.startswith(("Collecting ", "Requirement already satisfied: ")):
                done += 1
                name = line.removeprefix("Collecting ").removeprefix("Requirement already satisfied: ").split()[0]
                tell(f"{done}/{total} {printable(name, 80)}")
            elif line.startswith("Installing collected packages"):
                tell(f"installing {total} packages")
        process.wait()
    finally:
        if process.poll() is None:  # interrupted
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode:
        errors = [line for line in said if line.startswith("ERROR")] or [line for line in said if line][-1:]
        raise InstallError(
            f"{printable(str(folder))}: pip ended with {process.returncode}: {printable(' '.join(errors), 500)}; "
            "run the command again to continue"
        )


def _environment() -> dict[str, str]:
    """Ours, without what would let our packages stand in for those of the environment."""
    kept = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {name: value for name, value in os.environ.items() if name not in kept}
