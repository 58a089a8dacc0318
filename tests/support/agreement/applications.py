"""Pairs for metrics of the files that applications keep: VLC, GIMP, LibreOffice, Thunderbird, databases."""

from __future__ import annotations

import random
import sqlite3
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from pydantic import JsonValue

from support.agreement import Case, Generator
from support.agreement.words import maybe_missing, subset, text_file
from trueline.tasks.checkers.values import FileValue


def vlcrc(rng: random.Random, key: str, values: tuple[str, ...]) -> FileValue:
    rows = ["[qt]", "# a comment", f"#{key}={rng.choice(values)}"]
    rows += [f"{key}={rng.choice(values)}" for _ in range(rng.randrange(3))]
    if rng.random() < 0.2:
        rows.append(f"other-{key}=7")
    rng.shuffle(rows)
    return text_file(rng.choice(("\n", "\n", "\r\n")).join(rows), "vlcrc")


def _vlc(name: str, key: str, values: tuple[str, ...]) -> Generator:
    field = f"expected_{key.replace('-', '_')}"

    def make(rng: random.Random) -> Case:
        wanted: JsonValue = rng.choice((*values, *(int(value) for value in values if value.isdigit())))
        rules: dict[str, JsonValue] = {field: wanted} if rng.random() < 0.98 else {}
        result = vlcrc(rng, key, values) if rng.random() < 0.95 else text_file("", "vlcrc")
        return Case(name, result, rules)

    make.__name__ = name
    return make


def check_qt_slider_colours(rng: random.Random) -> Case:
    colours = (
        "0;0;0;10;10;10",
        "99;99;99",
        "99;99;100",
        "1;2;3;255",
        "153;210;153;20;210;20;255;199;15;245;39;29",
        "x",
    )
    rules: dict[str, JsonValue] = {"type": rng.choice(("match", "blackish", "blackish", "other")),
                                   "expected_qt_slider_colours": rng.choice(colours)}  # fmt: skip
    return Case("check_qt_slider_colours", vlcrc(rng, "qt-slider-colours", colours), rules)


def is_vlc_recordings_folder(rng: random.Random) -> Case:
    folders = ("/home/user/Desktop", "/home/user/Desktop/", "", " /home/user/Desktop ")
    return Case("is_vlc_recordings_folder", vlcrc(rng, "input-record-path", folders),
                {"recording_file_path": rng.choice(folders)})  # fmt: skip


def is_vlc_playing(rng: random.Random) -> Case:
    url = "https://host/path/live.m3u8"
    texts = ("movie.mp4", "/home/user/movie.mp4", "my movie.mp4", url, f"{url}?x=1", "live.m3u8", "https://host/x",
             "https://host/a/path/live.m3u8/b", "")  # fmt: skip
    names = ("filename", "title", "uri", "URI", "url", "location", "name")
    rows = "".join(f"<info name={quoteattr(name)}>{escape(rng.choice(texts))}</info>"
                   for name in subset(rng, names) if rng.random() < 0.6)  # fmt: skip
    stream = f'<category name="Stream 0"><info name="Codec">{escape(rng.choice(texts))}</info></category>'
    state = rng.choice(("playing", "playing", "playing", "playing", "paused", "stopped"))
    text = (
        f'<root><state>{state}</state><information><category name="meta">{rows}</category>{stream}</information></root>'
    )
    if rng.random() < 0.04:
        text = rng.choice(("", "<root>", "<root><information/></root>"))
    rules: dict[str, JsonValue] = {"type": rng.choice(("file_name", "file_name", "url", "url", "x")),
                                   "file_name": "movie.mp4", "url": url}  # fmt: skip
    return Case("is_vlc_playing", text_file(text, "status.xml"), rules)


