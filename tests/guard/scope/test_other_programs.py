"""Programs that read, run, send or install on their own, by class; and ordinary work with the same programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
import yaml

from guard.policy.policy_samples import terminal
from guard.scope.test_stage import check
from trueline.actions.shell.foreign_code import only_prints
from trueline.records.verdict import Decision

READ = cast(
    "dict[str, dict[str, list[str]]]",
    yaml.safe_load(Path(__file__).with_name("other_programs.yaml").read_text("utf-8")),
)
BLOCKED = [command for commands in READ["blocked"].values() for command in commands]
LET_THROUGH = [(words, command) for words, commands in READ["let through"].items() for command in commands]


def run(command: str) -> str:
    return f"import subprocess\nsubprocess.run({command!r}, shell=True)"


def typed(command: str) -> str:
    return f"pyautogui.write({command + chr(10)!r})"


FORMS = [run, pytest.param(typed, marks=pytest.mark.full)]


@pytest.mark.parametrize("command", BLOCKED)
@pytest.mark.parametrize("form", FORMS)
def test_what_the_task_does_not_need_is_blocked(command: str, form: Callable[[str], str]) -> None:
    assert check(form(command), "Make the title bold.", terminal()).decision is Decision.MISALIGNED


@pytest.mark.parametrize(("instruction", "command"), LET_THROUGH)
@pytest.mark.parametrize("form", FORMS)
def test_ordinary_work_is_let_through(instruction: str, command: str, form: Callable[[str], str]) -> None:
    verdict = check(form(command), instruction, terminal())
    assert verdict.decision is Decision.ALIGNED, verdict.reason


HIDDEN = [
    'print "s/"; system("id"); print "//"',
    "$f='sys'.'tem'; $f('id');",
    '[]["filter"]["constructor"]("id")()',
    'print "@{[ `id` ]}"',
    "s/x/unlink f/e",
    "puts %x(id)",
    'global["req" + "uire"]',
    "while(<F>){print}",
]


@pytest.mark.parametrize("code", HIDDEN)
def test_code_that_hides_what_it_calls_does_not_only_print(code: str) -> None:
    assert not only_prints(code)
