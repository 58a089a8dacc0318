"""Recording a real desktop, over a reset and past its end."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
from PIL import Image

from support.bare_desktop import eventually
from trueline.desktop.local import LocalDesktop
from trueline.desktop.recording.matroska import read_frame_file, read_picture
from trueline.desktop.types import Capability, WindowShown


def test_a_reset_and_the_end_of_the_desktop_do_not_end_the_recording(
    runner: asyncio.Runner, fresh: LocalDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Capability.RECORD in fresh.capabilities

    async def story() -> Path:
        async with fresh.record(tmp_path / "recording.mp4", fps=20) as recording:
            frames = recording.frames
            assert frames is not None
            await asyncio.to_thread(eventually, lambda: frames.stat().st_size, "the first picture")
            await fresh.launch(("mousepad",))
            await fresh.wait_for(WindowShown(app="mousepad"))
            await fresh.reset()
            seen = len(read_frame_file(frames).pictures)
            await fresh.launch(("xfce4-terminal",))
            await fresh.wait_for(WindowShown(app="xfce4-terminal"))
            await asyncio.to_thread(eventually, lambda: len(read_frame_file(frames).pictures) > seen, "more pictures")
            await fresh.stop()
        assert recording.frames == frames and "no ffmpeg" in recording.note
        return frames

    monkeypatch.setenv("PATH", str(tmp_path))
    frames = runner.run(story())
    for kept in read_frame_file(frames).pictures:
        with Image.open(io.BytesIO(read_picture(frames, kept))) as image:
            assert image.size == (fresh.options.width, fresh.options.height)
    with Image.open(tmp_path / "recording-sheet.png") as sheet:
        assert sheet.width > fresh.options.width
