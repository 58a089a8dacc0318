"""Makes a recording and the video of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from trueline.desktop.recording.matroska import FrameFile, read_frame_file
from trueline.desktop.recording.recorder import DISK_LIMIT, ScreenRecorder
from trueline.desktop.recording.video import encode
from trueline.desktop.types import Recording
from trueline.errors import InputError, TruelineError

MIN_FPS, MAX_FPS = 0.1, 30.0


@asynccontextmanager
async def record(
    screen: Callable[[], Path],
    target: Path,
    fps: float,
    *,
    disk_limit: int = DISK_LIMIT,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncGenerator[Recording]:
    """Record into `target`, an MP4, while the block runs, and write a contact sheet beside it.

    The frames lie in `<target without its ending>.frames.mkv` while it goes on; they are removed once the film is made
    and stay when it cannot be, or when the task is cancelled: whoever interrupts does not want to wait for a film.

    Raises:
        InputError: `target` cannot be written, or `fps` is out of range.
    """
    if not MIN_FPS <= fps <= MAX_FPS:
        raise InputError(f"{fps:g} frames per second: must be from {MIN_FPS:g} to {MAX_FPS:g}")
    recorder = ScreenRecorder(screen, target.with_name(f"{target.stem}.frames.mkv"), fps, disk_limit, clock)
    recording = Recording(frames=recorder.frames)
    recorder.start()
    try:
        yield recording
    except Exception:
        await _finish(recorder, recording, target)
        raise
    except BaseException:
        recorder.stop()
        recording.note = f"interrupted; {recorder.frames} holds the frames"
        raise
    await _finish(recorder, recording, target)


async def _finish(recorder: ScreenRecorder, recording: Recording, target: Path) -> None:
    await asyncio.to_thread(recorder.stop)
    notes = [recorder.note]
    try:
        if not recorder.frames.stat().st_size:
            recorder.frames.unlink()
            recording.frames, recording.note = None, recorder.note or "nothing was recorded: the desktop was gone"
            return
        reel = await asyncio.to_thread(read_frame_file, recorder.frames)
        recording.seconds, recording.pictures = reel.seconds, len(reel.pictures)
        recording.sheet = await _sheet(recorder.frames, target)
        await encode(recorder.frames, target)
        recorder.frames.unlink()
        recording.video, recording.frames = target, None
    except (TruelineError, OSError) as error:
        # What the block did matters more than its film: whoever recorded is told, not stopped.
        notes.append(f"{error}; {recorder.frames} holds the frames")
    recording.note = "; ".join(filter(None, notes))


async def make_film(frames: Path, target: Path) -> FrameFile:
    """Make a video and a contact sheet from the frames of an interrupted recording; the frames are kept.

    Raises:
        InputError: Not a file of frames, or one without a picture.
        VideoError: ffmpeg is missing or failed.
    """
    await _sheet(frames, target)
    return await encode(frames, target)


async def _sheet(frames: Path, target: Path) -> Path:
    from trueline.desktop.recording.contact_sheet import contact_sheet

    sheet = target.with_name(f"{target.stem}-sheet.png")
    await asyncio.to_thread(contact_sheet, frames, sheet)
    return sheet
