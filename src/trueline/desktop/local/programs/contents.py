"""Files of a home folder as they lie in the upper layer of its overlay, whatever their permissions say.

The supervisor runs this, which may open what the user inside has closed to everybody. No link is followed: seen from
here it leads to files of the host.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import socket
import stat
from contextlib import ExitStack

TYPE_CHECKING = False  # `typing` costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 1 << 20
HOLE = 4096
"""Zero bytes that stand for a hole longer than this: a file may claim to be far larger than what it holds."""
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def send_contents(upper: str, fd: int) -> None:
    """Read `{limit, paths}` from a connection; answer with a JSON line for each path and the bytes it announces.

    A line holds the kind, how many bytes follow, and the digest. Without a limit no bytes follow and there is a digest.
    """
    with socket.socket(fileno=fd) as sock, sock.makefile("rwb") as stream:
        request = json.loads(stream.readline())
        left = request["limit"]
        try:
            for path in request["paths"]:
                kind, content, digest = read(upper, path, left)
                if left is not None:
                    left -= len(content)
                stream.write(json.dumps([kind, len(content), digest]).encode() + b"\n" + content)
            stream.write(b'["end", 0, ""]\n')
        except OSError as error:
            stream.write(json.dumps(["error", 0, os.strerror(error.errno or errno.EIO)]).encode() + b"\n")


def read(upper: str, path: str, limit: int | None) -> tuple[str, bytes, str]:
    """What is there (`file`, `large`, `link`, `other`, `gone`), its content up to the limit, or its digest without."""
    with ExitStack() as opened:
        fd = open_file(upper, path, opened)
        if fd == "link" and limit is None:
            leads_to = os.fsencode(os.readlink(f"{upper}/{path}"))
            return "link", b"", hashlib.sha256(leads_to).hexdigest()
        if isinstance(fd, str):
            return fd, b"", ""
        held, digest = bytearray(), hashlib.sha256()
        for piece in pieces(fd):
            if limit is None:
                digest.update(piece if isinstance(piece, bytes) else b"hole %d" % piece)
                continue
            held += piece if isinstance(piece, bytes) else bytes(min(piece, HOLE))
            if len(held) > limit:
                return "large", b"", ""
        return "file", bytes(held), digest.hexdigest() if limit is None else ""


def open_file(upper: str, path: str, opened: ExitStack) -> int | str:
    """Open a plain file below the upper layer; else say what is there."""
    *folders, name = path.split("/")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        folder = os.open(upper, flags | os.O_DIRECTORY)
        opened.callback(os.close, folder)
        for part in folders:
            if part in ("", ".", ".."):
                return "gone"
            folder = os.open(part, flags | os.O_DIRECTORY, dir_fd=folder)
            opened.callback(os.close, folder)
        there = os.lstat(name, dir_fd=folder)
        if stat.S_ISCHR(there.st_mode) and there.st_rdev == 0:
            return "gone"  # as the overlay notes it
        if not stat.S_ISREG(there.st_mode):
            return "link" if stat.S_ISLNK(there.st_mode) else "other"
        fd = os.open(name, flags | os.O_NONBLOCK, dir_fd=folder)
        opened.callback(os.close, fd)
        return fd
    except OSError as error:
        if error.errno in GONE:
            return "gone"
        raise


def pieces(fd: int) -> Iterator[bytes | int]:
    """The content of a file in order: bytes, and the lengths of the holes between them."""
    place, end = 0, os.fstat(fd).st_size
    while place < end:
        try:
            begin = os.lseek(fd, place, os.SEEK_DATA)
        except OSError:
            begin = end  # only a hole is left
        if begin > place:
            yield begin - place
        if begin >= end:
            return
        place = os.lseek(fd, begin, os.SEEK_HOLE)
        os.lseek(fd, begin, os.SEEK_SET)
        left = place - begin
        while left > 0 and (piece := os.read(fd, min(left, PIECE))):
            left -= len(piece)
            yield piece
        if left > 0:
            return  # it became shorter while it was read
