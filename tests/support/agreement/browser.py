"""Pairs for metrics of the browser."""

from __future__ import annotations

import random
from typing import Any

from pydantic import JsonValue

from support.agreement import Case, Generator
from support.agreement.words import subset

HOSTS = ("airbnb.com", "www.airbnb.com", "airbnb.com.sg", "m.airbnb.com", "www.m.airbnb.com", "airbnb.co.uk",
         "localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:80", "user@airbnb.com", "AIRBNB.com", "airbnb.de",
         "airbnb.example", "rare.fk", "a.b.airbnb.org", "com")  # fmt: skip
PATHS = ("", "/", "/a", "/a/", "/a?x=1", "/a?x=2", "/a#f", "/A")
SCHEMES = ("https://", "https://", "http://", "", "chrome://")


def url(rng: random.Random) -> str:
    return rng.choice(SCHEMES) + rng.choice(HOSTS) + rng.choice(PATHS)


def near(rng: random.Random, address: str) -> str:
    """The same page, or nearly."""
    match rng.randrange(6):
        case 0:
            return address.replace("://", "://www.", 1)
        case 1:
            return address + "/"
        case 2:
            return address.replace("airbnb.com", "airbnb.com.sg")
        case 3:
            return url(rng)
        case 4:
            return address.partition("?")[0]
        case _:
            return address


def tab(address: str) -> JsonValue:
    return {"title": "t", "url": address}


def _active(name: str) -> Generator:
    def make(rng: random.Random) -> Case:
        wanted = url(rng)
        found = near(rng, wanted)
        result = rng.choice((found, tab(found), tab(found), None, "", {"title": "no url"}))
        rules: dict[str, JsonValue] = {"type": rng.choice(("url", "url", "url", "url", "title")), "url": wanted}
        return Case(name, result, rules)

    make.__name__ = name
    return make


def is_expected_url_pattern_match(rng: random.Random) -> Case:
    patterns: list[JsonValue] = [*subset(rng, ("airbnb", "^https", r"x=\d", "/a$", r"\.com"))]
    found = url(rng)
    result = rng.choice((found, found, tab(found), None, {"title": "x"}, ["x"]))
    return Case("is_expected_url_pattern_match", result, {"expected": patterns})


def is_expected_search_query(rng: random.Random) -> Case:
    found = rng.choice((tab(url(rng)), tab(url(rng)), None, {"title": "x"}))
    return Case("is_expected_search_query", found, {"expect": {"pattern": rng.choice(("airbnb", r"x=\d", "^http:"))}})


def is_expected_tabs(rng: random.Random) -> Case:
    wanted = [url(rng) for _ in range(rng.randrange(1, 4))]
    found: list[JsonValue] = [tab(near(rng, each)) if rng.random() < 0.3 else tab(each) for each in wanted]
    rng.shuffle(found)
    if rng.random() < 0.15:
        found.append(tab(url(rng)))
    kind = rng.choice(("url", "url", "url", "url", "url", "title"))
    return Case("is_expected_tabs", rng.choice((found, found, found, [], None)), {"type": kind, "urls": [*wanted]})


def is_expected_bookmarks(rng: random.Random) -> Case:
    folders, pages = ("Liked Authors", "Work", "Play"), ("https://a.com/", "https://b.com/", "https://c.com/")
    inner: list[Any] = [{"type": "url", "name": "x", "url": page} for page in subset(rng, pages)]
    children: list[Any] = [{"type": "folder", "name": name, "children": inner} for name in subset(rng, folders)]
    children += [{"type": "url", "name": "x", "url": page} for page in subset(rng, pages)]
    roots: JsonValue = {"bookmark_bar": {"children": children, "type": "folder"}}
    kind = rng.choice(
        ("bookmark_bar_folders_names", "bookmark_bar_websites_urls", "liked_authors_websites_urls", "other")
    )
    urls: list[Any] = [[page, page.rstrip("/")] if rng.random() < 0.2 else page for page in subset(rng, pages)]
    if kind == "bookmark_bar_websites_urls":
        urls = [*subset(rng, pages)]
    rules: dict[str, JsonValue] = {"type": kind, "names": [*subset(rng, folders)], "urls": urls}
    return Case("is_expected_bookmarks", rng.choice((roots, roots, roots, roots, {}, [], {"other": 1})), rules)


