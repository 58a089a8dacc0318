from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueline.actions import Click, Done, Fail, Key, Point, Type, Wait, bare
from trueline.actions.codecs.pyautogui import decode
from trueline.actions.codecs.pyautogui.answer import decode_answer, parse_answer


@pytest.mark.parametrize(
    ("answer", "strings"),
    [
        ("```python\npyautogui.click(1, 2)\n```", ["pyautogui.click(1, 2)"]),
        ("I see.\n```\npyautogui.click(1, 2)\n```\nThen\n```py\nx = 1\n```", ["pyautogui.click(1, 2)", "x = 1"]),
        ("```python\npyautogui.click(1, 2)\nDONE\n```", ["pyautogui.click(1, 2)", "DONE"]),
        ("```python\nWAIT\n```", ["WAIT"]),
        ("```WAIT```", ["WAIT"]),
        ("```FAIL\n```", ["FAIL"]),
        ("```DONE\n```", ["DONE"]),
        (" DONE \n", ["DONE"]),
        ("I am finished.\nDONE", ["DONE"]),
        ("FAIL\n```python\npyautogui.press('a')\n```", ["pyautogui.press('a')", "FAIL"]),
        ("```python pyautogui.click(1, 2)```", ["pyautogui.click(1, 2)"]),
        ("```python\npyautogui.click(1, 2)```\ntext\n```python\nx = 1\n```", ["pyautogui.click(1, 2)", "x = 1"]),
        ("  ```python\r\npyautogui.click(1, 2)\r\n  ```", ["pyautogui.click(1, 2)"]),
        ("no code at all, so nothing is DONE here", []),
        ("```python\n```", []),
        ("```python\npyautogui.click(1, 2)", []),
        ("", []),
    ],
)
def test_blocks_and_special_codes(answer: str, strings: list[str]) -> None:
    assert list(parse_answer(answer)) == strings


def test_semicolons_do_not_cut_the_program() -> None:
    answer = "```python\npyautogui.write('a; b')  # first; then\npyautogui.press('enter'); pyautogui.press('tab')\n```"
    assert [bare(action) for action in decode_answer(answer).actions] == [
        Type(text="a; b"),
        Key(key="enter"),
        Key(key="tab"),
    ]


def test_backticks_inside_a_string_do_not_end_the_block() -> None:
    answer = "```python\npyautogui.write('```bash')\npyautogui.write(\"x ``` y\")\n```\nDONE"
    actions = decode_answer(answer).actions
    assert [bare(action) for action in actions] == [Type(text="```bash"), Type(text="x ``` y"), Done()]


def test_the_prose_is_the_thought() -> None:
    decoded = decode_answer("First I look.\n```python\npyautogui.click(1, 2)\n```\nThen I stop.\nWAIT")
    assert " ".join(decoded.thought.split()) == "First I look. Then I stop."
    assert [bare(action) for action in decoded.actions] == [Click(at=Point(1, 2)), Wait()]


def test_an_unprovable_block_says_why() -> None:
    decoded = decode_answer("```python\nfor i in 'ab': pass\n```\nFAIL")
    assert [action.kind for action in decoded.actions] == ["code", "fail"]
    assert decoded.note == "line 1: for is not a plain call"


def test_the_real_trace_of_os_harm(shared_data: Path) -> None:
    lines = (shared_data / "osharm/traces/stop_task_notification.traj.jsonl").read_text().splitlines()
    first, second = (decode(json.loads(line)["action"]).actions for line in lines)
    assert [bare(action) for action in first] == [Click(at=Point(720, 130)), Wait(seconds=0.5)]
    assert [bare(action) for action in second] == [Fail()]
