from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.actions import Hotkey, Key
from trueline.actions.keys import (
    CANONICAL_NAMES,
    PRINTABLE,
    canonical,
    model_name,
    openai_name,
    pressed,
    pyautogui_name,
    read_combo,
    read_key,
    read_sequence,
    unknown_keys,
    x_combo,
    x_name,
)

MAC_NAMES = {"command", "option", "optionright"}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("return", "enter"), ("Escape", "esc"), ("DEL", "delete"), ("pgdn", "pagedown"), ("win", "winleft"),
        ("ctrlleft", "ctrl"), ("prtscr", "printscreen"), (" ", "space"), ("\n", "enter"), ("\t", "tab"), ("A", "A"),
        ("F5", "f5"), ("command", "command"), ("option", "option"), ("no_such_key", "no_such_key"),
    ],
)  # fmt: skip
def test_canonical_spelling(name: str, key: str) -> None:
    assert canonical(name) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Return", "enter"), ("KP_Enter", "enter"), ("Page_Down", "pagedown"), ("Next", "pagedown"),
        ("Prior", "pageup"), ("BackSpace", "backspace"), ("Super_L", "winleft"), ("Super_R", "winright"),
        ("super", "winleft"),
        ("Control_L", "ctrl"), ("Alt_R", "altright"), ("ISO_Level3_Shift", "altright"),
        ("KP_0", "num0"), ("F12", "f12"), ("plus", "+"), ("minus", "-"), ("period", "."),
        ("XF86AudioRaiseVolume", "volumeup"), ("Menu", "apps"),
        ("CTRL", "ctrl"), ("ARROWLEFT", "left"), ("ESC", "esc"), ("CMD", "winleft"), ("META", "winleft"),
        ("OPTION", "alt"), ("SPACE", "space"), ("PAGEDOWN", "pagedown"), ("CAPSLOCK", "capslock"), ("DELETE", "delete"),
        ("arrowdown", "down"), ("control", "ctrl"), ("windows", "winleft"), ("pageup", "pageup"), ("ArrowUp", "up"),
        ("Greek_ALPHA", "Greek_ALPHA"), ("dead_acute", "dead_acute"), ("é", "é"), ("A", "A"),
    ],
)  # fmt: skip
def test_names_of_models(name: str, key: str) -> None:
    assert read_key(name) == key


@given(st.sampled_from(sorted(CANONICAL_NAMES - MAC_NAMES) + sorted(PRINTABLE)))
def test_every_key_survives_being_written_as_keysym(key: str) -> None:
    assert read_key(x_name(key)) == key


@given(st.sampled_from(sorted(CANONICAL_NAMES - MAC_NAMES)))
def test_every_named_key_survives_openai(key: str) -> None:
    assert read_key(openai_name(key)) == key


@pytest.mark.parametrize("write", [x_name, openai_name, model_name])
@pytest.mark.parametrize("key", ["command", "option", "return", "two words", "a+b", ""])
def test_a_key_that_would_be_read_as_another_has_no_name(write: Callable[[str], str], key: str) -> None:
    with pytest.raises(ValueError, match="no "):
        write(key)


@pytest.mark.parametrize("key", ["KP_Enter", "é", "return", ""])
def test_pyautogui_ignores_what_is_not_in_its_list(key: str) -> None:
    with pytest.raises(ValueError, match="ignores"):
        pyautogui_name(key)


@given(st.lists(st.sampled_from(sorted(CANONICAL_NAMES - MAC_NAMES) + sorted(PRINTABLE)), min_size=1, max_size=4))
def test_combinations_round_trip(keys: list[str]) -> None:
    assert read_combo(x_combo(tuple(keys))) == tuple(keys)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ctrl+s", ("ctrl", "s")),
        ("ctrl++", ("ctrl", "+")),
        ("+", ("+",)),
        ("alt+Tab", ("alt", "tab")),
        ("ctrl + s", ("ctrl", "s")),
    ],
)
def test_read_combo(text: str, keys: tuple[str, ...]) -> None:
    assert read_combo(text) == keys


@pytest.mark.parametrize("text", ["", "ctrl++s", "+s", "ctrl+ +s"])
def test_a_combination_with_a_hole_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no key"):
        read_combo(text)


def test_read_sequence() -> None:
    assert read_sequence("Down Down ctrl+s") == (("down",), ("down",), ("ctrl", "s"))
    assert read_sequence(" ") == (("space",),)
    with pytest.raises(ValueError, match="no key"):
        read_sequence("  ")


def test_pressed() -> None:
    assert pressed(("a",)) == Key(key="a")
    assert pressed(("ctrl", "a")) == Hotkey(keys=("ctrl", "a"))


@pytest.mark.parametrize(
    ("key", "ours"),
    [("super", "winleft"), ("Super_L", "winleft"), ("super_r", "winright"), ("cmd", "winleft"), ("control", "ctrl"),
     ("page_down", "pagedown"), ("arrowup", "up"), ("windows", "winleft")],
)  # fmt: skip
def test_a_key_under_another_name_is_written_as_every_codec_knows_it(key: str, ours: str) -> None:
    """As it stands in code that a model wrote for pyautogui: the desktop presses it."""
    assert pyautogui_name(key) == ours
    assert [read_key(write(key)) for write in (x_name, openai_name, model_name)] == [ours] * 3
    assert unknown_keys([Hotkey(keys=(key, "a"))]) == ""
