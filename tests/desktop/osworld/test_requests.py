"""Addresses, commands and answers as data: what is sent to a machine, and what is taken from it."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from trueline.actions import Action, Click, EncodeError, HoldKey, Hotkey, Key, KeyDown, Point, Type
from trueline.desktop.osworld import Address, parse_address
from trueline.desktop.osworld.http import Malformed
from trueline.desktop.osworld.requests import PREFIX, action_command
from trueline.desktop.osworld.untrusted_answers import read_png, read_tree
from trueline.desktop.osworld.windows import parse_windows
from trueline.desktop.types import Window
from trueline.errors import InputError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.0.0.5", Address("10.0.0.5")),
        ("desk-1.example:5001", Address("desk-1.example", 5001)),
        ("localhost:5000:9222:8006:8080", Address("localhost", 5000, 9222, 8006, 8080)),
        ("[::1]:5000:9222:8006:8080", Address("::1", 5000, 9222, 8006, 8080)),
        ("[fe80::1]", Address("fe80::1")),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert address.url(address.server).endswith(f":{address.server}")


@pytest.mark.parametrize(
    "text",
    [
        "", ":5000", "host:", "host:0", "host:65536", "host:5e3", "host:5000:9222", "host:1:2:3:4:5", "http://host:5000",
        "host/path", "user@host", "ho st", "-host", "[::1", "[nonsense]:5000", "[::1]5000", "host:٥٠٠٠", "x\r\ny:5000",
    ],
)  # fmt: skip
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(InputError):
        parse_address(text)


def test_a_real_pyautogui_gets_what_it_can_do() -> None:
    def code(*words: object) -> str:
        return "\n".join(map(str, words))

    command = action_command(Type(text="a<b<"), any_text=False)
    assert command[:2] == ["python", "-c"] and command[2].startswith(PREFIX)
    assert "'<'" not in command[2] and command[2].count("hotkey('shift', ',')") == 2
    pressed = action_command(Key(key="<", presses=2), any_text=False)[2]
    assert pressed.count("hotkey('shift', ',')") == 2
    with pytest.raises(EncodeError, match="cannot type"):
        action_command(Type(text="日本"), any_text=False)
    assert code(action_command(Type(text="日本<"), any_text=True)[2]).endswith("pyautogui.write('日本<')")


def test_windows_as_wmctrl_lists_them() -> None:
    text = (
        "0x01e00003 -1 1201 0    0    1920 1080 nautilus-desktop.Nautilus-desktop  ubuntu Desktop\n"
        "0x03a00007  0 1544 72   64   1200 800  google-chrome.Google-chrome  ubuntu Mail - a  b - Google Chrome\n"
        "0x04200003  0 0    -5   12   640  480  Navigator.firefox  N/A \n"
        "_NET_CLIENT_LIST_STACKING: window id # 0x1e00003, 0x4200003, 0x3a00007\n"
        "_NET_ACTIVE_WINDOW: window id # 0x3a00007\n"
    )
    assert parse_windows(text) == (
        Window(0x1E00003, "Desktop", "nautilus-desktop", 1201, 0, 0, 1920, 1080),
        Window(0x4200003, "", "firefox", None, -5, 12, 640, 480),
        Window(0x3A00007, "Mail - a  b - Google Chrome", "google-chrome", 1544, 72, 64, 1200, 800, active=True),
    )
    assert parse_windows("nonsense\n\n") == ()


def png(width: int = 4, height: int = 3) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "PNG")
    return out.getvalue()


def huge() -> bytes:
    """A picture that says it has 10 billion pixels."""
    body = b"IHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    return png()[:8] + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body)) + png()[33:]


def test_pictures() -> None:
    assert read_png(png()) == (png(), (4, 3))
    jpeg = io.BytesIO()
    Image.new("RGB", (4, 3)).save(jpeg, "JPEG")
    for bad in (b"", b"<html>", jpeg.getvalue(), png(300, 300)[:-100], huge()):
        with pytest.raises(Malformed):
            read_png(bad)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"AT": null}',
        b'{"AT": "<a>"}',
        b'{"AT": "<!DOCTYPE x [<!ENTITY a SYSTEM \\"file:///etc/passwd\\">]><a>&a;</a>"}',
        b'{"AT": "' + b"<a>" * 1000 + b'"}',
    ],
)
def test_trees_that_are_none(body: bytes) -> None:
    with pytest.raises(Malformed):
        read_tree(body)


@pytest.mark.parametrize(
    ("action", "call"),
    [
        (Key(key="return"), "pyautogui.press('enter')"),
        (Hotkey(keys=("Control_L", "Return")), "pyautogui.hotkey('ctrl', 'enter')"),
        (KeyDown(key="super"), "pyautogui.keyDown('winleft')"),
        (HoldKey(keys=("Page_Up",), duration=0.5), "pyautogui.hold(['pageup']"),
        (Click(at=Point(1, 2), modifiers=("control",)), "pyautogui.hold(['ctrl']"),
    ],
)
def test_keys_are_sent_under_the_names_that_pyautogui_knows(action: Action, call: str) -> None:
    assert call in action_command(action, any_text=False)[2]
    assert call in action_command(action, any_text=True)[2]


def test_a_key_that_nobody_knows_is_an_error_and_not_nothing() -> None:
    with pytest.raises(EncodeError, match="hyperspace"):
        action_command(Key(key="hyperspace"), any_text=True)
