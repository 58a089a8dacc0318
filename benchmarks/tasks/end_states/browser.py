"""End states of the browser: preferences, bookmarks, history, extensions, tabs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from registry import functions, getters, task
from session import BROWSER, NotReached, Session, rules_of

from trueline.tasks.checkers.getters import get
from trueline.tasks.model import Getter
from trueline.tasks.model.evaluator import Check, checks
from trueline.tasks.model.steps import ChromeOpenTabs

PROFILE = "/home/user/.config/google-chrome/Default"
_TRIES = 3
"""Keys are lost while a new tab is being drawn on a busy machine; a user looks and types again."""
_OUR_EXTENSION = "abcdefghijklmnopabcdefghijklmnop"
_PREFERENCES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "enable_do_not_track": lambda _: {"enable_do_not_track": True},
    "enable_safe_browsing": lambda _: {"safebrowsing": {"enabled": True}},
    "enable_enhanced_safety_browsing": lambda _: {"safebrowsing": {"enhanced": True}},
    "new_startup_page": lambda _: {"session": {"restore_on_startup": 5}},
    "data_delete_automacally": lambda _: {"profile": {"default_content_setting_values": {"cookies": 4}}},
    "profile_name": lambda rules: {"profile": {"name": rules["expected"]}},
    "default_search_engine": lambda rules: {
        "default_search_provider_data": {
            "template_url_data": {
                "short_name": rules["expected"][0],
                "keyword": "bing.com",
                "url": "https://www.bing.com/search?q={searchTerms}",
                "id": "7",
                "prepopulate_id": 3,
            }
        }
    },
    "chrome_font_size": lambda _: {"webkit": {"webprefs": {"default_font_size": 24, "default_fixed_font_size": 20}}},
    "chrome_appearance_mode_ui": lambda _: {"browser": {"theme": {"color_scheme": 1, "color_scheme2": 1}}},
    "find_unpacked_extension_path": lambda rules: {
        "extensions": {
            "settings": {_OUR_EXTENSION: {"path": rules["expected"], "location": 4, "manifest": {"name": "Stand-in"}}}
        }
    },
    "find_installed_extension_name": lambda rules: {
        "extensions": {
            "settings": {
                _OUR_EXTENSION[:-1] + "abcdefghijklmnop"[number]: {"manifest": {"name": name}, "location": 1}
                for number, name in enumerate(rules["expected"])
            }
        }
    },
}


@getters(*_PREFERENCES)
async def preference(session: Session, check: Check) -> None:
    """A preference, written while the browser is closed; it is started again where its window is looked at."""
    name = check.result.type if check.result else ""
    await session.quit(BROWSER)
    path = f"{PROFILE}/Preferences"
    content = await session.get(path)
    found = json.loads(content) if content else {}
    _merge(found, _PREFERENCES[name](rules_of(check.expected)))
    await session.put(path, json.dumps(found))
    if name == "chrome_appearance_mode_ui":
        await session.repeat(("launch",))


def _merge(tree: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict):
            _merge(tree[key], value)
        else:
            tree[key] = value


@functions("is_expected_bookmarks")
async def bookmarks(session: Session, check: Check) -> None:
    """Bookmarks of the bar, written while the browser is closed."""
    rules = rules_of(check.expected)
    await session.quit(BROWSER)
    urls = [group[0] if isinstance(group, list) else group for group in rules.get("urls", ())]
    inside = [_bookmark(number + 10, url) for number, url in enumerate(urls)]
    folders = [
        {"id": str(number + 5), "name": name, "type": "folder", "children": inside if number == 0 else []}
        for number, name in enumerate(rules.get("names", ()))
    ]
    folders = folders or inside
    roots = {
        name: {"id": str(number + 1), "name": name, "type": "folder", "children": folders if number == 0 else []}
        for number, name in enumerate(("bookmark_bar", "other", "synced"))
    }
    await session.put(f"{PROFILE}/Bookmarks", json.dumps({"roots": roots, "version": 1}))


def _bookmark(number: int, url: str) -> dict[str, str]:
    return {"id": str(number), "name": url, "type": "url", "url": url}


@functions("check_history_deleted")
async def history(session: Session, check: Check) -> None:
    """What was visited, without what is to be forgotten."""
    await session.quit(BROWSER)
    words = rules_of(check.expected)["keywords"]
    script = (
        "import sqlite3, sys; base = sqlite3.connect(sys.argv[1]);\n"
        "for word in sys.argv[2:]: base.execute('delete from urls where url like ?', (f'%{word}%',))\n"
        "base.commit()"
    )
    done = await session.call("python3", "-c", script, f"{PROFILE}/History", *words)
    if done.returncode:
        raise NotReached(done.stderr.decode()[-200:])


@functions("is_shortcut_on_desktop")
async def shortcut(session: Session, check: Check) -> None:
    name = rules_of(check.expected)["name"]
    entry = f"[Desktop Entry]\nVersion=1.0\nTerminal=false\nType=Application\nName={name}\nExec=chromium\n"
    await session.put("/home/user/Desktop/chrome-shortcut-Default.desktop", entry)


@functions("is_expected_active_tab", "is_expected_active_tab_approximate")
async def active_tab(session: Session, check: Check) -> None:
    await visit(session, _reachable(check, rules_of(check.expected)["url"]))


@functions("is_expected_url_pattern_match")
async def by_pattern(session: Session, check: Check) -> None:
    """An address that all patterns fit."""
    patterns: list[str] = rules_of(check.expected)["expected"]
    await visit(session, _reachable(check, address_for(patterns, _site(session))))


def _reachable(check: Check, address: str) -> str:
    """The address; without encryption if the browser itself is asked for it, since sites with it are not there.

    The address bar shows an address that cannot be reached as it is; the browser's DevTools show the page of the error.
    """
    asks_browser = check.result is not None and check.result.type == "active_tab_info"
    return address.replace("https://", "http://", 1) if asks_browser else address


def address_for(patterns: list[str], site: str) -> str:
    """An address that fits simple patterns, below a site if none names its own."""
    plain = [_plain(pattern) for pattern in patterns]
    full = next((text for text in plain if text.startswith(("http", "chrome:"))), "")
    rest = [text for text in plain if text not in full and text != full]
    address = full or f"{site.rstrip('/')}/"
    for text in rest:
        host = urlsplit(address).netloc
        if text.startswith(host.removeprefix("www.")):
            text = text[len(host.removeprefix("www.")) :]
        joint = "" if address.endswith("/") or text.startswith(("/", "#", "?")) else "?" if "=" in text else "/"
        address += joint + (text.lstrip("/") if address.endswith("/") else text)
    return address


def _plain(pattern: str) -> str:
    text = re.sub(r"\((?:[^()]*)\)[?*]", "", pattern.strip("^$"))
    return re.sub(r"\\(.)", r"\1", re.sub(r"/\?$", "", text))


def _site(session: Session) -> str:
    for step in session.task.config:
        if isinstance(step, ChromeOpenTabs):
            return step.parameters.urls_to_open[-1]
    return "https://www.example.org/"


async def visit(session: Session, address: str) -> None:
    """Open an address in a new tab, by the keys of the browser."""
    if not any("chrom" in window.app for window in await session.desktop.windows()):
        await session.desktop.launch(("google-chrome", "--remote-debugging-port=1337"))
        await session.window(app="chromium")
    shown: object = None
    for _ in range(_TRIES):
        await session.raise_window("chromium")
        await session.keys("ctrl", "t")
        await session.keys("ctrl", "l")
        await session.type(address)
        await session.keys("enter")
        shown = await get(Getter.model_validate({"type": "active_url_from_accessTree"}), session.workspace)
        if urlsplit(address).netloc.removeprefix("www.") in str(shown):
            return
    raise NotReached(f"the browser shows {shown} instead of {address}")


@functions("is_expected_tabs")
async def tabs(session: Session, check: Check) -> None:
    """All tabs that are expected, those that are missing opened by keys."""
    open_now = await session.run("curl -s http://127.0.0.1:1337/json/list || curl -s http://127.0.0.1:9222/json/list")
    for url in rules_of(check.expected)["urls"]:
        if url.rstrip("/") not in open_now:
            await visit(session, url)


@task("06fe7178")
async def last_tab_again(session: Session) -> None:
    await session.raise_window("chromium")
    await session.keys("ctrl", "shift", "t")


@getters("url_dashPart")
async def with_part(session: Session, check: Check) -> None:
    """An address with the expected part; a check of a pattern that follows is of the same address."""
    extra: Any = check.result.model_extra if check.result else {}
    wanted: Any = await get(check.expected, session.workspace)
    tail = ["c"] * (-int(extra["partIndex"]) - 1)
    part = str(wanted["expected"][extra["key"]])
    await visit(session, "/".join((_site(session).rstrip("/"), *_patterns(session), part, *tail)))


def _patterns(session: Session) -> list[str]:
    """Parts of the path that other checks of the task look for."""
    others = [check for check in checks(session.task.evaluator) if check.function == "is_expected_url_pattern_match"]
    return [pattern.strip("/") for check in others for pattern in rules_of(check.expected)["expected"]]


@getters("active_tab_url_parse")
async def with_parameters(session: Session, _: Check) -> None:
    """An address with the parameters that all checks look for; dates are those that the checks compute."""
    pairs: dict[str, str] = {}
    for check in checks(session.task.evaluator):
        extra: Any = check.result.model_extra if check.result else {}
        wanted: Any = await get(check.expected, session.workspace)
        renamed = {new: old for old, new in extra.get("replace", {}).items()}
        split = bool(extra.get("split_list"))
        pairs |= {renamed.get(key, key): _first(value, split=split) for key, value in wanted["expected"].items()}
    await visit(session, f"{_site(session).rstrip('/')}/?{urlencode(pairs)}")


def _first(value: Any, *, split: bool) -> str:
    if isinstance(value, list):
        return ",".join(value) if split else str(value[0])
    return str(value).lower() if isinstance(value, bool) else str(value)


@task("2888b4e6")
async def shop(session: Session) -> None:
    path = "shop/mens-clothing/shirts/Men_regular_size_t,Price_discount_range,Sleeve_length"
    await visit(session, f"https://www.macys.com/{path}/L,50_PERCENT_%20off%20%26%20more,short-sleeve")


@task("f8cfa149")
async def searched(session: Session) -> None:
    await visit(session, "http://www.google.com/search?q=nereida")
