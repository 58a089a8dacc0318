"""What tasks expect of a whole desktop: a volume, and GNOME's settings."""

from __future__ import annotations

import asyncio
import struct
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.tasks.facilities import local_facilities

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def desktop(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    desktop = LocalDesktop(LocalOptions(width=800, height=600))
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


def said(runner: asyncio.Runner, desktop: LocalDesktop, script: str) -> str:
    done = runner.run(desktop.run(("sh", "-c", script)))
    assert (done.returncode, done.stderr) == (0, b""), script
    return done.text.strip()


def test_the_volume_can_be_read_and_set(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    volume = "pactl list sinks | grep -m 1 -o 'Volume:.*' | grep -o '[0-9]*%' | head -n 1"
    assert said(runner, desktop, "pgrep pulseaudio || true") == "", "nothing has asked for it yet"
    assert said(runner, desktop, volume) == "50%"
    said(runner, desktop, "pactl set-sink-volume @DEFAULT_SINK@ 100%")
    assert said(runner, desktop, f"pulseaudio --start; {volume}") == "100%", "it goes on with the volume that was set"
    changes = [change.path for change in runner.run(desktop.diff())]
    assert [path for path in changes if "pulse" in path] == []


def test_a_player_plays_to_it(runner: asyncio.Runner, desktop: LocalDesktop, tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "tone.wav"), "wb") as tone:
        tone.setnchannels(1)
        tone.setsampwidth(2)
        tone.setframerate(8000)
        tone.writeframes(b"".join(struct.pack("<h", 9000 * (-1) ** (place // 20)) for place in range(8000 * 60)))
    runner.run(desktop.put("tone.wav", tmp_path / "tone.wav"))
    runner.run(desktop.launch(("vlc", "/home/user/tone.wav")))
    playing = "until pactl list sink-inputs | grep -q 'VLC media player'; do sleep 0.05; done; echo yes"
    assert said(runner, desktop, playing) == "yes"
    said(runner, desktop, "pkill vlc")


@pytest.mark.parametrize(
    ("schema", "key", "value"),
    [
        ("org.gnome.desktop.notifications", "show-banners", "false"),
        ("org.gnome.settings-daemon.plugins.power", "idle-dim", "false"),
        ("org.gnome.shell", "favorite-apps", "['a.desktop', 'b.desktop']"),
        ("org.gnome.desktop.background", "picture-uri", "'file:///home/user/a.png'"),
    ],
)
def test_settings_of_gnome_are_kept(
    runner: asyncio.Runner, desktop: LocalDesktop, schema: str, key: str, value: str
) -> None:
    schemas = local_facilities().schemas
    assert schemas is not None and schema in schemas
    said(runner, desktop, f'gsettings set {schema} {key} "{value}"')
    assert said(runner, desktop, f"gsettings get {schema} {key}") == value
