"""Metrics of Thunderbird's preferences, filters and folders."""

from __future__ import annotations

import io
import json
import re

from pydantic import JsonValue

from trueline.tasks.checkers.metrics.text_files import match_records, records
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
    utf8,
)
from trueline.tasks.errors import CheckerError

_NO_FILE = CheckResult(0.0, "there is no such file")
_PREFERENCE = re.compile(r'user_pref\("((?:[^"]|\\")+)", (.+)\);')
_CONDITION = re.compile(r"""\b(?:AND|OR) \([\w ]+,[\w ']+,(?:".+"|[^)]+)\)|\bALL\b""", re.DOTALL)
_KEYS = ("name", "enabled", "type", "action", "actionValue", "condition")
_START = "FROM - "


def check_thunderbird_prefs(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether each preference of `expect` is set and fits its rule, and none of `unexpect` fits."""
    rules = rules_of(expected)
    wanted, unwanted = (_preference_rules(rules, key) for key in ("expect", "unexpect"))
    if not isinstance(result, FileValue):
        return _NO_FILE
    fits = dict.fromkeys(wanted, False)
    unwelcome = False
    for line in io.StringIO(utf8(result)):
        found = _PREFERENCE.fullmatch(line.strip())
        if found is None:
            continue
        key, value = found[1], _preference(found[2])
        if key in wanted:
            fits[key] = holds(value, wanted[key])
        elif key in unwanted:
            unwelcome = unwelcome or holds(value, unwanted[key])
    missing = [key for key, good in fits.items() if not good]
    return pass_if(not missing and not unwelcome, f"not as expected: {missing}" if missing else "one is not welcome")


def _preference_rules(rules: dict[str, JsonValue], key: str) -> dict[str, dict[str, JsonValue]]:
    listed = rules.get(key, {})
    found = {name: rule for name, rule in listed.items() if isinstance(rule, dict)} if isinstance(listed, dict) else {}
    if not isinstance(listed, dict) or len(found) != len(listed):
        raise CheckerError(f"check_thunderbird_prefs: rules.{key} must be an object of rules")
    return found


def _preference(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableResult(f"a preference has the value {text[:100]!r}, which is not JSON") from error


def check_thunderbird_filter(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a mail filter fits each record of `expect`, and none fits one of `unexpect`."""
    rules = rules_of(expected)
    wanted, unwanted = (records(rules, key, "check_thunderbird_filter") for key in ("expect", "unexpect"))
    if not isinstance(result, FileValue):
        return _NO_FILE
    return match_records(_filters(utf8(result)), wanted, unwanted)


def _filters(text: str) -> list[dict[str, object]]:
    """The filters that have a condition, which comes last."""
    filters: list[dict[str, object]] = []
    current: dict[str, object] | None = None
    for line in io.StringIO(text):
        key = next((key for key in _KEYS if line.startswith(f"{key}=")), None)
        if key is None:
            continue
        # Between the quotes; the last line may lack its end.
        value = line[len(key) + 2 : -2].replace('\\"', '"').replace("\\\\", "\\")
        if key == "name":
            current = {"name": value}
        elif current is None:
            raise UnreadableResult(f"a filter has {key} before its name")
        elif key == "condition":
            current["condition"] = _CONDITION.findall(value)
            filters.append(current)
        else:
            current[key] = value
    return filters


def check_thunderbird_folder(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether two mail folders are alike in OSWorld's eyes.

    OSWorld leaves out every message that is not blank, so two folders with messages are always alike; this is kept,
    because published scores depend on it. To check messages use `mail_is`.
    """
    golds = expected if isinstance(expected, tuple) else (expected,)
    founds = result if isinstance(result, tuple) else (result,)
    for found, gold in zip(founds, golds, strict=False):
        if not isinstance(found, FileValue):
            return _NO_FILE
        if not isinstance(gold, FileValue):
            raise CheckerError("check_thunderbird_folder: the expected folder is missing")
        if _blank_messages(utf8(found), options) != _blank_messages(utf8(gold, CheckerError), options):
            return CheckResult(0.0, "one of the folders is empty")
    return CheckResult(1.0)


def _blank_messages(text: str, options: Options) -> int:
    blank = sum(1 for message in text.strip().split(_START) if not message.strip())
    return min(blank, 1) if flag(options, "remove_duplicate", default=True) else blank
