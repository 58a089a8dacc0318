"""Settings files of the desktop and its applications, also broken and hostile ones."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from trueline.desktop.settings.formats import read_json, read_key_file, read_preferences, read_registry, read_xfconf
from trueline.desktop.settings.gvdb import read_gvdb
from trueline.desktop.settings.stores import setting_changes

XFCONF = b"""<?xml version="1.0" encoding="UTF-8"?>
<channel name="xsettings" version="1.0">
  <property name="Net" type="empty"><property name="ThemeName" type="string" value="Dark"/></property>
  <property name="list" type="array"><value type="int" value="1"/><value type="int" value="2"/></property>
</channel>"""
REGISTRY = b"""<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/a/b"><prop oor:name="C" oor:op="fuse"><value>1 &amp; 2</value></prop></item>
<item oor:path="/a"><node oor:name="n"><prop oor:name="l"><value><it>x</it><it>y</it></value></prop></node></item>
</oor:items>"""


def test_each_format_gives_keys_and_values() -> None:
    assert read_xfconf(XFCONF) == {"xsettings/Net/ThemeName": "Dark", "xsettings/list": "1 2"}
    assert read_registry(REGISTRY) == {"/a/b/C": "1 & 2", "/a/n/l": "xy"}
    assert read_json(b'{"a": {"b": [1], "c": null}, "d": "x"}') == {"a.b": "[1]", "a.c": "null", "d": '"x"'}
    assert read_preferences(b'// no\nuser_pref("a.b", "c);");\nuser_pref("n", 2);\n') == {"a.b": '"c);"', "n": "2"}
    assert read_key_file(b"top=1\n# no=1\n[S]\nk = v=w\n") == {"top": "1", "S/k": "v=w"}


@pytest.mark.parametrize("read", [read_xfconf, read_registry])
def test_hostile_xml_is_refused(read: Callable[[bytes], dict[str, str]]) -> None:
    for content in (b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", b"<a>" * 100, b"<a", b"\xff"):
        with pytest.raises(ValueError):
            read(content)


def test_hostile_json_is_refused() -> None:
    for content in (b"[1]", b"{", b'{"a":' * 100_000, b"\xff"):
        with pytest.raises(ValueError):
            read_json(content)


def gvdb(*items: tuple[int, str, bytes, bytes]) -> bytes:
    """A database of items: number of the parent, own part of the key, type, value."""
    table, data = b"", b""
    base = 24 + 8 + 24 * len(items)
    for parent, key, kind, value in items:
        start = base + len(data)
        data += key.encode() + value
        middle = start + len(key)
        table += struct.pack("<iIIHcxII", 0, parent, start, len(key), kind, middle, middle + len(value))
    return struct.pack("<8sIIII", b"GVariant", 0, 0, 24, base) + struct.pack("<II", 0, 0) + table + data


ROOT = 0xFFFFFFFF


def test_the_file_of_dconf() -> None:
    content = gvdb((ROOT, "/org/", b"L", b""), (0, "on", b"v", b"\1\0b"), (0, "name", b"v", b"Ann\0\0s"),
                   (0, "size", b"v", struct.pack("<ii", 1, 2) + b"\0(ii)"))  # fmt: skip
    assert read_gvdb(content) == {"/org/on": "true", "/org/name": "Ann", "/org/size": "(ii) 0100000002000000"}


def test_damaged_files_of_dconf_are_refused() -> None:
    whole = gvdb((ROOT, "/a", b"v", b"\1\0b"), (1, "loop", b"v", b""), (99, "orphan", b"v", b""))
    broken = [b"", b"GVariant", whole, b"x" * 200]
    for content in broken:
        with pytest.raises(ValueError):
            read_gvdb(content)
    good = gvdb((ROOT, "/a", b"v", b"\1\0b"))
    for place in range(len(good)):
        try:
            read_gvdb(good[:place] + bytes([good[place] ^ 0xFF]) + good[place + 1 :])
        except ValueError:
            continue


def test_what_is_not_understood_stays_a_file() -> None:
    assert setting_changes("Documents/a.txt", b"", b"a=1") is None
    assert setting_changes(".config/dconf/user", b"", b"nonsense") is None
    changes = setting_changes(".config/crontab", b"1 2 3 4 5 x\n", b"# nothing\n")
    assert changes is not None and len(changes) == 1
    removed = changes[0]
    assert (removed.store, removed.key, removed.value) == ("crontab", "1 2 3 4 5 x", None)
    changes = setting_changes(".gitconfig", b"", b"k=" + b"\x1b" * 9999)
    assert changes is not None and len(changes) == 1
    long = changes[0]
    assert long.value is not None and len(long.value) < 1000 and "\x1b" not in long.value
