"""Metrics of settings files: GIMP, and LibreOffice's registrymodifications.xcu."""

from __future__ import annotations

from fnmatch import fnmatchcase
from xml.etree.ElementTree import Element

from trueline.tasks.checkers.archive import BadArchive, parse_xml
from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    pass_if,
    required,
    required_texts,
    rules_of,
    utf8,
)

_OOR = "{http://openoffice.org/2001/registry}"
_NO_FILE = CheckResult(0.0, "there is no such file")


def check_config_status(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a line of GIMP's settings begins with `rules.key` (one word or two) and ends with `rules.value`."""
    rules = rules_of(expected)
    key, value = required(rules, "key"), required(rules, "value")
    words = [key] if isinstance(key, str) else key if isinstance(key, list) and len(key) == 2 else None
    if not isinstance(result, FileValue):
        return _NO_FILE
    for line in utf8(result).split("\n"):
        if line.startswith("#"):
            continue
        items = line.strip().lstrip("(").rstrip(")\n").split()
        if items and items[: len(words or ())] == words and items[-1] == value:
            return CheckResult(1.0)
    return CheckResult(0.0, f"no line sets {key} to {value}")


def check_presenter_console_disable(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether LibreOffice's presenter console is off."""
    value = _registry_values(result, "/org.openoffice.Office.Impress/Misc/Start", "EnablePresenterScreen")[:1]
    return pass_if(value == ["false"] or (bool(value) and value[0].lower() == "false"), f"the setting is {value}")


def find_default_font(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether Writer's default font is `rules.font_name`."""
    wanted = required(rules_of(expected), "font_name")
    if not isinstance(result, FileValue):
        return _NO_FILE
    fonts = _registry_values(result, "/org.openoffice.Office.Writer/DefaultFont", "Standard")
    return pass_if(fonts[-1:] == [wanted] != [""], f"the font is {fonts[-1:]}")


def check_auto_saving_time(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether LibreOffice saves every `rules.minutes`."""
    wanted = required(rules_of(expected), "minutes")
    times = _registry_values(result, "/org.openoffice.Office.Common/Save/Document", "AutoSaveTimeIntervall")
    if not times:
        return CheckResult(0.0, "no time is set")
    try:
        return pass_if(int(times[-1]) == wanted, f"the time is {times[-1]}")
    except ValueError as error:
        raise UnreadableResult(f"the time is {times[-1]!r}") from error


def check_libre_locale(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether LibreOffice's locale fits one of the patterns `rules.locale_set`."""
    patterns = required_texts(rules_of(expected), "locale_set")
    root = _registry(result)
    for name in ("ooSetupSystemLocale", "ooLocale"):
        values = _values(root, "L10N", name, ends=True)
        if values:
            return pass_if(any(fnmatchcase(values[0], pattern) for pattern in patterns), f"the locale is {values[0]}")
    raise UnreadableResult("no locale is set")


def _registry(result: Value) -> Element:
    if not isinstance(result, FileValue):
        raise UnreadableResult("there is no such file")
    try:
        return parse_xml(result.content, result.name)
    except BadArchive as error:
        raise UnreadableResult(str(error)) from error


def _registry_values(result: Value, path: str, name: str) -> list[str]:
    return _values(_registry(result), path, name)


def _values(root: Element, path: str, name: str, *, ends: bool = False) -> list[str]:
    """All values of a setting, in the order of the file."""
    found: list[str] = []
    for item in root.iter("item"):
        place = item.get(f"{_OOR}path", "")
        if place == path or (ends and place.endswith(path)):
            props = [prop for prop in item.findall("prop") if prop.get(f"{_OOR}name") == name]
            found += [value.text or "" for prop in props for value in prop.findall("value")]
    return found
