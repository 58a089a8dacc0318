"""Getters compared with OSWorld's own over the same files, trees and moments."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from xml.sax.saxutils import quoteattr
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from support.agreement import Tally
from support.agreement.slides import Deck, Shape, Slide, deck, png
from support.osworld_reference import PYTHON
from tasks.office_files import archive
from trueline.desktop.types import CommandResult, PathRefused
from trueline.records import Observation
from trueline.tasks.checkers.archive import read_archive
from trueline.tasks.checkers.getters import get
from trueline.tasks.checkers.getters.relative_time import absolute_rules
from trueline.tasks.checkers.metrics.database import read_rows
from trueline.tasks.checkers.values import DatabaseRows, FileValue, UnreadableResult
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace

PROFILE = "/home/user/.config/google-chrome"
RAISES_THERE = "raises there"


@dataclass(frozen=True)
class Question:
    """One getter, and what is on the machine."""

    getter: str
    config: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    tree: str | None = None
    now: datetime | None = None


class FilesOnly:
    """A desktop of which only files and the tree are read."""

    def __init__(self, question: Question) -> None:
        self._question = question

    async def get(self, path: str, *, limit: int = 0) -> bytes:
        whole = path.replace("~", "/home/user", 1) if path.startswith("~") else path
        if whole not in self._question.files:
            raise PathRefused(f"{path}: there is no such file")
        return self._question.files[whole]

    async def run(self, argv: tuple[str, ...], **_: object) -> CommandResult:
        # Asked only whether a file is missing: it is.
        return CommandResult(7, b"", b"")

    async def observe(self, _: object) -> Observation:
        return cast("Observation", _Tree(self._question.tree))


@dataclass(frozen=True)
class _Tree:
    tree_xml: str | None


def tally_getters(count: int, seed: int) -> dict[str, Tally]:
    """Compare all getters on this many questions each."""
    questions = [
        make(random.Random(f"{seed}:{make.__name__}:{number}")) for make in QUESTIONS for number in range(count)
    ]
    found: dict[str, Tally] = {}
    for question, theirs, ours in zip(questions, _ask_osworld(questions), map(_read, questions), strict=True):
        entry = found.setdefault(question.getter, Tally())
        entry.pairs += 1
        if "error" in theirs:
            if ours not in (None, "error", "unreadable"):
                entry.differences[RAISES_THERE] += 1
        elif _plain(ours) != _plain(theirs["value"]):
            entry.unexplained.append((question, ours, theirs))  # type: ignore[arg-type]
    return found


def _plain(value: object) -> object:
    return json.loads(json.dumps(value))


def _ask_osworld(questions: list[Question]) -> list[dict[str, Any]]:
    document = [
        {
            "getter": each.getter, "config": each.config, "tree": each.tree,
            "files": {path: base64.b64encode(content).decode() for path, content in each.files.items()},
            "now": None if each.now is None else each.now.isoformat(),
        }
        for each in questions
    ]  # fmt: skip
    done = subprocess.run(
        [str(PYTHON), str(Path(__file__).parents[1] / "osworld_getters.py")],
        input=json.dumps(document), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return cast("list[dict[str, Any]]", json.loads(done.stdout))


def _read(question: Question) -> object:
    if question.now is not None:
        try:
            return absolute_rules(cast("dict[str, JsonValue]", question.config["rules"]), question.now)
        except CheckerError:
            return "error"
    workspace = Workspace(cast("Any", FilesOnly(question)), cast("Any", None))
    getter = Getter.model_validate({"type": question.getter, **question.config})
    try:
        value = asyncio.run(get(getter, workspace))
        if isinstance(value, DatabaseRows):
            value = read_rows(value)
    except CheckerError:
        return "error"
    except UnreadableResult:
        return "unreadable"
    return {"file": base64.b64encode(value.content).decode()} if isinstance(value, FileValue) else value


def _some(rng: random.Random, **fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if rng.random() < 0.8}


def preferences(rng: random.Random) -> bytes:
    ids = ("aaa", "bbb")
    extensions = {each: {"path": f"/home/user/{each}", "manifest": {"name": each.upper()}} for each in ids}
    content = _some(
        rng,
        enable_do_not_track=rng.random() < 0.5,
        safebrowsing=_some(rng, enhanced=rng.random() < 0.5, enabled=rng.random() < 0.5),
        session=_some(rng, restore_on_startup=rng.choice((1, 4, 5))),
        profile=_some(rng, name=rng.choice(("Thomas", "Person 1")), default_content_setting_values={"cookies": 4}),
        default_search_provider_data=_some(rng, template_url_data=_some(rng, short_name="Bing")),
        webkit=_some(rng, webprefs={"default_font_size": 20}),
        extensions=_some(rng, settings={each: extensions[each] for each in ids if rng.random() < 0.7}),
    )
    return json.dumps(content).encode() if rng.random() < 0.96 else b"{broken"


def _of_file(getter: str, name: str, make: Callable[[random.Random], bytes]) -> Callable[[random.Random], Question]:
    def question(rng: random.Random) -> Question:
        files = {f"{PROFILE}/{name}": make(rng)} if rng.random() < 0.95 else {}
        return Question(getter, {"dest": "x"}, files)

    question.__name__ = getter
    return question


def local_state(rng: random.Random) -> bytes:
    content = _some(rng, intl=_some(rng, app_locale="de"), browser=_some(rng, enabled_labs_experiments=["a@1", "b@2"]))
    return json.dumps(content).encode() if rng.random() < 0.96 else b"["


def bookmarks(rng: random.Random) -> bytes:
    return json.dumps(_some(rng, roots={"bookmark_bar": {"children": [], "name": "x"}}, version=1)).encode()


def history_rows(rng: random.Random) -> bytes:
    return _database("CREATE TABLE urls (id, url, title, visits, last_visit_time)",
                     "INSERT INTO urls VALUES (1, ?, ?, 3, ?)",
                     [(f"https://{rng.choice('abc')}.com/", "t", rng.randrange(9)) for _ in range(rng.randrange(4))])  # fmt: skip  # noqa: E501


def _database(create: str, insert: str, rows: list[tuple[object, ...]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        database = sqlite3.connect(path)
        database.execute(create)
        database.executemany(insert, rows)
        database.commit()
        database.close()
        return path.read_bytes()


def address_tree(rng: random.Random) -> str:
    bars = "".join(
        f"<entry name={quoteattr(rng.choice(('Address and search bar', 'Address and search bar', 'Search')))}>"
        f"{rng.choice(('host.com/a-b/c?x=1&amp;y=2&amp;x=3', 'host.com', '', 'h.com/p,q/r|s,t/?fromStation=BOM'))}</entry>"  # noqa: E501
        for _ in range(rng.choice((0, 1, 1, 1, 2)))
    )
    name = rng.choice(("Google Chrome", "Google Chrome", "Google Chrome", "Thunar"))
    return f"<desktop-frame><application name={quoteattr(name)}><frame>{bars}</frame></application></desktop-frame>"


def active_url_from_accessTree(rng: random.Random) -> Question:
    config: dict[str, JsonValue] = {} if rng.random() < 0.3 else {"goto_prefix": rng.choice(("", "https://www."))}
    return Question("active_url_from_accessTree", config, tree=address_tree(rng))


def active_tab_url_parse(rng: random.Random) -> Question:
    config: dict[str, JsonValue] = {"parse_keys": [*rng.sample(("x", "y", "z", "fromStation"), 3)]}
    if rng.random() < 0.3:
        config["split_list"] = True
    if rng.random() < 0.3:
        keys = config["parse_keys"]
        assert isinstance(keys, list)
        config["replace"] = {str(keys[0]): "renamed"}
    return Question("active_tab_url_parse", config, tree=address_tree(rng))


def url_dashPart(rng: random.Random) -> Question:
    config: dict[str, JsonValue] = {
        "goto_prefix": "https://www.", "partIndex": rng.choice((0, 2, 3, 4, 9, -1, -2, "3")),
        "needDeleteId": rng.random() < 0.5, "returnType": rng.choice(("string", "json", "x")), "key": "time",
    }  # fmt: skip
    return Question("url_dashPart", config, tree=address_tree(rng))


def url_path_parse(rng: random.Random) -> Question:
    names = ("Men_regular_size_t", "Price_discount_range", "Sleeve_length", "Product_department")
    chosen = rng.sample(names, 3)
    values = {"Men_regular_size_t": "L", "Sleeve_length": rng.choice(("Short Sleeve", "Long")),
              "Price_discount_range": rng.choice(("50_PERCENT_ off & more", "50_PERCENT_ off & more|30_PERCENT_ off & more",  # noqa: E501
                                                  "")),
              "Product_department": rng.choice(("shirts", "Shirts", "x"))}  # fmt: skip
    path = f"macys.com/shop/{rng.choice(('mens-clothing', 'mens'))}/{rng.choice(('shirts', 'all', 'short-sleeve'))}"
    path += f"/{','.join(chosen)}/{','.join(values[name] for name in chosen)}"
    bar = path.replace("&", "%26").replace(" ", "%20")
    tree = (f'<desktop-frame><application name="Google Chrome"><entry name="Address and search bar">{bar}</entry>'
            "</application></desktop-frame>")  # fmt: skip
    keys: list[JsonValue] = ["mens_clothing", "shirts", "Men_regular_size_t", "Price_discount_range", "short_sleeve"]
    return Question("url_path_parse", {"parse_keys": keys, "goto_prefix": "https://www."}, tree=tree)


def rule_relativeTime(rng: random.Random) -> Question:
    zone = rng.choice(("UTC", "America/New_York", "Europe/Zurich", "Asia/Tokyo"))
    moment = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=rng.randrange(24 * 800))
    template = rng.choice(
        ("{DoW}, {Month} {Day0D}", "{Year}-{Month0D}-{DayD}", "{month}", "{MonthFull} {MonthD} {DayD} {DayD}")
    )
    single = ("tomorrow", "5th next month", "10th next month", "this month", "next Monday",
              "first monday four months later", "first monday eight months later")  # fmt: skip
    spans = (("this Saturday", "this Sunday"), ("10th next month", "11th next month"), ("next Monday", "next Friday"),
             ("next Friday", "next Sunday"), ("next Saturday", "next Sunday"), ("tomorrow", "next Friday"),
             ("next week Friday", "next week Sunday"), ("next week Saturday", "next week Sunday"),
             ("tomorrow", "next Sunday"), ("tomorrow", "next week Sunday"),
             ("next Monday split", "next Friday split"))  # fmt: skip
    rules: dict[str, JsonValue] = {"timezone": zone}
    if rng.random() < 0.4:
        rules["relativeTime"] = {"from": rng.choice(single)}
        rules["expected"] = {"time": [template] if rng.random() < 0.1 else template, "other": 1}
    else:
        start, end = rng.choice(spans)
        rules["relativeTime"] = {"from": start, "to": end}
        rules["expected"] = (
            {"from": template, "to": template} if not start.endswith("split")
            else dict.fromkeys(("puDay", "puMonth", "puYear", "doDay", "doMonth", "doYear"), template)
        )  # fmt: skip
    return Question("rule_relativeTime", {"rules": rules}, now=moment.astimezone(ZoneInfo(zone)))


def gimp_config_file(rng: random.Random) -> Question:
    files = {"/home/user/.config/GIMP/2.10/gimprc": rng.choice((b"(theme x)", b""))} if rng.random() < 0.8 else {}
    return Question("gimp_config_file", {"file_name": "gimprc", "dest": "g"}, files)


def vlc_config(rng: random.Random) -> Question:
    files = {"/home/user/.config/vlc/vlcrc": b"x=1"} if rng.random() < 0.8 else {}
    return Question("vlc_config", {"dest": "v"}, files)


def _media(getter: str) -> Callable[[random.Random], Question]:
    def question(rng: random.Random) -> Question:
        made = Deck([Slide([Shape("pic", (0, 0, 1, 1))]), *deck(rng).slides[:1]], picture=png((1, 1, 1)))
        if rng.random() < 0.7:
            made.slides[
                0
            ].background = '<p:bg><p:bgPr><a:blipFill><a:blip r:embed="rId9"/></a:blipFill></p:bgPr></p:bg>'
        members: dict[str, str | bytes] = {**read_archive(made.file().content)}
        listing = "ppt/slides/_rels/slide1.xml.rels"
        sound = rng.choice((
            'Target="../media/a.wav"', 'Target="file:///home/user/a.wav" TargetMode="External"', ""
        ))  # fmt: skip
        if sound:
            kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/audio"
            content = members[listing]
            assert isinstance(content, bytes)
            row = f'<Relationship Id="rId20" Type="{kind}" {sound}/></Relationships>'
            members[listing] = content.decode().replace("</Relationships>", row)
        members["ppt/media/a.wav"] = b"RIFF embedded"
        path = "/home/user/Desktop/a.pptx"
        files = {path: archive(members), "/home/user/a.wav": b"RIFF linked"}
        if rng.random() < 0.1:
            del files[rng.choice([*files])]
        return Question(getter, {"ppt_file_path": path, "slide_index": rng.choice((0, 0, 0, 1, 7)), "dest": "m"}, files)

    question.__name__ = getter
    return question


QUESTIONS: tuple[Callable[[random.Random], Question], ...] = (
    *(_of_file(name, "Default/Preferences", preferences)
      for name in ("enable_do_not_track", "enable_enhanced_safety_browsing", "enable_safe_browsing", "new_startup_page",
                   "data_delete_automacally", "default_search_engine", "profile_name", "chrome_font_size",
                   "find_unpacked_extension_path", "find_installed_extension_name")),
    *(_of_file(name, "Local State", local_state) for name in ("chrome_language", "enabled_experiments")),
    _of_file("bookmarks", "Default/Bookmarks", bookmarks), _of_file("history", "Default/History", history_rows),
    active_url_from_accessTree, active_tab_url_parse, url_dashPart, url_path_parse, rule_relativeTime,
    gimp_config_file, vlc_config, _media("audio_in_slide"), _media("background_image_in_slide"),
)  # fmt: skip
