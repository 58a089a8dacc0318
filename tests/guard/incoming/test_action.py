"""Actions in any vocabulary become proposals; what cannot be read never becomes an empty one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from trueline.actions import Click, Code, Done, Hotkey, Point, SafetyCheck, Size, Type, bare
from trueline.errors import InputError, TruelineError
from trueline.guard.incoming import read_proposal
from trueline.guard.incoming.action import read_actions

SCREEN = Size(1280, 720)
CLICK = Click(at=Point(10, 20))
QWEN = '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [8, 28]}}'
WAIT_CALL = {"type": "computer_call", "call_id": "c", "action": {"type": "wait"}}


@pytest.mark.parametrize(
    "data",
    [
        "pyautogui.click(10, 20)",
        {"kind": "click", "at": [10, 20]},
        [{"kind": "click", "at": [10, 20]}],
        CLICK,
        {"action_type": "CLICK", "parameters": {"x": 10, "y": 20}},
        {"action_type": "CLICK", "x": 10, "y": 20},
        {"action": "left_click", "coordinate": [10, 20]},
        {"type": "tool_use", "id": "t1", "name": "computer", "input": {"action": "left_click", "coordinate": [10, 20]}},
        {"type": "tool_use", "id": "t1", "name": "left_click", "input": {"coordinate": [10, 20]}},
        {"type": "click", "button": "left", "x": 10, "y": 20},
        {"type": "computer_call", "call_id": "c1", "action": {"type": "click", "button": "left", "x": 10, "y": 20}},
    ],
)
def test_the_vocabulary_is_told_by_its_shape(data: object) -> None:
    (action,) = read_actions(data, screen=SCREEN).actions
    assert bare(action) == CLICK


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("pyautogui_answer", "I click it.\n```python\npyautogui.click(10, 20)\n```"),
        ("computer_13", '```json\n{"action_type": "CLICK", "x": 10, "y": 20}\n```'),
        ("ui_tars", "Thought: there\nAction: click(point='<point>10 20</point>')"),
        ("opencua", "## Code:\n```python\npyautogui.click(x=10, y=20)\n```"),
        ("kimi", "## Code:\n```python\npyautogui.click(x=0.0079, y=0.0278)\n```"),
        ("qwen", f"<tool_call>{QWEN}</tool_call>"),
    ],
)
def test_answers_of_models_are_read_when_their_format_is_named(format: str, text: str) -> None:
    (action,) = read_actions(text, format=format, screen=SCREEN).actions  # pyright: ignore[reportArgumentType]: parametrised
    assert isinstance(action, Click)
    assert action.at is not None and abs(action.at.x - 10) <= 1 and abs(action.at.y - 20) <= 1


def test_several_actions_are_one_proposal_in_order() -> None:
    code = "pyautogui.hotkey('ctrl', 'l')\npyautogui.write('example.org')"
    proposal = read_proposal([code, "DONE"], id="p1", thought="go there")
    assert [type(action) for action in proposal.actions] == [Hotkey, Type, Done]
    assert (proposal.id, proposal.thought) == ("p1", "go there")


def test_code_hidden_behind_a_harmless_block_is_not_overlooked() -> None:
    source = 'x = """```python\nWAIT\n```"""\nimport os\nos.system("delete everything")'
    (action,) = read_actions(source).actions
    assert isinstance(action, Code) and "delete everything" in action.source


def test_safety_checks_of_the_provider_are_kept() -> None:
    call = {
        "type": "computer_call", "call_id": "c1", "action": {"type": "click", "button": "left", "x": 1, "y": 2},
        "pending_safety_checks": [{"id": "s1", "code": "malicious_instructions", "message": "careful"}],
    }  # fmt: skip
    assert read_proposal(call, id="p").safety_checks == (SafetyCheck("s1", "malicious_instructions", "careful"),)


def test_objects_of_an_sdk_are_read_like_their_json() -> None:
    class Block(BaseModel):
        type: str = "tool_use"
        id: str = "t1"
        name: str = "computer"
        input: dict[str, object]

    blocks = [Block(input={"action": "type", "text": "a"}), Block(name="bash", input={"command": "ls"})]
    typed, code = read_actions(blocks).actions
    assert bare(typed) == Type(text="a")
    assert isinstance(code, Code) and (code.language, code.source) == ("bash", "ls")


def test_the_display_a_model_was_told_is_scaled_to_the_screen() -> None:
    data = {"action": "left_click", "coordinate": [640, 360]}
    (action,) = read_actions(data, screen=Size(2560, 1440), display=Size(1280, 720)).actions
    assert bare(action) == Click(at=Point(1280, 720))
    with pytest.raises(TruelineError, match="outside"):
        read_actions({"action": "left_click", "coordinate": [1281, 0]}, screen=SCREEN)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "cannot detect its format"),
        ([], "cannot detect its format"),
        (None, "cannot detect its format"),
        (7, "cannot detect its format"),
        ({"kind": "click", "action": "left_click"}, "cannot detect its format"),
        (["DONE", {"kind": "done"}], "one format"),
        ({"kind": "explode"}, "typed action"),
        ({"kind": "click", "at": [1, 2], "surprise": 1}, "surprise"),
        ({"type": "function_call", "name": "x"}, "unknown action"),
        ([WAIT_CALL, {"type": "shell_call"}], "unknown action"),
        ({"type": "tool_use", "id": "t", "name": "str_replace_editor", "input": {}}, "unknown action"),
        ({"type": "tool_use", "id": "t", "name": "bash", "input": {"restart": True}}, "unknown action"),
        ([{"type": "text", "text": "I do nothing"}], "contains no action in the format"),
        (["WAIT"] * 201, "at most 200"),
    ],
)
def test_what_cannot_be_read_is_an_error(data: object, words: str) -> None:
    with pytest.raises(TruelineError, match=words):
        read_proposal(data, id="p")


def test_what_is_nested_too_deeply_is_an_error() -> None:
    deep: object = "WAIT"
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(InputError, match="nested too deeply"):
        read_actions(deep)


@pytest.mark.parametrize("format", ["ui_tars", "qwen", "opencua", "kimi"])
def test_formats_with_their_own_coordinates_need_the_screen(format: str) -> None:
    with pytest.raises(InputError, match="requires the screen size"):
        read_actions("Action: wait()", format=format)  # pyright: ignore[reportArgumentType]: parametrised


KEYS = st.sampled_from(["kind", "type", "action", "action_type", "x", "input", "name", "text", "coordinate"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_whatever_comes_in_is_a_proposal_with_actions_or_an_error(data: object) -> None:
    try:
        proposal = read_proposal(data, id="p")
    except TruelineError:
        return
    assert proposal.actions
