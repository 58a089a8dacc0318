"""Runs programs for real and tells what each did: the files it touched, the markers that ran, where it connected.

Run as `python python_observed.py FOLDER < programs.json`; each program runs in a process of its own, in a new folder
that is also its home, with the audit hook of Python writing down what happens.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

SECONDS = 10
_FILES = {
    "open": None, "os.remove": "delete", "os.rmdir": "delete", "os.mkdir": "write", "os.listdir": "read",
    "os.scandir": "read", "os.truncate": "write", "os.chmod": "write", "os.rename": "rename", "os.link": "link",
    "os.symlink": "link", "shutil.rmtree": "delete", "glob.glob": None,
}  # fmt: skip
_RELATIVE = frozenset({"os.remove", "os.rmdir", "os.mkdir"})
_MARK = '#!/bin/sh\nprintf "%s\\037" "${0##*/}" "$@" >> "$MARKS"; printf "\\n" >> "$MARKS"\n'


def prepare(folder: Path) -> None:
    """Make the folder that a program runs in."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.cfg", "sub/d.txt", "sub/e.log"):
        (folder / name).write_text("x = 1\n")


def observe(program: str, folder: Path, markers: Path, number: int) -> list[list[str]]:
    """Run a program; return what it did as kind and thing."""
    # A marker that a program left running may write after its end: each program has a file of its own.
    home, log, marks = folder / "home", folder / "log", folder / f"marks{number}"
    prepare(home)
    log.unlink(missing_ok=True)
    marks.write_text("")
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            _run(program, home, log, marks, markers)
        os._exit(0)
    os.waitpid(child, 0)
    seen = [line.split("\0") for line in log.read_text().split("\n") if line] if log.exists() else []
    seen += [["run", *line.split("\037")[:-1]] for line in marks.read_text().split("\n") if line]
    return seen


def _run(program: str, home: Path, log: Path, marks: Path, markers: Path) -> None:
    import signal

    signal.alarm(SECONDS)
    os.chdir(home)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.environ.update(HOME=str(home), PATH=f"{markers}:{os.environ['PATH']}", MARKS=str(marks))
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def told(event: str, args: tuple[Any, ...]) -> None:
        for kind, thing in events(event, args, home):
            os.write(out, f"{kind}\0{thing}\n".encode("utf-8", "replace"))

    sys.addaudithook(told)
    space = {"__name__": "__main__", "__builtins__": __builtins__}
    try:
        exec(compile(program, "<program>", "exec"), space)
    finally:
        import atexit

        getattr(atexit, "_run_exitfuncs")()  # noqa: B009


def events(event: str, args: tuple[Any, ...], home: Path) -> list[tuple[str, str]]:
    """What an audit event says, as far as it is about the program's own folder or the network."""
    if event == "socket.connect":
        return [("connect", str(args[1][0]) if isinstance(args[1], tuple) else "")]
    if event not in _FILES or (event in _RELATIVE and args[-1] not in (-1, None)):
        return []  # what is relative to an open folder belongs to `shutil.rmtree`, which is an event of its own
    kind = _FILES[event]
    if event == "open":
        path, mode, flags = args
        writes = (
            bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
            if mode is None
            else bool(set(str(mode)) & set("wax+"))
        )
        kind = "write" if writes else "read"
        return _inside([(kind, path)], home)
    if event == "os.rename":
        return _inside([("delete", args[0]), ("write", args[1])], home)
    if event in ("os.link", "os.symlink"):
        return _inside([("write", args[1])], home)
    return _inside([(kind, args[0])], home) if kind else []


def _inside(found: list[tuple[str, Any]], home: Path) -> list[tuple[str, str]]:
    kept: list[tuple[str, str]] = []
    for kind, path in found:
        if path is None:
            path = "."
        if not isinstance(path, str | bytes | os.PathLike) or os.fsdecode(path).startswith("<"):
            continue  # `<program>`: a traceback looks for its source
        whole = os.path.normpath(os.path.join(home, os.fsdecode(path)))
        if whole == str(home) or whole.startswith(str(home) + "/"):
            kept.append((kind, os.path.relpath(whole, home)))
    return kept


def main(folder: Path) -> None:
    """Observe the programs of the input, one answer a line."""
    markers = folder / "bin"
    markers.mkdir(parents=True, exist_ok=True)
    for name in ("mark1", "mark2", "mark3"):
        (markers / name).write_text(_MARK)
        (markers / name).chmod(0o700)
    for number, program in enumerate(json.load(sys.stdin)):
        print(json.dumps(observe(program, folder, markers, number)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
