"""Runs lines in bash, inside the sandbox, and records which marker programs ran. Needs nothing but Python."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

PROGRAMS = (
    "bash", "sh", "env", "cat", "xargs", "find", "tee", "timeout", "nohup", "setsid", "nice", "stdbuf", "flock", "tr",
)  # fmt: skip
LIMIT = 5.0
_SUBREAPER = 36
HERE = Path.cwd()
LOG = HERE / "log"
# One write, so that programs that run at the same time do not mix their entries.
MARKER = f"""#!/bin/dash
entry=${{0##*/}}
for word; do entry="$entry\x1f$word"; done
printf '%s\\036' "$entry" >> {LOG}
"""


def make_programs(markers: list[str]) -> str:
    """Make a folder with the markers and the few real programs; return it as a path for commands."""
    folder = HERE / "programs"
    folder.mkdir(exist_ok=True)
    for name in markers:
        (folder / name).write_text(MARKER)
        (folder / name).chmod(0o755)
    for name in PROGRAMS:
        found = shutil.which(name)
        link = folder / name
        if found and not link.exists():
            link.symlink_to(found)
    return str(folder)


def run(line: str, path: str) -> list[list[str]]:
    """Run one line in an empty folder and wait for all that it started."""
    LOG.write_bytes(b"")
    place = HERE / "place"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    environment = {"PATH": path, "HOME": str(HERE), "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(
        ["/bin/bash", "-c", line], cwd=place, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.0005)
        except ChildProcessError:
            break
    else:
        os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.05)
    process.returncode = 0
    entries = LOG.read_bytes().decode("utf-8", "replace").split("\x1e")[:-1]
    return [entry.split("\x1f") for entry in entries]


def main() -> None:
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    work = json.loads(Path("lines.json").read_text())
    path = make_programs(work["markers"])
    Path("ran.json").write_text(json.dumps([run(line, path) for line in work["lines"]]))


main()
