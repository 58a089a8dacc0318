"""What changes on a desktop, from look to look: files, settings and processes.

The supervisor forks one process that runs this while an episode lasts. It may read what the user inside has closed to
everybody, and it remembers what there was, so that a look costs one `lstat` for each file that differs from the
template: a file is read again only when its size, times or number have changed. Nothing here needs more than the
standard library, and no link is followed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import socket
import stat
from fnmatch import fnmatchcase

from changes import DEPTH, GONE, ICONS, OPAQUE, OWN

TYPE_CHECKING = False  # `typing` costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST = 1 << 20
"""Bytes: larger files are told apart by size, time and number, not by their content."""
LARGEST_SETTINGS = 1 << 20
MOST = 2000
"""Changes that one look reports; the rest is only counted."""
LONGEST_COMMAND = 4096
PIECE = 1 << 16

SERVICES = re.compile(
    r"/usr/(?:libexec|lib/[^/]+/(?:xfce4/\w+|tumbler-1)|lib/gvfs)/"
    r"(?:at-spi-bus-launcher|at-spi2-registryd|dconf-service|gvfs[\w-]*|tumblerd|xfce4-notifyd|xfconfd)"
)
"""Programs that the message bus starts whenever another one asks for them."""
AS_BEFORE: tuple[str, ...] = ("as before",)
"""What lies there is what the template holds, or nothing where it holds nothing."""
DELETED: tuple[str, ...] = ("deleted",)
"""Nothing lies there."""

Content = tuple[str, ...]
"""What lies at a path, in a form that can be compared: its type, permissions, and what tells its content."""
Signature = tuple[int, ...]
"""What the file system tells of a file: while it is the same, so is the content."""
Program = tuple[str, str]
"""The executable and the command line."""


class Folder:
    """One folder that is watched: the upper layer over a template, or a temporary folder without one."""

    def __init__(self, top: str, lower: str | None, prefix: str, settings: tuple[str, ...]) -> None:
        """Watch `top`; reported paths begin with `prefix`, files that match `settings` are kept with their content."""
        self.top = top
        self.lower = lower
        self.prefix = prefix
        self.settings = settings
        self.too_deep: list[str] = []
        """Where the last look ended because folders lie too deep."""
        self.seen: dict[str, tuple[Signature, Content]] = {}
        """Of every file of the last look, so that it need not be read again."""
        self.texts: dict[str, bytes] = {}
        """The content of settings files."""
        self.below: dict[str, Content] = {}
        """What the template holds at a path, which never changes."""

    def look(self) -> dict[str, tuple[Content, int]]:
        """Everything that differs from the template, by path, with its size."""
        found: dict[str, tuple[Content, int]] = {}
        before, self.seen, self.too_deep = self.seen, {}, []
        top = os.open(self.top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._folder(top, "", DEPTH, found, before)
        return found

    def is_settings(self, path: str) -> bool:
        """Whether it is a settings file."""
        return any(fnmatchcase(path, glob) for glob in self.settings)

    def in_template(self, path: str) -> Content:
        """What the template holds; `DELETED` where it holds nothing."""
        if self.lower is None:
            return DELETED
        if path not in self.below:
            place = f"{self.lower}/{path}"
            try:
                about = os.lstat(place)
                self.below[path] = _describe(about, lambda: _digest(place), lambda: os.readlink(place))
            except OSError:
                self.below[path] = DELETED
        return self.below[path]

    def template_text(self, path: str) -> bytes:
        """The settings that the template holds; empty where it holds none."""
        try:
            return b"" if self.lower is None else _beginning(f"{self.lower}/{path}")
        except OSError:
            return b""

    def _folder(
        self,
        fd: int,
        path: str,
        depth: int,
        found: dict[str, tuple[Content, int]],
        before: dict[str, tuple[Signature, Content]],
    ) -> None:
        """Look into one folder. Closes `fd`."""
        try:
            names = os.listdir(fd)
            if self.lower is not None and _is_opaque(fd):
                for gone in set(os.listdir(f"{self.lower}/{path}")) - set(names):
                    found[path + gone] = DELETED, 0
            for name in names:
                try:
                    self._entry(fd, name, path + name, depth, found, before)
                except OSError as error:
                    if error.errno not in GONE:
                        raise
                    continue  # it went away while it was looked at
        finally:
            os.close(fd)

    def _entry(
        self,
        fd: int,
        name: str,
        path: str,
        depth: int,
        found: dict[str, tuple[Content, int]],
        before: dict[str, tuple[Signature, Content]],
    ) -> None:
        about = os.lstat(name, dir_fd=fd)
        is_folder, is_file = stat.S_ISDIR(about.st_mode), stat.S_ISREG(about.st_mode)
        if self.lower is not None and not is_folder and (path in OWN or ICONS.fullmatch(path)):
            return
        signature = (about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino, about.st_rdev)
        known = before.get(path)
        if known is None or known[0] != signature:
            content = _describe(about, lambda: _digest(name, fd), lambda: os.readlink(name, dir_fd=fd))
            known = signature, AS_BEFORE if content == self.in_template(path) else content
            self.texts.pop(path, None)
            if is_file and self.is_settings(path):
                self.texts[path] = _beginning(name, fd)
        self.seen[path] = known
        if known[1] != AS_BEFORE:
            found[path] = known[1], about.st_size if is_file else 0
        if not is_folder:
            return
        if not depth:
            self.too_deep.append(self.prefix + path[:80])
            return
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
        self._folder(inner, path + "/", depth - 1, found, before)


class Look:
    """What there was at one moment."""

    def __init__(self, folders: tuple[Folder, ...], programs: dict[str, Program]) -> None:
        """Look at all folders."""
        self.files = [folder.look() for folder in folders]
        self.texts = [dict(folder.texts) for folder in folders]
        self.programs = programs


class ChangeLog:
    """Compares looks at the home folder and notes what changed."""

    def __init__(self, folders: tuple[Folder, ...], session: int) -> None:
        """Look for the first time."""
        self.folders = folders
        self.session = session
        self.first = self.last = self._look()

    def _look(self) -> Look:
        return Look(self.folders, read_programs(self.session))

    def since(self, start: str) -> Iterator[tuple[list[object], bytes]]:
        """Look again; yield what has changed since the `last` look, or since the `first` one, and further bytes."""
        before = self.first if start == "first" else self.last
        now = self.last = self._look()
        for place, folder in enumerate(self.folders):
            yield from _changes(folder, before, now, place)
        for key, (program, command) in now.programs.items():
            if before.programs.get(key) != (program, command):
                yield ["process", program, command], b""
        for deep in (path for folder in self.folders for path in folder.too_deep):
            yield ["unread", f"folders lie deeper than {DEPTH} in {deep}"], b""


def _changes(folder: Folder, before: Look, now: Look, place: int) -> Iterator[tuple[list[object], bytes]]:
    """The changes in one folder, by path; those of settings files with both contents."""
    old, new = before.files[place], now.files[place]
    for path in sorted({*old, *new}):
        was, content = old.get(path, (AS_BEFORE, 0))[0], new.get(path, (AS_BEFORE, 0))[0]
        if was == content:
            continue
        was, content = (folder.in_template(path) if each == AS_BEFORE else each for each in (was, content))
        if was == content:
            continue  # it was not there, and is not
        what = "created" if was == DELETED else "deleted" if content == DELETED else "changed"
        type_ = was[0] if content == DELETED else content[0]
        size = new[path][1] if path in new and content[0] == "file" else None
        yield ["file", folder.prefix + path, what, type_, size], b""
        if type_ == "file" and folder.is_settings(path):
            texts = [
                b"" if state == DELETED else look.texts[place].get(path, folder.template_text(path))
                for state, look in ((was, before), (content, now))
            ]
            yield ["settings", path, len(texts[0]), len(texts[1])], b"".join(texts)


def _describe(about: os.stat_result, digest: Callable[[], str], leads_to: Callable[[], str]) -> Content:
    mode = f"{stat.S_IMODE(about.st_mode):o}"
    if stat.S_ISDIR(about.st_mode):
        return "folder", mode
    if stat.S_ISLNK(about.st_mode):
        return "link", leads_to()
    if stat.S_ISREG(about.st_mode):
        if about.st_size > LARGEST:
            return "file", mode, f"{about.st_size} {about.st_mtime_ns}"
        return "file", mode, digest()
    if stat.S_ISCHR(about.st_mode) and about.st_rdev == 0:
        return DELETED
    return "other", mode


def _is_opaque(fd: int) -> bool:
    try:
        return os.getxattr(fd, OPAQUE) == b"y"
    except OSError:
        return False


def _digest(name: str, fd: int | None = None) -> str:
    digest = hashlib.blake2b(digest_size=16)
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=fd)
    try:
        left = LARGEST  # it may grow while it is read
        while left > 0 and (piece := os.read(file, min(PIECE, left))):
            digest.update(piece)
            left -= len(piece)
    finally:
        os.close(file)
    return digest.hexdigest()


def _beginning(name: str, fd: int | None = None) -> bytes:
    """The content of a settings file; one that is too large for one is cut, so that it is not understood."""
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=fd)
    with os.fdopen(file, "rb") as stream:
        return stream.read(LARGEST_SETTINGS)


def read_programs(part: int) -> dict[str, Program]:
    """The programs of a session, by their number and start.

    Left out are what does the host's work (our own agent, and the worker that runs code for it), services that start
    by themselves whenever a program asks for one, and processes that a browser and its like start as parts of
    themselves.

    Args:
        part: The process from which the session descends.
    """
    init = _first_child(part)
    session = _first_child(init)
    agent = next((pid for pid in _children(session) if _about(pid)[0] == "agent"), 0)
    workers = {pid for pid in _children(agent) if _about(pid)[0] == "worker"}
    workers |= {pid for worker in workers for pid in _children(worker) if _about(pid)[0] == "worker"}
    ours = {init, session, agent, *workers}
    found: dict[str, Program] = {}
    waiting = [(part, "")]
    while waiting:
        parent, parent_program = waiting.pop()
        for pid in _children(parent):
            name, start = _about(pid)
            try:
                program = os.readlink(f"/proc/{pid}/exe")
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    command = file.read(LONGEST_COMMAND).rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                program = command = ""  # it has ended
            waiting.append((pid, program))
            is_part = program == parent_program and program.startswith("/usr/lib/")
            if name and program and pid not in ours and not is_part and not SERVICES.fullmatch(program):
                found[f"{pid} {start}"] = program, command
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass  # it ended while it was looked at
    return found


def _first_child(pid: int) -> int:
    return next(iter(_children(pid)), 0)


def _about(pid: int) -> tuple[str, str]:
    """What a process calls itself and when it started; nothing of one that has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            before, _, after = file.read().rpartition(")")
    except OSError:
        return "", ""
    fields = after.split()
    return ("", "") if fields[0] in ("Z", "X") else (before.partition("(")[2], fields[19])