def is_expected_installed_extensions(rng: random.Random) -> Case:
    names = ("Zoom", "Speechify", "React Developer Tools")
    found = rng.choice((subset(rng, names), subset(rng, names), [*names], None))
    return Case("is_expected_installed_extensions", found, {"expected": [*subset(rng, names)]})


def is_cookie_deleted(rng: random.Random) -> Case:
    hosts = (".amazon.com", "www.amazon.com", ".www.amazon.com", "amazon.de", "music.amazon.com", "other.org")
    rows: list[JsonValue] = [[1, host, "", "name", "value"] for host in subset(rng, hosts)]
    rules: dict[str, JsonValue] = {"type": rng.choice(("domains", "domains", "domains", "names")),
                                   "domains": [*subset(rng, (".amazon.com", "amazon.com", "example.net"), 1)]}  # fmt: skip  # noqa: E501
    return Case("is_cookie_deleted", rng.choice((rows, rows, rows, None)), rules)


def check_history_deleted(rng: random.Random) -> Case:
    urls = ("https://www.youtube.com/watch", "https://a.com/", "https://b.org/youtube")
    rows: list[JsonValue] = [[each, "title", 1] for each in subset(rng, urls)]
    rules: dict[str, JsonValue] = {"type": rng.choice(("keywords", "keywords", "keywords", "other")),
                                   "keywords": [*subset(rng, ("youtube", "youtube.com", "zzz"))]}  # fmt: skip
    return Case("check_history_deleted", rng.choice((rows, rows, rows, None)), rules)


def is_shortcut_on_desktop(rng: random.Random) -> Case:
    content = rng.choice(("[Desktop Entry]\nName=Mathsisfun\nExec=chrome --app\n", "Name=Other\nExec=chrome --app",
                          "Name=Mathsisfun", ""))  # fmt: skip
    kind = rng.choice(("name", "name", "exec", "url", "id", "x"))
    rules: dict[str, JsonValue] = {"type": kind, "name": "Mathsisfun", "exec": "chrome --app"}
    return Case("is_shortcut_on_desktop", rng.choice(({"a.desktop": content}, {}, {"a": "x", "b": content})), rules)


def check_enabled_experiments(rng: random.Random) -> Case:
    names = ("chrome-refresh-2023", "webui", "other")
    found: list[JsonValue] = [f"{name}@{rng.randrange(3)}" for name in subset(rng, names)]
    return Case("check_enabled_experiments", found, {"type": "names", "names": [*subset(rng, names)]})


def check_font_size(rng: random.Random) -> Case:
    size = rng.choice((16, 15, 30, 18.0, 29))
    found: JsonValue = rng.choice(({"default_font_size": size}, {"default_font_size": size}, {"minimum_font_size": 3}))
    rules: dict[str, JsonValue] = rng.choice((
        {"type": "value", "value": rng.choice((16, 18, 30))},
        {"type": "range", "min": rng.choice((15, 16)), "max": rng.choice((18, 30, 99999))},
        {"type": "other"},
    ))  # fmt: skip
    return Case("check_font_size", found, rules)


def is_added_to_steam_cart(rng: random.Random) -> Case:
    found: JsonValue = rng.choice(({"content": "Dota and Portal 2"}, {"content": ""}, {"url": "x"}))
    return Case("is_added_to_steam_cart", found, {"items": [*subset(rng, ("Dota", "Portal 2", "Portal 3"))]})


GENERATORS: dict[str, Generator] = {
    make.__name__: make
    for make in (
        _active("is_expected_active_tab"), _active("is_expected_active_tab_approximate"),
        is_expected_url_pattern_match, is_expected_search_query, is_expected_tabs, is_expected_bookmarks,
        is_expected_installed_extensions, is_cookie_deleted, check_history_deleted, is_shortcut_on_desktop,
        check_enabled_experiments, check_font_size, is_added_to_steam_cart,
    )
}  # fmt: skip
