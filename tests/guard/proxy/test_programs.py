"""What a request would run, as the guard is told it, and what the machine is sent."""

from __future__ import annotations

import json

import pytest

from trueline.actions import Click, Code, Key, Point, Size
from trueline.desktop.serve.replies import ReceivedRequest, Refused
from trueline.guard.proxy.requested_actions import RequestedActions, read_requested_actions

PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; "


def wanted(path: str, **document: object) -> RequestedActions:
    return read_requested_actions(path, ReceivedRequest("application/json", json.dumps(document).encode()))


def bash(asked: RequestedActions) -> list[str]:
    actions = asked.actions(Size(1920, 1080))
    return [action.source for action in actions if isinstance(action, Code) and action.language == "bash"]


def test_an_agents_action_is_typed() -> None:
    asked = wanted("/execute", command=["python", "-c", PREFIX + "pyautogui.click(0, 0); pyautogui.press('a')"])
    click, key = asked.actions(Size(1920, 1080))
    assert asked.by_agent and isinstance(click, Click) and click.at == Point(0, 0)
    assert isinstance(key, Key) and key.key == "a"


@pytest.mark.parametrize(
    "prefix",
    [PREFIX, "import pyautogui; import time; pyautogui.FAILSAFE = False\n", "import pyautogui; import time; "],
)
def test_what_is_no_plain_input_is_code_without_the_prefix(prefix: str) -> None:
    source = "import os; os.system('rm -rf /')"
    asked = wanted("/execute", command=["python", "-c", prefix + source], shell=False)
    (action,) = asked.actions(None)
    assert asked.by_agent and isinstance(action, Code) and (action.source, action.language) == (source, "python")
    assert asked.document == {"command": ["python", "-c", prefix + source], "shell": False}


@pytest.mark.parametrize(
    ("command", "shell", "line"),
    [
        (["rm", "-rf", "~/", "~/my files", "/tmp/a b"], False, "rm -rf ~/ ~/'my files' '/tmp/a b'"),
        ("rm -rf 'a b'", False, "rm -rf 'a b'"),
        ("rm *; echo $HOME", True, "rm *; echo $HOME"),
        (["rm $0", "x"], True, "sh -c 'rm $0' x"),
        (["rm x"], True, "rm x"),
        (["bash", "-c", "rm x | y"], False, "rm x | y"),
        (["/home/user/bash", "-c", "true"], False, "/home/user/bash -c true"),
        (["python", "-c", "import sys", "argument"], False, "python -c 'import sys' argument"),
        (["/home/user/python", "-c", PREFIX], False, f"/home/user/python -c '{PREFIX}'"),
    ],
)
def test_other_commands_are_lines_of_a_shell(command: str | list[str], shell: bool, line: str) -> None:
    asked = wanted("/execute", command=command, shell=shell)
    assert bash(asked) == [line] and not asked.by_agent


def test_python_without_any_effect_is_still_judged() -> None:
    (action,) = wanted("/execute", command=["python3", "-c", "x = 1"]).actions(None)
    assert isinstance(action, Code) and action.source == "x = 1"


def test_all_of_a_request_is_told() -> None:
    asked = wanted("/execute_with_verification", command=["true"], verification={"command_success": "rm x"})
    assert bash(asked) == ["true", "rm x"]
    assert bash(wanted("/run_bash_script", script="rm passwd", working_dir="/etc")) == ["cd /etc\nrm passwd"]
    (action,) = wanted("/run_python", code="import os").actions(None)
    assert isinstance(action, Code) and action.source == "import os"


def test_the_machine_gets_what_was_read() -> None:
    more = b'{"command": ["rm", "x"], "other": 1}'
    asked = read_requested_actions("/execute", ReceivedRequest("text/plain", more))
    assert asked.document == {"command": ["rm", "x"], "shell": False} and bash(asked) == ["rm x"]
    with pytest.raises(Refused, match="appears twice"):
        read_requested_actions(
            "/execute", ReceivedRequest("text/plain", b'{"command": ["true"], "command": ["rm", "x"]}')
        )
    assert wanted("/execute", command="touch 'a b'").document == {"command": ["touch", "a b"], "shell": False}


@pytest.mark.parametrize(
    "document",
    [{}, {"command": []}, {"command": ""}, {"command": [""]}, {"command": "a 'b"}, {"command": ["a", 1]},
     {"command": ["true"], "shell": "false"}, {"command": ["true"], "shell": 1}],
)  # fmt: skip
def test_what_could_mean_two_things_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(Refused) as refused:
        wanted("/execute", **document)
    assert refused.value.status == 400


def test_the_controllers_own_questions_are_known() -> None:
    question = "import platform; print(platform.system())"
    assert wanted("/execute", command=["python", "-c", PREFIX + question]).is_question
    for other in (question + "; import os", "import platform; print(platform.node())", ""):
        assert not wanted("/execute", command=["python", "-c", PREFIX + other]).is_question
