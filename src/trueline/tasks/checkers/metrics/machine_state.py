"""Metrics of RTC-Bench: what is installed, what runs, and how much of it there is."""

from __future__ import annotations

from pydantic import JsonValue

from trueline.tasks.checkers.values import (
    CheckResult,
    Options,
    UnreadableResult,
    Value,
    pass_if,
    required,
    rules_of,
)
from trueline.tasks.errors import CheckerError

_NOT_FOUND = "not found"
_INACTIVE = "inactive"


def check_htop_version(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether a shell found the program: its complaint says so otherwise."""
    return _was_found(result)


def check_nodejs(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether a shell found the program: its complaint says so otherwise."""
    return _was_found(result)


def check_termcolor_version(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether the listed packages name termcolor."""
    return pass_if("termcolor" in _text(result), "it is not listed")


def check_git_config(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether anything is set."""
    return pass_if(bool(_text(result).strip()), "it is not set")


def check_env_editor(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether anything is set."""
    return pass_if(bool(_text(result).strip()), "it is not set")


def check_service_active(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether a service is inactive: 1 means that it was stopped."""
    state = _text(result).strip()
    return pass_if(_INACTIVE in state, f"its state is {state or 'not known'}")


def check_terminal_cnt(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a printed number is at least `rules.expected`."""
    return _at_least(_number(result), expected, "check_terminal_cnt")


def check_file_cnt(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a printed number is at least `rules.expected`."""
    return _at_least(_number(result), expected, "check_file_cnt")


def check_tab_cnt(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether at least `rules.expected` tabs are open."""
    if not isinstance(result, list):
        raise UnreadableResult("the result is not a list of tabs")
    return _at_least(len(result), expected, "check_tab_cnt")


def check_file_password(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether the password opens the encrypted archive."""
    return pass_if(bool(result), "there is no archive that is encrypted with this password")


def _was_found(result: Value) -> CheckResult:
    return pass_if(_NOT_FOUND not in _text(result), "the program is not there")


def _text(result: Value) -> str:
    if not isinstance(result, str):
        raise UnreadableResult("not the output of a command")
    return result


def _number(result: Value) -> int:
    try:
        return int(_text(result).strip()[:20])
    except ValueError as error:
        raise UnreadableResult("not a number") from error


def _at_least(found: int, expected: Value, metric: str) -> CheckResult:
    wanted: JsonValue = required(rules_of(expected), "expected")
    if not isinstance(wanted, int) or isinstance(wanted, bool):
        raise CheckerError(f"{metric}: rules.expected must be an integer")
    return pass_if(found >= wanted, f"there are {found}, not {wanted}")