def serve(
    fd: int, home: tuple[str, str], temporary: dict[str, str], system: list[tuple[str, str, str, bool]], session: int
) -> None:
    """Answer looks over a connection until it is closed.

    The first line is `{"settings": [globs]}`; each further one is `{"since": "last"}` or `{"since": "first"}`. Answers
    are JSON lists, one a line, the last of which begins with `end`; the bytes that a `settings` line announces follow
    it.

    Args:
        fd: The connection.
        home: The upper layer of the home folder, and its template.
        temporary: Where temporary folders lie, by their path inside.
        system: Layers of a desktop with root: what changed, what lies below, and what its paths begin with.
        session: The process from which the session descends.
    """
    with socket.socket(fileno=fd) as sock, sock.makefile("rwb") as stream:
        globs = tuple(json.loads(stream.readline())["settings"])
        upper, lower = home
        folders = (
            Folder(upper, lower, "", globs),
            *(Folder(top, None, f"{path}/", ()) for path, top in temporary.items()),
            *(Folder(top, below, prefix, ()) for top, below, prefix, _ in system),
        )
        log, problem = None, ""
        try:
            log = ChangeLog(folders, session)
        except OSError as error:
            problem = os.strerror(error.errno or errno.EIO)
        stream.write(_end(problem, 0))
        stream.flush()
        while line := stream.readline():
            sent = omitted = 0
            try:
                for row, content in () if log is None else log.since(json.loads(line)["since"]):
                    if row[0] in ("file", "process"):
                        sent += 1
                    if sent > MOST:
                        omitted += row[0] in ("file", "process")
                        continue
                    stream.write(json.dumps(row).encode() + b"\n" + content)
            except OSError as error:
                problem = os.strerror(error.errno or errno.EIO)
            stream.write(_end(problem, omitted))
            stream.flush()


def _end(problem: str, omitted: int) -> bytes:
    return json.dumps(["end", problem, omitted]).encode() + b"\n"
