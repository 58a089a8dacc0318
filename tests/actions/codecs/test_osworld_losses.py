"""What OSWorld's own adapters lose or bend on the way; here it must arrive."""

from __future__ import annotations

import pytest

from trueline.actions import (
    Action,
    Click,
    CursorPosition,
    DecodeError,
    Done,
    Fail,
    HoldKey,
    Point,
    Scroll,
    Size,
    Type,
    Wait,
    Zoom,
    bare,
)
from trueline.actions.codecs import claude, computer_13, openai, opencua, pyautogui, qwen, ui_tars
from trueline.actions.coordinates import same

SCREEN = Size(1000, 1000)
SCALE = same(SCREEN)
P = Point(10, 20)
TARS = ui_tars.scale(SCREEN, "thousandths")


def by_claude(**data: object) -> list[Action]:
    return [*claude.decode_call("computer", data, "computer_20251124", SCALE)]


def by_openai(**data: object) -> list[Action]:
    return [*openai.decode_action({"x": 10, "y": 20, **data}, SCALE)]


def by_qwen(**data: object) -> list[Action]:
    return [qwen.decode_arguments(data, SCALE)]


def by_ui_tars(call: str) -> list[Action]:
    return [*ui_tars.decode(f"Action: {call}", TARS).actions]


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        pytest.param(
            by_claude(action="hold_key", text="a", duration=3), HoldKey(keys=("a",), duration=3), id="never released"
        ),
        pytest.param(by_claude(action="wait", duration=7), Wait(seconds=7), id="duration ignored"),
        pytest.param(
            by_claude(action="zoom", region=[0, 0, 10, 20]),
            Zoom(top_left=Point(0, 0), bottom_right=P),
            id="zoom rejected",
        ),
        pytest.param(by_claude(action="cursor_position"), CursorPosition(), id="cursor position rejected"),
        pytest.param(by_claude(action="type", text="naïve 中文"), Type(text="naïve 中文"), id="only ASCII typed"),
        pytest.param(by_openai(type="click", button="wheel"), Click(at=P, button="middle"), id="wheel taken as left"),
        pytest.param(by_openai(type="click", button="back"), Click(at=P, button="back"), id="back taken as left"),
        pytest.param(
            by_openai(type="click", button="forward"), Click(at=P, button="forward"), id="forward taken as left"
        ),
        pytest.param(
            by_openai(type="scroll", scroll_x=0, scroll_y=400),
            Scroll(at=P, dy=400, unit="pixels"),
            id="pixels as clicks",
        ),
        pytest.param(by_ui_tars("scroll(direction='left')"), Scroll(dx=-5), id="left not mapped"),
        pytest.param(by_ui_tars("scroll(direction='right')"), Scroll(dx=5), id="right not mapped"),
        pytest.param(by_ui_tars("scroll(direction='down')"), Scroll(dy=5), id="sign turned round without a point"),
        pytest.param(
            by_qwen(action="triple_click", coordinate=[10, 20]), Click(at=P, count=3), id="triple click dropped"
        ),
        pytest.param(
            by_qwen(action="hscroll", pixels=-9), Scroll(dx=-9, unit="pixels"), id="horizontal scroll dropped"
        ),
        pytest.param(by_qwen(action="answer", text="42"), Done(answer="42"), id="answer dropped"),
        pytest.param(by_qwen(action="terminate", status="failure"), Fail(), id="every end taken as done"),
        pytest.param([computer_13.decode({"action_type": "DONE"})], Done(), id="an object never ends the episode"),
        pytest.param(
            [*opencua.decode("```\ncomputer.wait()\n```", SCREEN, "kimi").actions], Wait(seconds=20), id="shorter wait"
        ),
    ],
)
def test_it_arrives(actions: list[Action], expected: Action) -> None:
    assert [bare(action) for action in actions] == [expected]


def test_no_code_block_is_a_parse_failure_of_its_own_and_no_fail() -> None:
    with pytest.raises(DecodeError, match="no code block"):
        opencua.decode("## Action:\nI think so.", SCREEN, "relative")


def test_a_semicolon_in_a_comment_does_not_break_the_program() -> None:
    answer = "```python\npyautogui.click(10, 20)  # close it; then look\n```"
    assert [bare(action) for action in pyautogui.decode_answer(answer).actions] == [Click(at=P)]
