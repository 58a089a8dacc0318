"""A recording: what is kept while it runs, what is left when it breaks off, the film and the sheet."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support.bare_desktop import eventually
from trueline.cli import main
from trueline.desktop.recording import contact_sheet, make_film, record
from trueline.desktop.recording.matroska import head, read_frame_file, read_picture
from trueline.desktop.recording.video import VideoError
from trueline.desktop.types import DesktopLost, Recording
from trueline.errors import InputError
from trueline.records.tree import Size

WIDTH, HEIGHT = 64, 48
FAST, LENGTH = 30.0, 3.071
ONE_PICTURE = 0.2
"""Seconds that the encoder shows the last picture at most; it takes them from the rate of those before."""


def write_screen(path: Path, shade: int) -> None:
    """Write a framebuffer file of one shade, as Xvfb lays it out."""
    stride = WIDTH * 4
    header = [100, 7, 2, 24, WIDTH, HEIGHT, 0, 0, 32, 0, 32, 32, stride, 4, 0xFF0000, 0xFF00, 0xFF, 8, 256, 0]
    head = b"".join(number.to_bytes(4, "big") for number in [*header, 0, 0, 0, 0, 0])
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(head + bytes([shade]) * (stride * HEIGHT))


@pytest.fixture
def screen(tmp_path: Path) -> Path:
    path = tmp_path / "screen"
    write_screen(path, 10)
    return path


@pytest.fixture
def without_ffmpeg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


def pictures(frames: Path) -> int:
    return len(read_frame_file(frames).pictures) if frames.stat().st_size else 0


async def until(holds: Callable[[], bool], what: str) -> None:
    await asyncio.to_thread(eventually, holds, what)


def shades(frames: Path) -> list[int]:
    found: list[int] = []
    for kept in read_frame_file(frames).pictures:
        with Image.open(io.BytesIO(read_picture(frames, kept))) as image:
            assert image.size == (WIDTH, HEIGHT)
            found.append(int(np.asarray(image)[0, 0, 0]))
    return found


async def two_shades(screen: Path, target: Path, **limits: int) -> Recording:
    """Record a screen that changes after a while."""
    now = [0.0]
    async with record(lambda: screen, target, FAST, clock=lambda: now[0], **limits) as recording:
        frames = recording.frames
        assert frames is not None
        await until(lambda: pictures(frames) == 1, "the first picture")
        now[0] = 1.234
        write_screen(screen, 200)
        await until(lambda: pictures(frames) == 2 or bool(limits), "the second picture")
        now[0] = LENGTH
    return recording


@pytest.mark.usefixtures("without_ffmpeg")
def test_without_ffmpeg_the_changed_pictures_are_kept_and_one_line_says_so(screen: Path, tmp_path: Path) -> None:
    done = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert done.video is None and not (tmp_path / "recording.mp4").exists()
    assert done.frames is not None and done.frames == tmp_path / "recording.frames.mkv"
    assert shades(done.frames) == [10, 200]
    assert (done.pictures, done.note.count("\n")) == (2, 0)
    assert "no ffmpeg" in done.note and "apt-get install" in done.note and str(done.frames) in done.note
    assert done.frames.stat().st_mode & 0o077 == 0, "screens hold secrets"


@pytest.mark.usefixtures("without_ffmpeg")
def test_a_second_recording_does_not_touch_the_frames_of_the_first(screen: Path, tmp_path: Path) -> None:
    first = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert first.frames is not None
    before = first.frames.read_bytes()
    write_screen(screen, 30)
    second = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert second.frames is not None and second.frames != first.frames
    assert (first.frames.read_bytes(), shades(second.frames)) == (before, [30, 200])


@pytest.mark.usefixtures("without_ffmpeg")
def test_frames_beyond_the_disk_limit_are_not_kept_and_that_is_said(screen: Path, tmp_path: Path) -> None:
    one_picture = 600
    done = asyncio.run(two_shades(screen, tmp_path / "recording.mp4", disk_limit=one_picture))
    assert done.frames is not None and shades(done.frames) == [10]
    assert "later pictures are missing" in done.note


@pytest.mark.usefixtures("without_ffmpeg")
def test_a_lost_desktop_leaves_what_there_was_and_a_new_one_is_recorded_on(screen: Path, tmp_path: Path) -> None:
    there: list[Path] = [screen]

    def now() -> Path:
        if not there:
            raise DesktopLost("gone")
        return there[0]

    async def story() -> Recording:
        async with record(now, tmp_path / "recording.mp4", FAST) as recording:
            frames = recording.frames
            assert frames is not None
            await until(lambda: pictures(frames) == 1, "the first picture")
            there.clear()
            os.truncate(screen, 50)
            fresh = tmp_path / "fresh"
            write_screen(fresh, 150)
            there.append(fresh)
            await until(lambda: pictures(frames) == 2, "the picture of the new desktop")
        return recording

    done = asyncio.run(story())
    assert done.frames is not None and shades(done.frames) == [10, 150]


def test_a_desktop_that_never_was_leaves_no_file(tmp_path: Path) -> None:
    async def story() -> Recording:
        async with record(lambda: tmp_path / "nothing", tmp_path / "recording.mp4", FAST) as recording:
            pass
        return recording

    done = asyncio.run(story())
    assert (done.video, done.frames, done.note) == (None, None, "nothing was recorded: the desktop was gone")
    assert list(tmp_path.iterdir()) == []


def test_an_error_inside_the_block_comes_through_and_the_frames_are_there(screen: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with record(lambda: screen, tmp_path / "recording.mp4", FAST) as recording:
            frames = recording.frames
            assert frames is not None
            await until(lambda: pictures(frames) == 1, "the first picture")
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(story())
    assert shades(tmp_path / "recording.frames.mkv") == [10]


_KILLED = """
import asyncio, sys
from pathlib import Path
from trueline.desktop.recording import record
async def main():
    async with record(lambda: Path(sys.argv[1]), Path(sys.argv[2]), 30.0):
        await asyncio.sleep(600)
