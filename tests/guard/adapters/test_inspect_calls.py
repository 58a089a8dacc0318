"""Tool calls of Inspect as actions."""

from __future__ import annotations

import pytest

from trueline.actions import Action, Click, Code, DecodeError, Hotkey, Key, Point, Type, Wait, bare
from trueline.errors import InputError
from trueline.guard.adapters.inspect_calls import read_call

AT = Point(3, 4)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"action": "left_click", "coordinate": [3, 4]}, [Click(at=AT)]),
        ({"action": "left_click", "coordinate": [3, 4], "text": None, "actions": None}, [Click(at=AT)]),
        ({"action": "back_click", "coordinate": [3, 4]}, [Click(at=AT, button="back")]),
        ({"action": "forward_click"}, [Click(button="forward")]),
        ({"action": "type", "text": "a"}, [Type(text="a")]),
        ({"action": "type", "text": "a", "coordinate": [3, 4], "press_enter": True},
         [Click(at=AT), Type(text="a"), Key(key="enter")]),
        ({"action": "navigate", "text": "https://x.example"},
         [Hotkey(keys=("ctrl", "l")), Type(text="https://x.example"), Key(key="enter")]),
        ({"action": "open_web_browser"}, [Code(source="open_web_browser", language="bash")]),
        ({"actions": [{"action": "wait", "duration": 1}, {"action": "left_click", "coordinate": [3, 4]}]},
         [Wait(seconds=1), Click(at=AT)]),
    ],
)  # fmt: skip
def test_calls_of_the_computer_tool(arguments: dict[str, object], expected: list[Action]) -> None:
    assert [bare(action) for action in read_call("computer", arguments)] == expected


@pytest.mark.parametrize(("function", "name"), [("bash", "command"), ("bash", "cmd"), ("python", "code")])
def test_programs(function: str, name: str) -> None:
    (action,) = read_call(function, {name: "ls"})
    assert isinstance(action, Code) and (action.language, action.source) == (function, "ls")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("computer", {}),
        ("computer", {"action": "explode"}),
        ("computer", {"action": "navigate", "text": "x", "coordinate": [1, 2]}),
        ("computer", {"action": "wait", "actions": [{"action": "type", "text": "rm"}]}),
        ("computer", {"actions": ["type"]}),
        ("computer", {"actions": "type"}),
        ("bash", {}),
        ("bash", {"command": "ls", "cmd": "rm"}),
        ("python", {"code": 7}),
    ],
)
def test_what_does_not_fit_is_refused(function: str, arguments: dict[str, object]) -> None:
    with pytest.raises(DecodeError):
        read_call(function, arguments)


def test_other_tools_are_not_judged() -> None:
    with pytest.raises(InputError, match="web_search"):
        read_call("web_search", {"query": "x"})
