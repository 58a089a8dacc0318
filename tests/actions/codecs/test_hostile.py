"""Input made to break a parser: it must end as `Code` or a typed error, soon, and run nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.actions import DecodeError, Size
from trueline.actions.codecs import claude, computer_13, openai, opencua, qwen, ui_tars
from trueline.actions.codecs.pyautogui import decode, strip_comments
from trueline.actions.codecs.pyautogui.answer import decode_answer, parse_answer
from trueline.actions.facts import facts, proposal_facts

pytestmark = pytest.mark.full

SCREEN = Size(1920, 1080)
MANY = 200_000

BOMBS = {
    "parentheses": "(" * MANY,
    "closed parentheses": "(" * 90 + ")" * 90,
    "minus signs": "-" * MANY + "1",
    "some minus signs": "-" * 900 + "1",
    "a long sum": "x = 1" + "+1" * 30_000,
    "a long attribute": "a" + ".b" * 30_000,
    "a chain of calls": "pyautogui" + ".click()" * 12_000,
    "subscripts": "x = a" + "[0]" * 30_000,
    "nested blocks": "".join(" " * i + "with pyautogui.hold('a'):\n" for i in range(95)) + " " * 95 + "pass",
    "too many nested blocks": "".join(" " * i + "if 1:\n" for i in range(300)),
    "lambdas": "lambda:" * 20_000 + "1",
    "a null byte": "pyautogui.click(1, 2)\0",
    "a lone surrogate": "pyautogui.write('\ud800')",
    "a huge number": "x = " + "9" * 5_000,
    "a huge hexadecimal number": "x = 0x" + "f" * 90_000,
    "many statements": "x;" * 49_000,
    "many variables": "t = 'a' * 9999\n" + "".join(f"v{i} = t + ''\n" for i in range(5_000)),
    "many actions": "pyautogui.press('a')\n" * 4_000,
    "many keys": "pyautogui.press(['a'] * 1000, presses=1000)",
    "much text": "t = 'a' * 9999\n" + "pyautogui.write(t)\n" * 5_000,
    "a long statement for many actions": "pyautogui.press(['a', " + "'b', " * 900 + "], presses=1)",
    "one megabyte of text": "pyautogui.write('" + "a" * 1_000_000 + "')",
    "one megabyte of comment": "#" * 1_000_000,
    "fences": "```" * 100_000,
    "fences behind quotes": "```\n" + "'```\n" * 100_000,
    "open fences": "```python\nx ``` y " * 50_000,
    "markers": "Action:\n" * 100_000,
    "markers with calls": "Action: click(\n" * 60_000,
    "quotes": "Action: type(content='" + "' " * 300_000,
    "spaces": "Action: type(content='x'" + " " * 1_000_000,
    "thinking": "<think>" * 100_000,
    "tool calls": "<tool_call>" * 60_000,
    "empty tool calls": "<tool_call>{}</tool_call>" * 30_000,
    "deep JSON": '<tool_call>{"name": "computer_use", "arguments": ' + "[" * MANY,
    "sections": "## Action   \n" * 60_000,
    "section spaces": "Action" + " " * 500_000 + "x",
    "dotted words": "pyautogui.write('" + "a.bb" * 20_000 + "')",
    "slashes": "pyautogui.write('" + "/" * 90_000 + "')",
    "at signs": "pyautogui.write('" + "a@" * 45_000 + "')",
    "schemes": "pyautogui.write('" + "http:" * 19_000 + "')",
}  # fmt: skip


def refusal(read: Callable[[], object]) -> str:
    """Return why something is refused, "" when it is understood. Any other error is a failure of the codec."""
    try:
        read()
    except DecodeError as error:
        return str(error) if error.raw else "nothing kept\n"
    return ""


@pytest.mark.parametrize("name", BOMBS)
def test_programs(name: str) -> None:
    decoded = decode(BOMBS[name])
    assert len(decoded.actions) <= 1_000
    proposal_facts(decoded.actions)
    assert sum(len(action.model_dump_json()) for action in decoded.actions) < 4_000_000


@pytest.mark.parametrize("name", BOMBS)
def test_answers(name: str) -> None:
    text = BOMBS[name]
    parse_answer(text)
    strip_comments(text)
    for action in decode_answer(f"```python\n{text}\n```").actions:
        facts(action)
    readers: list[Callable[[], object]] = [
        lambda: computer_13.decode_answer(f"```json\n{text}\n```"),
        lambda: ui_tars.decode(text, ui_tars.scale(SCREEN)),
        lambda: ui_tars.decode(f"Action: type(content='{text}')", ui_tars.scale(SCREEN)),
        lambda: opencua.decode(text, SCREEN, "kimi"),
        lambda: opencua.decode(f"## Code\n```python\n{text}\n```", SCREEN, "relative"),
        lambda: qwen.decode(text, qwen.scale(SCREEN)),
    ]
    for read in readers:
        reason = refusal(read)
        assert len(reason) < 500 and "\n" not in reason


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
NAMES = """
    action type coordinate start_coordinate text keys x y path button duration time scroll_direction scroll_amount
    pixels status region repeat action_type parameters
"""
field_names = st.sampled_from(NAMES.split())
values = json_values | st.sampled_from(
    ["click", "left_click", "key", "type", "scroll", "drag", "keypress", "wait", "CLICK", "HOTKEY", "zoom", "terminate"]
)
objects = st.dictionaries(field_names, values, max_size=6)


@settings(deadline=None, max_examples=300)
@given(objects)
def test_any_object_is_understood_or_refused(data: dict[str, object]) -> None:
    scale = qwen.scale(SCREEN)
    readers: list[Callable[[], object]] = [
        lambda: computer_13.decode(data),
        lambda: claude.decode_call("computer", data, "computer_20251124", scale),
        lambda: claude.decode_call(str(data.get("action")), data, "computer_toolset_20260801", scale),
        lambda: openai.decode_action(data, scale),
        lambda: openai.decode_call({"call_id": "c", "action": data}, scale),
        lambda: qwen.decode_arguments(data, scale),
    ]
    for read in readers:
        refusal(read)


words = st.sampled_from(
    [
        *("pyautogui", ".", "click", "(", ")", ",", "1", "'a'", "=", "\n", "x", "[", "]", "*", "import ", "with ", ":"),
        *(
            " ",
            "hold",
            "press",
            "-",
            "0.5",
            "None",
            "f'{x}'",
            "time.sleep",
            "#",
            ";",
            "PAUSE",
            "lambda: ",
            "```",
            "DONE",
        ),
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(words, max_size=25).map("".join) | st.text(max_size=60))
def test_any_text_is_understood_or_refused(text: str) -> None:
    decoded = decode(text)
    proposal_facts(decoded.actions)
    for action in (*decoded.actions, *decode_answer(text).actions):
        action.model_dump_json()
    refusal(lambda: ui_tars.decode(f"Action: {text}", ui_tars.scale(SCREEN)))
    refusal(lambda: opencua.decode(f"```{text}```", SCREEN, "qwen25"))
    refusal(lambda: qwen.decode(f"<tool_call>{text}</tool_call>", qwen.scale(SCREEN)))


def test_nested_objects_are_refused() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DecodeError):
        computer_13.decode({"action_type": "CLICK", "x": deep, "y": 1})
    with pytest.raises(DecodeError):
        claude.decode_call("left_click", {"coordinate": deep}, "computer_toolset_20260801", qwen.scale(SCREEN))
