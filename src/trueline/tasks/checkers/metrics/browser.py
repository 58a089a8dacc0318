"""Metrics of the browser: open tabs, bookmarks, history, cookies, shortcuts, extensions, settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from urllib.parse import urlparse, urlunparse

from pydantic import JsonValue

from trueline.tasks.checkers.metrics.browser_urls import same_address
from trueline.tasks.checkers.values import (
    CheckResult,
    Options,
    UnreadableResult,
    Value,
    pass_if,
    required,
    required_text,
    required_texts,
    rules_of,
)
from trueline.tasks.errors import CheckerError

_Same = Callable[[str, str | None], bool]
_NO_TAB = CheckResult(0.0, "there is no such tab")


def is_expected_active_tab(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the active tab shows `rules.url`; a public suffix or `www` makes no difference."""
    return _active_tab(result, expected, same_address)


def is_expected_active_tab_approximate(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the active tab shows `rules.url`, apart from the query."""
    return _active_tab(result, expected, lambda wanted, found: _without_query(wanted) == _without_query(found or ""))


def _active_tab(result: Value, expected: Value, same: _Same) -> CheckResult:
    rules = rules_of(expected)
    kind = required(rules, "type")
    if not result:
        return _NO_TAB
    if kind != "url":
        return CheckResult(0.0, f"rules.type is {kind!r}, which no tab fits")
    found = result.get("url") if isinstance(result, dict) else result
    if found is not None and not isinstance(found, str):
        raise UnreadableResult("the address of the active tab is not text")
    return pass_if(same(required_text(rules, "url"), found), f"the active tab shows {found}")


def _without_query(url: str) -> str:
    try:
        return urlunparse(urlparse(url)._replace(query=""))
    except ValueError as error:
        raise UnreadableResult(f"not an address: {error}") from error


def is_expected_url_pattern_match(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether all patterns of `rules.expected` are found in the address."""
    patterns = required(rules_of(expected), "expected")
    if not isinstance(patterns, list | str):
        raise CheckerError("is_expected_url_pattern_match: rules.expected must be a list of patterns")
    url = result.get("url") if isinstance(result, dict) else result
    if not isinstance(url, str) or not url:
        return _NO_TAB
    for pattern in patterns:
        if not _search(pattern, url):
            return CheckResult(0.0, f"{url} does not match {pattern}")
    return CheckResult(1.0)


def is_expected_search_query(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether `rules.expect.pattern` is found in the address of the active tab."""
    pattern = required(rules_of(required(rules_of(expected), "expect")), "pattern")
    if not result:
        return _NO_TAB
    return pass_if(_search(pattern, _text(_field(result, "url"))), "the address does not match")


def _search(pattern: JsonValue, text: str) -> bool:
    if not isinstance(pattern, str):
        raise CheckerError(f"{pattern!r} is not a pattern")
    try:
        return re.search(pattern, text) is not None
    except re.error as error:
        raise CheckerError(f"{pattern!r}: not a regular expression: {error}") from error


def is_expected_tabs(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether as many tabs are open as `rules.urls` has, and each of these is open in one of them."""
    rules = rules_of(expected)
    kind = required(rules, "type")
    if not result:
        return CheckResult(0.0, "no tabs are open")
    if kind != "url":
        return CheckResult(0.0, f"rules.type is {kind!r}, which no tabs fit")
    wanted = required_texts(rules, "urls")
    found = [_text(_field(tab, "url")) for tab in _items(result)]
    if len(wanted) != len(found):
        return CheckResult(0.0, f"{len(found)} tabs are open instead of {len(wanted)}")
    missing = [url for url in wanted if not any(same_address(url, other) for other in found)]
    return pass_if(not missing, f"not open: {missing}")


def is_expected_bookmarks(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the bookmark bar holds exactly these folders, these pages, or these pages in `Liked Authors`."""
    rules = rules_of(expected)
    kind = required(rules, "type")
    if kind not in ("bookmark_bar_folders_names", "bookmark_bar_websites_urls", "liked_authors_websites_urls"):
        raise CheckerError(f"is_expected_bookmarks: unknown rules.type {kind!r}")
    if not result:
        return CheckResult(0.0, "there are no bookmarks")
    bar = _items(_field(_field(result, "bookmark_bar"), "children"))
    if kind == "bookmark_bar_folders_names":
        names = {_text(_field(mark, "name")) for mark in _of_kind(bar, "folder")}
        return pass_if(names == set(required_texts(rules, "names")), f"the folders are {sorted(names)}")
    if kind == "bookmark_bar_websites_urls":
        urls = {_text(_field(mark, "url")) for mark in _of_kind(bar, "url")}
        return pass_if(urls == set(required_texts(rules, "urls")), f"the pages are {sorted(urls)}")
    liked = next((mark for mark in _of_kind(bar, "folder") if _field(mark, "name") == "Liked Authors"), None)
    if liked is None:
        return CheckResult(0.0, "there is no folder 'Liked Authors'")
    urls = {_text(_field(mark, "url")) for mark in _of_kind(_items(_field(liked, "children")), "url")}
    return pass_if(any(urls == set(each) for each in _alternatives(rules)), f"the pages are {sorted(urls)}")


def _alternatives(rules: dict[str, JsonValue]) -> Iterator[tuple[JsonValue, ...]]:
    """All choices of one address for each page."""
    listed = required(rules, "urls")
    if not isinstance(listed, list):
        raise CheckerError("is_expected_bookmarks: rules.urls must be a list")
    return product(*(url if isinstance(url, list) else [url] for url in listed))


def _of_kind(marks: list[JsonValue], kind: str) -> list[JsonValue]:
    return [mark for mark in marks if _field(mark, "type") == kind]


def is_expected_installed_extensions(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether all extensions of `rules.expected` are installed."""
    wanted = required_texts(rules_of(expected), "expected")
    if not result:
        return CheckResult(0.0, "no extensions are installed")
    found = set(map(str, _items(result)))
    missing = [name for name in wanted if name not in found]
    return pass_if(not missing, f"not installed: {missing}")


def is_cookie_deleted(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether no cookie is left for `rules.domains`."""
    domains = _rule_list(expected, "is_cookie_deleted", "domains")
    for row in _rows(result):
        host = _text(_cell(row, 1))
        if any(same_address(domain, host) for domain in domains):
            return CheckResult(0.0, f"there is a cookie of {host}")
    return CheckResult(1.0)


def check_history_deleted(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether no visited address holds one of `rules.keywords`."""
    keywords = _rule_list(expected, "check_history_deleted", "keywords")
    for row in _rows(result):
        url = _text(_cell(row, 0))
        if any(keyword in url for keyword in keywords):
            return CheckResult(0.0, f"the history holds {url}")
    return CheckResult(1.0)


def _rule_list(expected: Value, function: str, kind: str) -> list[str]:
    rules = rules_of(expected)
    if required(rules, "type") != kind:
        raise CheckerError(f"{function}: rules.type must be {kind}")
    return required_texts(rules, kind)


def _rows(result: Value) -> list[JsonValue]:
    if result is None:
        raise UnreadableResult("there is no such database of the browser")
    return _items(result)


def is_shortcut_on_desktop(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a starter on the desktop has the line `Name=` or `Exec=` of the rules."""
    rules = rules_of(expected)
    kind = required(rules, "type")
    if kind not in ("name", "exec"):
        raise CheckerError(f"is_shortcut_on_desktop: rules.type must be name or exec, not {kind!r}")
    line = f"{kind.capitalize()}={required_text(rules, kind)}\n"
    if not isinstance(result, dict):
        raise UnreadableResult("there is no folder of starters")
    return pass_if(any(line in _text(content) for content in result.values()), f"no starter has {line.strip()}")


def check_enabled_experiments(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether exactly the experiments `rules.names` are enabled, in this order."""
    wanted = _rule_list(expected, "check_enabled_experiments", "names")
    names = [_text(experiment).split("@")[0] for experiment in _items(result)]
    return pass_if(names == wanted, f"the experiments are {names}")


def check_font_size(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the browser's font size is `rules.value`, or between `rules.min` and `rules.max`."""
    rules = rules_of(expected)
    kind = required(rules, "type")
    if kind not in ("value", "range"):
        raise CheckerError(f"check_font_size: rules.type must be value or range, not {kind!r}")
    size = _field(result, "default_font_size")
    if kind == "value":
        return pass_if(size == required(rules, "value"), f"the size is {size}")
    if not isinstance(size, int | float):
        raise UnreadableResult(f"the font size is {size!r}")
    low, high = required(rules, "min"), required(rules, "max")
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        raise CheckerError("check_font_size: rules.min and rules.max must be numbers")
    return pass_if(low < size < high, f"the size is {size}")


def is_added_to_steam_cart(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the page holds all of `rules.items`."""
    wanted = required_texts(rules_of(expected), "items")
    content = _text(_field(result, "content"))
    missing = [item for item in wanted if item not in content]
    return pass_if(not missing, f"the page lacks {missing}")


def _field(value: Value, key: str) -> JsonValue:
    if not isinstance(value, dict) or key not in value:
        raise UnreadableResult(f"the browser's data has no {key!r}")
    return value[key]


def _items(value: Value) -> list[JsonValue]:
    if not isinstance(value, list):
        raise UnreadableResult("the browser's data is not a list")
    return value


def _cell(row: JsonValue, place: int) -> JsonValue:
    if not isinstance(row, list) or len(row) <= place:
        raise UnreadableResult("the browser's database has other columns")
    return row[place]


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise UnreadableResult(f"{value!r} is not text")
    return value
