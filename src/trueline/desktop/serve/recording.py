"""At most one recording at a time."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from trueline.desktop.serve.replies import Refused
from trueline.desktop.types import Desktop

_END_SECONDS = 120.0
"""Seconds within which the video must be made."""


@dataclass
class _Running:
    task: asyncio.Task[bytes]
    stop: asyncio.Event


class RecordingSession:
    """One recording at a time; its files are in a temporary folder."""

    def __init__(self) -> None:
        self._shooting: _Running | None = None

    async def begin(self, desktop: Desktop) -> None:
        """Begin to record.

        Raises:
            Refused: It records already.
            TruelineError: It cannot be recorded.
        """
        if self._shooting is not None:
            raise Refused(400, "a recording is already running")
        begun, stop = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(_record(desktop, begun, stop))
        self._shooting = _Running(task, stop)
        waiting = asyncio.create_task(begun.wait())
        await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        if not begun.is_set():
            waiting.cancel()
            self._shooting = None
            await task  # raises why not

    async def end(self) -> bytes:
        """End the recording and return the video.

        Raises:
            Refused: Nothing is being recorded, or no video could be made.
        """
        if self._shooting is None:
            raise Refused(400, "no recording is running")
        shooting, self._shooting = self._shooting, None
        shooting.stop.set()
        try:
            return await asyncio.wait_for(shooting.task, _END_SECONDS)
        except TimeoutError:
            raise Refused(500, f"the video was not made within {_END_SECONDS:g} s", "timeout") from None

    async def stop(self) -> None:
        """Abort a recording; its video is discarded."""
        if self._shooting is not None:
            shooting, self._shooting = self._shooting, None
            shooting.task.cancel()
            await asyncio.gather(shooting.task, return_exceptions=True)


async def _record(desktop: Desktop, begun: asyncio.Event, stop: asyncio.Event) -> bytes:
    with tempfile.TemporaryDirectory(prefix="trueline-film-") as folder:
        async with desktop.record(Path(folder) / "recording.mp4") as recording:
            begun.set()
            await stop.wait()
        if recording.video is None:
            raise Refused(500, recording.note or "the recording could not be turned into a video")
        return await asyncio.to_thread(recording.video.read_bytes)