asyncio.run(main())
"""


def test_a_killed_recorder_leaves_what_it_saw(screen: Path, tmp_path: Path) -> None:
    target, frames = tmp_path / "recording.mp4", tmp_path / "recording.frames.mkv"
    with subprocess.Popen([sys.executable, "-c", _KILLED, str(screen), str(target)]) as process:
        try:
            eventually(lambda: frames.exists() and pictures(frames) == 1, "the first picture")
            write_screen(screen, 77)
            eventually(lambda: pictures(frames) == 2, "the second picture")
        finally:
            process.send_signal(signal.SIGKILL)
    assert shades(frames) == [10, 77]
    contact_sheet(frames, tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert {10, 77} <= {int(value) for value in np.unique(np.asarray(sheet)[:, :, 0])}


def test_a_half_written_picture_is_left_out(screen: Path, tmp_path: Path, without_ffmpeg: None) -> None:
    done = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert done.frames is not None
    reel = read_frame_file(done.frames)
    os.truncate(done.frames, reel.pictures[1].offset + reel.pictures[1].length - 1)
    assert shades(done.frames) == [10]


@pytest.mark.parametrize("content", [b"", b"no film at all", bytes(4000)])
def test_another_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.mkv").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.mkv: not the frames of a recording"):
        contact_sheet(tmp_path / "x.mkv", tmp_path / "x.png")


@pytest.mark.parametrize("fps", [0.0, 0.01, 1000.0, float("nan")])
def test_an_absurd_rate_is_refused(screen: Path, tmp_path: Path, fps: float) -> None:
    async def story() -> None:
        async with record(lambda: screen, tmp_path / "recording.mp4", fps):
            pass

    with pytest.raises(InputError, match="frames per second"):
        asyncio.run(story())


def test_a_folder_that_is_not_there_is_an_input_error(screen: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with record(lambda: screen, tmp_path / "no" / "recording.mp4", FAST):
            pass

    with pytest.raises(InputError, match="recording cannot be written there: No such file"):
        asyncio.run(story())


def last_shade(video: Path, folder: Path) -> int:
    words = ["ffmpeg", "-v", "error", "-i", video, "-update", "1", folder / "last.png"]
    subprocess.run(words, check=True, timeout=60)
    with Image.open(folder / "last.png") as image:
        return int(np.asarray(image.convert("RGB"))[0, 0, 0])


def probe(video: Path) -> tuple[int, int, float]:
    words = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height:format=duration", "-of", "csv=p=0", video]
    out = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout.split()
    width, height = out[0].split(",")
    return int(width), int(height), float(out[1])


@pytest.mark.full
def test_the_film_has_the_size_and_the_length_of_the_recording(screen: Path, tmp_path: Path) -> None:
    done = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert done.video is not None and done.note == "" and done.frames is None
    assert done.seconds == LENGTH
    assert probe(done.video) == (WIDTH, HEIGHT, pytest.approx(LENGTH, abs=ONE_PICTURE))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recording-sheet.png", "recording.mp4", "screen"]
    assert abs(last_shade(done.video, tmp_path) - 200) < 8


@pytest.mark.full
def test_a_screen_that_stands_still_gives_a_film_as_long_as_it_stood(screen: Path, tmp_path: Path) -> None:
    async def story() -> Recording:
        now = [0.0]
        async with record(lambda: screen, tmp_path / "still ' $(x).mp4", FAST, clock=lambda: now[0]) as recording:
            frames = recording.frames
            assert frames is not None
            await until(lambda: pictures(frames) == 1, "the first picture")
            now[0] = 60.0
        return recording

    done = asyncio.run(story())
    assert done.video is not None and (done.pictures, done.seconds) == (1, 60.0)
    assert probe(done.video)[2] == pytest.approx(60.0, abs=ONE_PICTURE)


@pytest.mark.full
def test_frames_left_behind_become_a_film_later(screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        done = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert done.frames is not None
    with done.frames.open("ab") as file:
        file.write(b"\x1f\x43\xb6\x75 torn off here")
    before = done.frames.read_bytes()
    asyncio.run(make_film(done.frames, tmp_path / "later.mp4"))
    assert done.frames.read_bytes() == before, "what was left is not touched"
    assert probe(tmp_path / "later.mp4")[2] == pytest.approx(done.seconds, abs=ONE_PICTURE)
    assert (tmp_path / "later-sheet.png").exists()


@pytest.mark.full
def test_the_command_makes_the_film_beside_the_frames(
    screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert main(["desktop", "video", str(tmp_path / "recording.frames.mkv")]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'recording.mp4'}: ")
    assert probe(tmp_path / "recording.mp4")[:2] == (WIDTH, HEIGHT)


@pytest.mark.usefixtures("without_ffmpeg")
def test_the_command_says_in_one_line_what_is_wrong(
    screen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    frames = str(tmp_path / "recording.frames.mkv")
    assert main(["desktop", "video", frames]) == 1
    assert main(["desktop", "video", str(screen)]) == 2
    assert main(["desktop", "video", frames, "-o", str(tmp_path / "no" / "x.mp4")]) == 2
    first, second, third = capsys.readouterr().err.splitlines()
    assert "no ffmpeg" in first and "not the frames of a recording" in second and "does not exist" in third


def put_ffmpeg(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let another ffmpeg be found before the real one."""
    program = folder / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_an_encoder_that_fails_leaves_the_frames_and_its_word(
    screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_ffmpeg(tmp_path, "echo 'no such codec' >&2; exit 1", monkeypatch)
    done = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert done.frames is not None and shades(done.frames) == [10, 200]
    assert "ffmpeg failed: no such codec" in done.note
    with pytest.raises(VideoError, match="no such codec"):
        asyncio.run(make_film(done.frames, tmp_path / "x.mp4"))


@pytest.mark.full
def test_an_older_ffmpeg_makes_the_film_too(screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = """case "$*" in *-fps_mode*)
    echo "Unrecognized option 'fps_mode'." >&2; echo "Error splitting the argument list: Option not found" >&2; exit 1
    esac; exec /usr/bin/ffmpeg "$@" """
    put_ffmpeg(tmp_path, old, monkeypatch)
    done = asyncio.run(two_shades(screen, tmp_path / "recording.mp4"))
    assert done.video is not None and probe(done.video)[:2] == (WIDTH, HEIGHT)


_NO_SPACE = """
import asyncio, resource, sys, threading
from pathlib import Path
from trueline.desktop.recording import record

async def main():
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
    async with record(lambda: Path(sys.argv[1]), Path(sys.argv[2]), 30.0) as recording:
        while any(thread.name == "recorder" for thread in threading.enumerate()):
            await asyncio.sleep(0.01)
    print(recording.pictures, recording.note)

asyncio.run(main())
"""


def test_a_full_disk_ends_the_recording_and_not_the_program(screen: Path, tmp_path: Path) -> None:
    target, frames = tmp_path / "recording.mp4", tmp_path / "recording.frames.mkv"
    room = str(len(head(Size(WIDTH, HEIGHT))) + 100)
    words = [sys.executable, "-c", _NO_SPACE, str(screen), str(target), room]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"0 {frames}: recording stopped: No space left on device")
