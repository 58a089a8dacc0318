"""Makes an MP4 of the frames on disk with ffmpeg."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path

from trueline.desktop.recording.matroska import FrameFile, ending, read_frame_file
from trueline.errors import InputError, TruelineError

FFMPEG_LINE = "sudo apt-get install -y --no-install-recommends ffmpeg"
_LARGEST = (1920, 1080)
_PIECE = 1 << 20
_BASE_TIME, _TIME_PER_PICTURE = 60.0, 0.5
"""Seconds the encoder may take."""


class VideoError(TruelineError):
    """No video could be made; the frames are still there."""


def find_ffmpeg() -> str:
    """The path of ffmpeg.

    Raises:
        VideoError: It is not installed.
    """
    found = shutil.which("ffmpeg")
    if found is None:
        raise VideoError(f"no ffmpeg, so no video was made; {FFMPEG_LINE}")
    return found


async def encode(frames: Path, target: Path) -> FrameFile:
    """Make `target` (an MP4) of a file of frames, which stays as it is; return what it holds.

    The time taken depends on how many pictures there are, not on how long the recording was.

    Raises:
        InputError: Not a file of frames, or one without a picture.
        VideoError: ffmpeg is missing, failed or took too long.
    """
    ffmpeg = find_ffmpeg()
    reel = await asyncio.to_thread(read_frame_file, frames)
    if not reel.pictures:
        raise InputError(f"{frames}: contains no pictures")
    part = target.with_name(f".{target.name}.part")
    limit = _BASE_TIME + _TIME_PER_PICTURE * len(reel.pictures)
    try:
        try:
            await _run(_argv(ffmpeg, part, "-fps_mode"), frames, reel, limit)
        except VideoError as error:
            if "Option not found" not in str(error):
                raise
            await _run(_argv(ffmpeg, part, "-vsync"), frames, reel, limit)  # its name before ffmpeg 5.1
        os.replace(part, target)
    except OSError as error:
        raise VideoError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    return reel


def _argv(ffmpeg: str, part: Path, timing: str) -> list[str]:
    width, height = _LARGEST
    fit = f"scale='min({width},iw)':'min({height},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2"
    return [
        ffmpeg, "-v", "error", "-y", "-protocol_whitelist", "pipe", "-f", "matroska", "-i", "pipe:0", "-an",
        "-vf", f"{fit},format=yuv420p", timing, "vfr", "-c:v", "libx264", "-preset", "veryfast", "-crf", "26",
        "-maxrate", "6M", "-bufsize", "12M", "-threads", "2", "-movflags", "+faststart", "-f", "mp4", f"file:{part}",
    ]  # fmt: skip


async def _run(argv: list[str], frames: Path, reel: FrameFile, limit: float) -> None:
    process = await asyncio.create_subprocess_exec(
        *argv, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        umask=0o077,
    )  # fmt: skip
    assert process.stdin is not None and process.stderr is not None
    try:
        async with asyncio.timeout(limit):
            _, said = await asyncio.gather(_feed(process.stdin, frames, reel), process.stderr.read())
            await process.wait()
    except TimeoutError as error:
        raise VideoError(f"ffmpeg did not end within {limit:.0f} s and was stopped") from error
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        lines = said.decode("utf-8", "replace").strip().splitlines()
        raise VideoError(f"ffmpeg failed: {lines[-1] if lines else f'it ended with {process.returncode}'}")


async def _feed(pipe: asyncio.StreamWriter, frames: Path, reel: FrameFile) -> None:
    """Give the encoder what is whole of the file, and the end of the film; when it has gone, its own word says why."""
    with frames.open("rb") as file, suppress(ConnectionError):
        left = reel.end
        while left and (piece := file.read(min(left, _PIECE))):
            left -= len(piece)
            pipe.write(piece)
            await pipe.drain()
        pipe.write(ending(frames, reel))
        await pipe.drain()
        pipe.close()
        await pipe.wait_closed()
