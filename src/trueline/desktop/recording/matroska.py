"""The frames of a recording on disk: a Matroska file of PNG pictures that grows at its end.

Every player reads it, so what a crash leaves is a film already. It holds, after the usual head, one cluster for each
picture that differs from the one before it, and now and then an empty cluster that says that time went on. Lengths are
written with eight bytes each, so every cluster has the same shape and a half-written one at the end is easy to tell.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

from trueline.errors import InputError
from trueline.records.tree import Size

_CLUSTER, _BLOCK = b"\x1f\x43\xb6\x75", b"\xa3"
_UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"
_BLOCK_HEAD = b"\x81\x00\x00\x80"  # track 1, no offset in time, a key frame
_CLUSTER_HEAD = struct.Struct(">4sQ2sQ")
_BLOCK_START = struct.Struct(">sQ4s")
_EIGHT = 1 << 56
"""The bit that says: the length is eight bytes long."""
_MAX_PICTURE = 1 << 28


@dataclass(frozen=True)
class StoredFrame:
    """Where one picture lies in the file."""

    time: float
    """Seconds from the beginning of the recording."""
    offset: int
    length: int


@dataclass(frozen=True)
class FrameFile:
    """The content of a file of frames."""

    pictures: tuple[StoredFrame, ...]
    seconds: float
    """How long it was recorded, as far as the file knows."""
    end: int
    """Size of the complete part of the file in bytes."""


def _element(kind: str, content: bytes) -> bytes:
    return bytes.fromhex(kind) + struct.pack(">Q", _EIGHT | len(content)) + content


def _number(kind: str, value: int) -> bytes:
    return _element(kind, value.to_bytes(4, "big"))


def head(size: Size) -> bytes:
    """The beginning of the file."""
    bitmap = struct.pack("<IiiHH4sIiiII", 40, size.width, size.height, 1, 24, b"MPNG", 0, 0, 0, 0, 0)
    video = _element("e0", _number("b0", size.width) + _number("ba", size.height))
    track = [
        _number("d7", 1), _number("73c5", 1), _number("83", 1), _number("9c", 0),
        _element("86", b"V_MS/VFW/FOURCC"), _element("63a2", bitmap), video,
    ]  # fmt: skip
    kind = [
        _number("4286", 1), _number("42f7", 1), _number("42f2", 4), _number("42f3", 8),
        _element("4282", b"matroska"), _number("4287", 4), _number("4285", 2),
    ]  # fmt: skip
    about = _number("2ad7b1", 1_000_000) + _element("4d80", b"trueline") + _element("5741", b"trueline")
    tracks = _element("1654ae6b", _element("ae", b"".join(track)))
    return _element("1a45dfa3", b"".join(kind)) + b"\x18\x53\x80\x67" + _UNKNOWN + _element("1549a966", about) + tracks


_HEAD_LENGTH = len(head(Size(1, 1)))


def cluster(time: float, png: bytes = b"") -> bytes:
    """One picture at a time of the recording; without a picture it only says that this time was reached."""
    block = _BLOCK_START.pack(_BLOCK, _EIGHT | (len(_BLOCK_HEAD) + len(png)), _BLOCK_HEAD) if png else b""
    rest = 10 + len(block) + len(png)
    return _CLUSTER_HEAD.pack(_CLUSTER, _EIGHT | rest, b"\xe7\x88", round(time * 1000)) + block + png


def read_frame_file(path: Path) -> FrameFile:
    """Find the pictures in a file of frames; an incomplete one at its end is left out.

    Raises:
        InputError: It cannot be read or is not such a file.
    """
    try:
        with path.open("rb") as file:
            if not file.read(_HEAD_LENGTH).startswith(head(Size(1, 1))[:40]):
                raise InputError(f"{path}: not the frames of a recording (a Matroska file that trueline wrote)")
            length = os.fstat(file.fileno()).st_size
            pictures: list[StoredFrame] = []
            seconds, at = 0.0, _HEAD_LENGTH
            while at + _CLUSTER_HEAD.size <= length:
                file.seek(at)
                start = file.read(_CLUSTER_HEAD.size + _BLOCK_START.size)
                kind, size, _, time = _CLUSTER_HEAD.unpack_from(start)
                after = at + 12 + (size & ~_EIGHT)
                if kind != _CLUSTER or after > length or after - at > _MAX_PICTURE:
                    break
                seconds = time / 1000
                if after - at > len(start):
                    offset = at + len(start)
                    pictures.append(StoredFrame(seconds, offset, after - offset))
                at = after
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return FrameFile(tuple(pictures), seconds, at)


def read_picture(path: Path, kept: StoredFrame) -> bytes:
    """The PNG of one picture."""
    with path.open("rb") as file:
        file.seek(kept.offset)
        return file.read(kept.length)


def ending(path: Path, reel: FrameFile) -> bytes:
    """What follows the last whole byte in a film: its last picture once more, so that it is seen up to the end."""
    if not reel.pictures or reel.pictures[-1].time >= reel.seconds:
        return b""
    return cluster(reel.seconds, read_picture(path, reel.pictures[-1]))
