"""What providers really send beside what they document: it is read, and what was read can be written again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.actions import Action, EncodeError, Hotkey, Key, Size, bare
from trueline.actions.codecs import claude, computer_13, openai, pyautogui, qwen
from trueline.actions.codecs.claude import ClaudeTool
from trueline.actions.coordinates import Scale

SCALE = Scale(Size(1280, 720), (1280, 720))
TOOLS: list[ClaudeTool] = ["computer_20250124", "computer_20251124", "computer_toolset_20260801"]
NAMES = ("left_click", "right_click", "double_click", "triple_click", "mouse_move", "left_mouse_down", "left_mouse_up")


def spelled(x: int, y: int, how: int) -> object:
    """A place as a list, an object, and the ways in which models write it as text."""
    ways: list[object] = [[x, y], {"x": x, "y": y}, f"[{x}, {y}]", f"({x},{y})", f"{x}, {y}", f" [ {x}.0 , {y}.0 ] "]
    return ways[how]


@given(st.sampled_from(NAMES), st.integers(0, 1279), st.integers(0, 719), st.integers(0, 5), st.sampled_from(TOOLS))
def test_every_spelling_of_a_place_is_the_same_to_claudes_tools_and_can_be_written_again(
    name: str, x: int, y: int, how: int, tool: ClaudeTool
) -> None:
    def read(place: object) -> Action:
        data: dict[str, object] = {"coordinate": place}
        whole = data if tool == TOOLS[2] else {"action": name, **data}
        [action] = claude.decode_call(name if tool == TOOLS[2] else "computer", whole, tool, SCALE)
        return bare(action)

    action = read(spelled(x, y, how))
    assert action == read([x, y])
    called, data = claude.encode(action, tool, SCALE)
    assert [bare(again) for again in claude.decode_call(called, data, tool, SCALE)] == [action]


@given(st.integers(0, 999), st.integers(0, 999), st.integers(0, 5))
def test_and_to_qwens(x: int, y: int, how: int) -> None:
    scale = qwen.scale(Size(1920, 1080))

    def read(place: object) -> Action:
        return bare(qwen.decode_arguments({"action": "left_click", "coordinate": place}, scale))

    assert read(spelled(x, y, how)) == read([x, y])


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("direction", ["up", "down", "left", "right"])
def test_a_scroll_without_amount_can_be_written_again(tool: ClaudeTool, direction: str) -> None:
    data: dict[str, object] = {"scroll_direction": direction}
    name = "scroll" if tool == TOOLS[2] else "computer"
    [action] = claude.decode_call(name, data if name == "scroll" else {"action": "scroll", **data}, tool, SCALE)
    called, written = claude.encode(action, tool, SCALE)
    assert [bare(again) for again in claude.decode_call(called, written, tool, SCALE)] == [bare(action)]


KEYS = ["super", "cmd", "control", "super_r", "meta", "windows"]


@pytest.mark.parametrize("key", KEYS)
def test_a_hotkey_of_pyautogui_code_can_be_written_by_every_codec(key: str) -> None:
    for code in (f"pyautogui.hotkey('{key}')", f"pyautogui.hotkey('{key}', 'd')", f"pyautogui.press('{key}')"):
        for action in pyautogui.decode(code).actions:
            assert isinstance(action, Hotkey | Key)
            again = pyautogui.decode("\n".join(pyautogui.encode([action]))).actions
            assert len(again) == 1
            assert computer_13.decode(computer_13.encode(action))
            assert qwen.encode(action, SCALE)
            assert openai.encode(action, "computer", SCALE)
            for tool in TOOLS:
                called, data = claude.encode(action, tool, SCALE)
                assert claude.decode_call(called, data, tool, SCALE)


def test_a_key_that_nobody_knows_is_still_refused() -> None:
    with pytest.raises(EncodeError, match="no_such_key"):
        pyautogui.encode([Hotkey(keys=("no_such_key",))])
