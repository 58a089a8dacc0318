"""Metrics of values that a getter reads: a program's output, a list, an object."""

from __future__ import annotations

import ast
import json
from typing import cast

from pydantic import JsonValue

from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    flag,
    pass_if,
    required,
    required_text,
    rules_of,
)
from trueline.tasks.errors import CheckerError

_FAILED = "__EVALUATION_FAILED__"
"""What a getter of OSWorld leaves in place of an expected value that it could not work out."""
_NOTHING = CheckResult(0.0, "there is nothing to check")


def match_in_list(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the value is one of `rules.expected`."""
    return pass_if(_contains(required(rules_of(expected), "expected"), result, CheckerError), "it is not in the list")


def is_in_list(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether `rules.expected` is in the list."""
    wanted = required(rules_of(expected), "expected")
    return pass_if(_contains(result, wanted, UnreadableResult), "the list does not hold it")


def _contains(holder: Value, item: Value, error: type[CheckerError] | type[UnreadableResult]) -> bool:
    """`in` as Python has it: for text a part, for an object a key."""
    if isinstance(holder, str) and isinstance(item, str):
        return item in holder
    if isinstance(holder, dict):
        return isinstance(item, str) and item in holder
    if isinstance(holder, list):
        return item in holder
    raise error(f"{holder!r:.100} cannot hold {item!r:.100}")


def literal_match(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether two values are equal as text; with `type: list` item by item."""
    kind = options.get("type", "str")
    if kind == "list":
        if not isinstance(result, list) or not isinstance(expected, list) or len(result) != len(expected):
            return CheckResult(0.0, "not lists of the same length")
        pair = [list(map(str, result)), list(map(str, expected))]
    elif kind == "str":
        pair = [[str(result)], [str(expected)]]
    else:
        raise CheckerError(f"literal_match: unknown type {kind!r}")
    if flag(options, "ignore_case"):
        pair = [[text.lower() for text in texts] for texts in pair]
    return pass_if(pair[0] == pair[1], "the values differ")


def compare_answer(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a non-empty value equals `rules.expected`."""
    if not result:
        return _NOTHING
    return pass_if(result == required(rules_of(expected), "expected"), "the value is different")


def check_direct_json_object(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether an object has the values of `rules.expected`.

    With `rules.expect_in_result` a string must be found in the value, and one of a list must be the value.
    """
    rules = rules_of(expected)
    found: Value | object = _read_object(result) if isinstance(result, str) else result
    if found is None:
        return _NOTHING
    wanted = rules.get("expected", {})
    if not isinstance(wanted, dict) or "expected" not in rules:
        return CheckResult(0.0, "rules.expected is not an object, which nothing fits")
    if _FAILED in wanted.values():
        return CheckResult(0.0, "an expected value could not be worked out")
    loosely = bool(rules.get("expect_in_result", False))
    if not loosely and wanted.get("ignore_list_order", False):
        return CheckResult(0.0, "ignore_list_order among the expected values, which no object fits")
    if not isinstance(found, dict):
        return pass_if(not wanted, "not an object")
    fits = _found_in if loosely else _equals
    holder = cast("dict[str, object]", found)
    wrong = [key for key, value in wanted.items() if not fits(value, holder.get(key))]
    return pass_if(not wrong, f"other values for {wrong}")


def _read_object(text: str) -> object:
    try:
        return json.loads(text.strip().replace("'", '"'))
    except (ValueError, RecursionError) as error:
        raise UnreadableResult(f"not JSON: {error}") from error


def _equals(wanted: JsonValue, found: object) -> bool:
    return wanted == found


def _found_in(wanted: JsonValue, found: object) -> bool:
    if isinstance(wanted, list):
        return any((isinstance(found, list) and item in found) or (isinstance(found, str) and item == found)
                   for item in wanted)  # fmt: skip
    return isinstance(wanted, str) and isinstance(found, str | list | dict) and wanted in found


def is_extension_installed(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the output of a command has `rules.expected`; with `type: not_contain`, whether it has not."""
    rules = rules_of(expected)
    kind = required(rules, "type")
    if kind not in ("contain", "not_contain"):
        raise CheckerError(f"is_extension_installed: rules.type must be contain or not_contain, not {kind!r}")
    holds = _contains(result, required(rules, "expected"), UnreadableResult)
    return pass_if(holds is (kind == "contain"), "it is listed" if holds else "it is not listed")


def is_in_vm_clickboard(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the clipboard (the expected value) holds `expected` of the rules (the result), or all of a list."""
    wanted = required(rules_of(result), "expected")
    texts = wanted if isinstance(wanted, list) else [wanted]
    missing = [text for text in texts if not _contains(expected, text, UnreadableResult)]
    return pass_if(not missing, f"the clipboard lacks {missing}")


def check_gnome_favorite_apps(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a printed list has the same items as `rules.expected`."""
    wanted = required(rules_of(expected), "expected")
    if not isinstance(wanted, list):
        raise CheckerError("check_gnome_favorite_apps: rules.expected must be a list")
    try:
        # Literals only: OSWorld executes what the command printed.
        found: object = ast.literal_eval(result) if isinstance(result, str) else None
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise UnreadableResult(f"not a list: {error}") from error
    if not isinstance(found, list):
        raise UnreadableResult("not a list")
    names = [str(item) for item in cast("list[object]", found)]
    return pass_if(len(names) == len(wanted) and set(names) == set(map(str, wanted)), f"the list is {names}")


def is_utc_0(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether the fourth line of timedatectl's output names a zone at UTC."""
    lines = result.split("\n") if isinstance(result, str) else []
    if len(lines) < 4:
        raise UnreadableResult("not the output of timedatectl")
    return pass_if(lines[3].endswith("+0000)"), f"the time zone is {lines[3].strip()}")


def check_text_enlarged(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether a printed factor is more than 1."""
    try:
        factor = float(result) if isinstance(result, str | int | float) else None
    except ValueError as error:
        raise UnreadableResult(str(error)) from error
    if factor is None:
        raise UnreadableResult("there is no factor")
    return pass_if(factor > 1, f"the factor is {factor}")


def check_moved_jpgs(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a folder holds exactly the names `rules.expected`."""
    wanted = required(rules_of(expected), "expected")
    children = result.get("children") if isinstance(result, dict) else None
    if not isinstance(wanted, list):
        raise CheckerError("check_moved_jpgs: rules.expected must be a list")
    if not isinstance(children, list):
        raise UnreadableResult("there is no such folder")
    names = [child.get("name") for child in children if isinstance(child, dict)]
    good = len(names) == len(wanted) and set(map(str, names)) == set(map(str, wanted))
    return pass_if(good, f"the folder holds {names[:20]}")


def is_vlc_fullscreen(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a window is as large as the screen; the two may come in any order."""
    if result is None or expected is None:
        return CheckResult(0.0, "there is no such window")
    for name in ("width", "height"):
        first, second = (side.get(name) if isinstance(side, dict) else None for side in (result, expected))
        if first is None or second is None:
            raise UnreadableResult(f"there is no {name}")
        if first != second:
            return CheckResult(0.0, f"the {name} is {first}, not {second}")
    return CheckResult(1.0)


def must_include(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the text has `rules.expected`, or each text of a list."""
    wanted = required(rules_of(expected), "expected")
    texts = wanted if isinstance(wanted, list) else [wanted]
    if not all(isinstance(text, str) for text in texts):
        raise CheckerError("must_include: rules.expected must be a string or a list of strings")
    found = _text_of(result)
    if found is None:
        return CheckResult(0.0, "there is no text")
    missing = [text for text in texts if not _contains(found, text, UnreadableResult)]
    return pass_if(not missing, f"the text lacks {missing}")


def must_exclude(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the text does not have `rules.expected`; a file that is gone has nothing."""
    wanted = required_text(rules_of(expected), "expected")
    found = _text_of(result)
    return pass_if(found is None or not _contains(found, wanted, UnreadableResult), "it is there")


def _text_of(result: Value) -> Value:
    return result.content.decode("utf-8", "replace") if isinstance(result, FileValue) else result


def check_path_existence(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether a path was found."""
    return pass_if(bool(result), "there is no such path")


def check_path_nonexistence(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether no path was found."""
    return pass_if(not result, "there is such a path")
