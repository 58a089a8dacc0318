"""Metrics of Visual Studio Code's settings and keyboard shortcuts."""

from __future__ import annotations

import json

from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    pass_if,
    required,
    rules_of,
    utf8,
)
from trueline.tasks.errors import CheckerError


def check_json_settings(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a JSON object has all values of `rules.expected`."""
    wanted = required(rules_of(expected), "expected")
    if not isinstance(wanted, dict):
        raise CheckerError("check_json_settings: rules.expected must be an object")
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    found = _load(utf8(result))
    if not isinstance(found, dict):
        raise UnreadableResult(f"{result.name}: is not a JSON object")
    wrong = [key for key, value in wanted.items() if key not in found or found[key] != value]
    return pass_if(not wrong, f"other values for {wrong}")


def check_json_keybindings(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a JSON list has the entry `rules.expected`; the first line may be a comment."""
    wanted = required(rules_of(expected), "expected")
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    text = utf8(result)
    for document in (_load(text), _load(text.partition("\n")[2])):
        if isinstance(document, list):
            return pass_if(wanted in document, "there is no such shortcut")
    raise UnreadableResult(f"{result.name}: is not a JSON list")


def _load(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