def check_config_status(rng: random.Random) -> Case:
    rows = ["# GIMP gimprc", "", '(theme "Dark")', "(undo-levels 100)", '(plug-in "file" x "Dark")', "(a b c 100)",
            "   ", "undo-levels 99"]  # fmt: skip
    rows = [row for row in rows if rng.random() < (0.85 if row.strip() else 0.3)]
    key: JsonValue = rng.choice(("theme", "undo-levels", "a", ["a", "b"], ["theme", '"Dark"'], ["x"], ["theme", "y"]))
    value = rng.choice(('"Dark"', "100", "99", "Dark"))
    result = text_file("\n".join(rows) + rng.choice(("\n", "")), "gimprc")
    return Case("check_config_status", maybe_missing(rng, result), {"key": key, "value": value})


def registry(rng: random.Random, path: str, name: str, values: tuple[str, ...]) -> FileValue:
    items = "".join(
        f"<item oor:path={quoteattr(path if rng.random() < 0.85 else '/org.openoffice.Other')}>"
        f'<prop oor:name={quoteattr(name if rng.random() < 0.85 else "Other")} oor:op="fuse">'
        f"<value>{escape(rng.choice(values))}</value></prop></item>"
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))
    )
    text = ('<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">'
            f"{items}</oor:items>")  # fmt: skip
    return text_file("<broken" if rng.random() < 0.04 else text, "registrymodifications.xcu")


def check_presenter_console_disable(rng: random.Random) -> Case:
    file = registry(
        rng, "/org.openoffice.Office.Impress/Misc/Start", "EnablePresenterScreen", ("true", "false", "False")
    )
    return Case("check_presenter_console_disable", file, None, arguments=1)


def find_default_font(rng: random.Random) -> Case:
    fonts = ("Times New Roman", "Liberation Serif", "")
    file = registry(rng, "/org.openoffice.Office.Writer/DefaultFont", "Standard", fonts)
    return Case("find_default_font", maybe_missing(rng, file), {"font_name": rng.choice(fonts)})


def check_auto_saving_time(rng: random.Random) -> Case:
    times = ("3", "10", " 3 ", "x", "03")
    file = registry(rng, "/org.openoffice.Office.Common/Save/Document", "AutoSaveTimeIntervall", times)
    return Case("check_auto_saving_time", file, {"minutes": rng.choice((3, 10))})


def check_libre_locale(rng: random.Random) -> Case:
    name = rng.choice(("ooSetupSystemLocale", "ooLocale"))
    file = registry(rng, "/org.openoffice.Setup/L10N", name, ("en-US", "ko", "zh-CN"))
    return Case("check_libre_locale", file, {"locale_set": [*subset(rng, ("en-*", "ko", "[a-z]h-CN"))]})


def check_thunderbird_prefs(rng: random.Random) -> Case:
    values = ('"one"', '"one\\"two"', "true", "false", "3", "-1", "3.5")
    keys = ("mail.a", "mail.b", "mail.c")
    rows = [f'user_pref("{key}", {rng.choice(values)});' for key in (*keys, *subset(rng, keys))]
    rows += ["// comment", "", 'user_pref("mail.a" , 3);', '  user_pref("mail.c", true);  ']
    if rng.random() < 0.03:
        rows.append('user_pref("mail.d", broken);')
    rng.shuffle(rows)
    rows = rows[: rng.randrange(1, len(rows) + 1)]

    def rule() -> Any:
        method, ref = rng.choice((("eq", "one"), ("eq", True), ("eq", 3), ("ne", "one"), ("re", "^one"), ("ge", 1),
                                  ("re.I", "ONE"), ("approx:1", 3), ("range.et", [0, 3])))  # fmt: skip
        return {"method": method, "ref": ref}

    rules: dict[str, JsonValue] = {
        side: {key: rule() for key in subset(rng, (*keys, "mail.none")) if rng.random() < 0.6}
        for side in ("expect", "unexpect")
        if rng.random() < 0.8
    }
    return Case("check_thunderbird_prefs", maybe_missing(rng, text_file("\n".join(rows), "prefs.js")), rules)


