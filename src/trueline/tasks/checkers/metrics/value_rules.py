"""Rules `{method, ref}` on one value, as check_json and compare_table use them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.errors import CheckerError

_ORDER: dict[str, Callable[[Any, Any], object]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
_FLAGS = {
    name: re.RegexFlag[name]
    for name in ("A", "ASCII", "I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "L", "LOCALE", "U")
}


def holds(value: object, rule: dict[str, JsonValue]) -> bool:
    """Whether a value matches a rule.

    Raises:
        UnreadableResult: The rule cannot be applied to a value of this type.
        CheckerError: The rule itself is wrong.
    """
    method = rule.get("method")
    if not isinstance(method, str) or "ref" not in rule:
        raise CheckerError(f"a rule needs a method and a ref: {rule}")
    ref = rule["ref"]
    name, _, rest = method.partition(".")
    if method in _ORDER:
        return _ordered(_ORDER[method], value, ref)
    if name == "re":
        return _matches(value, ref, rest)
    if method.startswith("approx:"):
        return _near(value, ref, method.removeprefix("approx:"))
    if name == "range":
        return _within(value, ref, rest)
    if method in ("str_list_eq", "str_set_eq"):
        return _same_words(value, ref, as_set=method == "str_set_eq")
    raise CheckerError(f"unknown method {method!r}")


def _ordered(compare: Callable[[Any, Any], object], value: object, ref: object) -> bool:
    try:
        return bool(compare(value, ref))
    except TypeError as error:
        raise UnreadableResult(str(error)) from error


def _matches(value: object, ref: JsonValue, flags: str) -> bool:
    names = flags.split(".") if flags else []
    if not isinstance(ref, str) or not set(names) <= _FLAGS.keys():
        raise CheckerError(f"re{'.' + flags if flags else ''}: needs a pattern, and flags such as I, M or S")
    try:
        pattern = re.compile(ref, sum((_FLAGS[name] for name in names), re.RegexFlag(0)))
    except (re.error, ValueError) as error:
        raise CheckerError(f"{ref!r}: not a regular expression: {error}") from error
    if not isinstance(value, str):
        raise UnreadableResult(f"{value!r} is not a string")
    return pattern.search(value) is not None


def _near(value: object, ref: JsonValue, tolerance: str) -> bool:
    try:
        width = float(tolerance)
    except ValueError as error:
        raise CheckerError(f"approx:{tolerance}: the tolerance must be a number") from error
    if not isinstance(ref, int | float):
        raise CheckerError(f"approx: ref must be a number, found {ref!r}")
    if not isinstance(value, int | float | str):
        return False
    try:
        return abs(float(value) - ref) <= width
    except ValueError:
        return False


def _within(value: object, ref: JsonValue, ends: str) -> bool:
    """`e` includes a limit, `t` excludes it: range.ee, range.et, range.te, range.tt."""
    if len(ends) != 2 or not set(ends) <= set("et") or not isinstance(ref, list) or len(ref) != 2:
        raise CheckerError(f"range.{ends}: must end in two letters, each e or t, and ref must be a list of two limits")
    below, above = (operator.le if end == "e" else operator.lt for end in ends)
    return _ordered(below, ref[0], value) and _ordered(above, value, ref[1])


def _same_words(value: object, ref: JsonValue, *, as_set: bool) -> bool:
    """The value is a comma-separated string, possibly quoted as in spreadsheets."""
    if not isinstance(ref, list):
        raise CheckerError("str_list_eq and str_set_eq: ref must be a list")
    if not isinstance(value, str):
        raise UnreadableResult(f"{value!r} is not a string")
    words: list[object] = [*value.strip("\"'").split(",")]
    return set(map(str, words)) == set(map(str, ref)) if as_set else words == ref
