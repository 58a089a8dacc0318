"""Sound and moving pictures, encoded here: tones as MP3 or WAV, and MP4 files of JPEG pictures with tones."""

from __future__ import annotations

import io
import math
import struct
import wave
from array import array

from trueline.tasks.stand_ins.content import Content
from trueline.tasks.stand_ins.pictures import draw, encoded

SECONDS = 6
_RATE, _WAV_RATE = 44_100, 16_000
_SAMPLES = 1152
"""Of one MP3 frame."""
_FRAME = 208
"""Bytes of one frame at 64 kbit/s."""
_SIZE, _PER_SECOND = (320, 240), 10


def wav(content: Content) -> bytes:
    """A melody, uncompressed."""
    samples = array("h")
    while len(samples) < SECONDS * _WAV_RATE:
        step = 2 * math.pi * content.number(220, 880) / _WAV_RATE
        samples.extend(int(8000 * math.sin(step * place)) for place in range(_WAV_RATE // 2))
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(_WAV_RATE)
        file.writeframes(samples.tobytes())
    return buffer.getvalue()


def mp3(content: Content) -> bytes:
    """A melody with a title, an artist and an album."""
    tags = b"".join(
        name + struct.pack(">IH", len(text) + 1, 0) + b"\0" + text
        for name, text in (
            (b"TIT2", content.title().encode()),
            (b"TPE1", content.person().encode()),
            (b"TALB", content.title().encode()),
        )
    )
    size = bytes((len(tags) >> shift) & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\3\0\0" + size + tags + b"".join(mp3_frames(content))


def mp3_frames(content: Content) -> list[bytes]:
    """MPEG-1 Layer III frames, one channel, 64 kbit/s.

    Each holds one spectral line per granule, which sounds as a tone: all values are 0 or 1, so that the smallest of the
    format's code tables does.
    """
    frames: list[bytes] = []
    while len(frames) * _SAMPLES < SECONDS * _RATE:
        line = content.number(3, 30)
        frames += [_mp3_frame(line)] * 12
    return frames


def _mp3_frame(line: int) -> bytes:
    # Code table 1: "1" is a pair of zeros, "01" a pair of one and zero; a sign follows.
    data = "1" * line + "010"
    granule = (
        f"{len(data):012b}{line + 1:09b}{196:08b}{0:04b}0" + f"{1:05b}" * 3 + f"{0:04b}{0:03b}" + "000"
    )  # length, pairs, gain, scale factors, ordinary window, tables, regions, flags
    side = "0" * 18 + granule * 2
    bits = side + data * 2
    body = int(bits.ljust((_FRAME - 4) * 8, "0"), 2).to_bytes(_FRAME - 4, "big")
    return b"\xff\xfb\x50\xc4" + body


def mp4(content: Content, title: str = "") -> bytes:
    """A film with sound: JPEG pictures and MP3 frames, both of which the format allows; by default without a title."""
    backdrop = draw(content, _SIZE)
    pictures: list[bytes] = []
    for place in range(SECONDS * _PER_SECOND):
        frame = backdrop.copy()
        x = place * _SIZE[0] // (SECONDS * _PER_SECOND)
        frame.paste(content.colour() if place % 10 == 0 else (250, 250, 250), (x, 100, x + 24, 140))
        pictures.append(encoded(frame, "jpeg"))
    sounds = mp3_frames(content)
    head = _box(b"ftyp", b"isom\0\0\2\0isommp41")
    start = len(head) + 8
    tracks = _track(1, pictures, start, 600 // _PER_SECOND, 600, _SIZE)
    tracks += _track(2, sounds, start + sum(map(len, pictures)), _SAMPLES, _RATE, None)
    clock = struct.pack(">IIIII", 0, 0, 0, 600, SECONDS * 600)
    movie = clock + struct.pack(">IH10x", 0x10000, 0x100) + _MATRIX + bytes(24) + struct.pack(">I", 3)
    return (
        head
        + _box(b"mdat", b"".join((*pictures, *sounds)))
        + _box(b"moov", _box(b"mvhd", movie) + tracks + _tags(title))
    )


def _tags(title: str) -> bytes:
    """What players show in place of the file's name."""
    if not title:
        return b""
    words = title.encode()
    return _box(b"udta", _box(b"\xa9nam", struct.pack(">HH", len(words), 0x55C4) + words))


_MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)


def _box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body) + 8) + name + body


def _track(
    number: int, samples: list[bytes], offset: int, length: int, clock: int, size: tuple[int, int] | None
) -> bytes:
    """One track whose samples lie one after the other from `offset` on."""
    volume = 0 if size else 0x100
    width, height = size or (0, 0)
    head = struct.pack(">IIIIII8xHHHH", 7, 0, 0, number, 0, SECONDS * 600, 0, 0, volume, 0)
    head += _MATRIX + struct.pack(">II", width << 16, height << 16)
    media = struct.pack(">IIIIIHH", 0, 0, 0, clock, len(samples) * length, 0x55C4, 0)
    kind = b"vide" if size else b"soun"
    handler = struct.pack(">II", 0, 0) + kind + bytes(12) + b"stand-in\0"
    about = _box(b"vmhd", struct.pack(">IQ", 1, 0)) if size else _box(b"smhd", bytes(8))
    here = _box(b"dinf", _box(b"dref", struct.pack(">II", 0, 1) + _box(b"url ", struct.pack(">I", 1))))
    sizes = struct.pack(f">III{len(samples)}I", 0, 0, len(samples), *map(len, samples))
    table = _box(b"stsd", struct.pack(">II", 0, 1) + _sample_entry(size))
    table += _box(b"stts", struct.pack(">IIII", 0, 1, len(samples), length))
    table += _box(b"stsc", struct.pack(">IIIII", 0, 1, 1, len(samples), 1))
    table += _box(b"stsz", sizes) + _box(b"stco", struct.pack(">III", 0, 1, offset))
    information = _box(b"minf", about + here + _box(b"stbl", table))
    return _box(
        b"trak", _box(b"tkhd", head) + _box(b"mdia", _box(b"mdhd", media) + _box(b"hdlr", handler) + information)
    )


def _sample_entry(size: tuple[int, int] | None) -> bytes:
    stream, coding = (0x11, 0x6C) if size else (0x15, 0x6B)
    decoder = struct.pack(">BB3xII", coding, stream, 0, 0)
    description = b"\3" + bytes((3 + 2 + len(decoder) + 3,)) + b"\0\0\0" + b"\4" + bytes((len(decoder),)) + decoder
    description += b"\6\1\2"
    esds = _box(b"esds", bytes(4) + description)
    if size is None:
        return _box(b"mp4a", struct.pack(">6xH8xHH4xI", 1, 1, 16, _RATE << 16) + esds)
    picture = struct.pack(">6xH16xHHIII", 1, *size, 0x480000, 0x480000, 0) + struct.pack(">H32xHh", 1, 24, -1)
    return _box(b"mp4v", picture + esds)