def check_thunderbird_filter(rng: random.Random) -> Case:
    conditions = ("AND (from,contains,a@b.c)", "OR (subject,is,x) OR (subject,doesn't contain,y)", "ALL",
                  'AND (subject,contains,"a \\"b\\" c")', "AND (size,is greater than,3)", "nothing")  # fmt: skip
    rows = ['version="9"', 'logging="no"']
    filters = [
        {"name": rng.choice(("Promo", 'A \\"b\\"', "x\\\\y")), "enabled": rng.choice(("yes", "no")), "type": "17",
         "action": "Move to folder", "actionValue": "mailbox://nobody@Local%20Folders/Promo",
         "condition": rng.choice(conditions)}
        for _ in range(rng.randrange(3))
    ]  # fmt: skip
    for each in filters:
        rows += [f'{key}="{value}"' for key, value in each.items() if rng.random() < 0.97]
    if rng.random() < 0.04:
        rows.insert(2, 'enabled="yes"')
    record: dict[str, JsonValue] = {
        "name": rng.choice(("Promo", 'A "b"', "x\\y")), "enabled": "yes",
        "condition": rng.choice(([conditions[0]], ["OR (subject,is,x)", "OR (subject,doesn't contain,y)"], ["ALL"], [],
                                 ['AND (subject,contains,"a "b" c")'])),
    }  # fmt: skip
    rules: dict[str, JsonValue] = {
        side: [{key: value for key, value in record.items() if rng.random() < 0.5}]
        for side in ("expect", "unexpect")
        if rng.random() < 0.6
    }
    text = "\n".join(rows) + rng.choice(("\n", "\n", ""))
    return Case("check_thunderbird_filter", maybe_missing(rng, text_file(text, "msgFilterRules.dat")), rules)


def check_thunderbird_folder(rng: random.Random) -> Case:
    def box() -> FileValue:
        start = rng.choice(("FROM - ", "From - ", "FROM - \n"))
        return text_file(
            rng.choice(("", "\n")) + start.join(subset(rng, ("", "Subject: a\n\nb\n", "c\n", "  "))), "Inbox"
        )

    options: dict[str, JsonValue] = {
        name: rng.random() < 0.5
        for name in ("ignore_status", "ignore_keys", "remove_deleted", "remove_duplicate")
        if rng.random() < 0.4
    }
    if rng.random() < 0.2:
        return Case("check_thunderbird_folder", (box(), box()), (box(), box()), options)
    return Case("check_thunderbird_folder", maybe_missing(rng, box()), box(), options)


def run_sqlite3(rng: random.Random) -> Case:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sqlite"
        database = sqlite3.connect(path)
        if rng.random() < 0.4:
            database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE t (a, b)")
        rows = [(rng.choice((0, 1, 0.5, "x", None)), "y") for _ in range(rng.randrange(3))]
        database.executemany("INSERT INTO t VALUES (?, ?)", rows)
        database.commit()
        database.close()
        content = path.read_bytes()
    if rng.random() < 0.03:
        content = rng.choice((b"", b"not a database", content[:30]))
    query = rng.choice(("SELECT a FROM t", "SELECT count(*) = 1 FROM t", "SELECT count(*) > 0 FROM t WHERE b = 'y'",
                        "SELECT none FROM t", "SELECT max(a) = 1 FROM t"))  # fmt: skip
    return Case("run_sqlite3", FileValue("a.sqlite", content), {"sql": query})


GENERATORS: dict[str, Generator] = {
    make.__name__: make
    for make in (
        _vlc("check_qt_bgcone", "qt-bgcone", ("0", "1")), _vlc("check_qt_max_volume", "qt-max-volume", ("125", "200")),
        _vlc("check_qt_minimal_view", "qt-minimal-view", ("0", "1")),
        _vlc("check_one_instance_when_started_from_file", "one-instance-when-started-from-file", ("0", "1")),
        _vlc("check_global_key_play_pause", "global-key-play-pause", ("0", "1", "", "Ctrl+p")),
        check_qt_slider_colours, is_vlc_recordings_folder, is_vlc_playing, check_config_status,
        check_presenter_console_disable, find_default_font, check_auto_saving_time, check_libre_locale,
        check_thunderbird_prefs, check_thunderbird_filter, check_thunderbird_folder, run_sqlite3,
    )
}  # fmt: skip
