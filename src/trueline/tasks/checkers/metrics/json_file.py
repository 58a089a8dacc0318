"""check_json: rules on places in a JSON or YAML file."""

from __future__ import annotations

import json
from typing import cast

import yaml
from pydantic import JsonValue

from trueline.tasks.checkers.metrics.value_rules import holds
from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    flag,
    pass_if,
    rules_of,
)
from trueline.tasks.errors import CheckerError


def check_json(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether each rule of `expect` holds and none of `unexpect` does.

    A missing key matches no rule of `expect`, and is null for the rules of `unexpect`.
    """
    rules = rules_of(expected)
    wanted, unwanted = _rules(rules, "expect"), _rules(rules, "unexpect")
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    is_yaml = flag(options, "is_yaml")
    document = _parse(result, is_yaml=is_yaml)
    if is_yaml and document is None:
        raise UnreadableResult(f"{result.name}: is empty")
    for rule in wanted:
        found = _find(document, rule["key"])
        if not found or not holds(found[0], rule):
            return CheckResult(0.0, f"{rule['key']} does not fit")
    unwelcome = any(holds((_find(document, rule["key"]) or [None])[0], rule) for rule in unwanted)
    return pass_if(not unwelcome, "a value fits that must not")


def _rules(rules: dict[str, JsonValue], key: str) -> list[dict[str, JsonValue]]:
    listed = rules.get(key, [])
    if not isinstance(listed, list):
        raise CheckerError(f"check_json: rules.{key} must be a list")
    found = [rule for rule in listed if isinstance(rule, dict) and isinstance(rule.get("key"), list)]
    if len(found) != len(listed):
        raise CheckerError(f"check_json: each of rules.{key} must be an object with a key that is a list")
    return found


def _parse(file: FileValue, *, is_yaml: bool) -> object:
    try:
        text = file.content.decode("utf-8")
        return yaml.safe_load(text) if is_yaml else json.loads(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise UnreadableResult(f"{file.name}: is not valid {'YAML' if is_yaml else 'JSON'}: {error}") from error


def _find(document: object, key: JsonValue) -> list[object]:
    """The value at a path of keys, in a list; an empty list if there is none."""
    assert isinstance(key, list)
    found = [document]
    for part in key:
        inner = _inner(found[-1], part)
        if not inner:
            return []
        found += inner
    return found[-1:]


def _inner(value: object, part: JsonValue) -> list[object]:
    """The value at a key or index, in a list; an empty list if there is none.

    Raises:
        UnreadableResult: A list is too short.
    """
    if isinstance(value, dict):
        holder = cast("dict[object, object]", value)
        return [holder[part]] if isinstance(part, str | int) and part in holder else []
    if isinstance(value, list | str) and isinstance(part, int):
        items = cast("list[object] | str", value)
        if not -len(items) <= part < len(items):
            raise UnreadableResult(f"a list that a rule refers to has no item {part}")
        return [items[part]]
    return []
