"""Pairs for metrics of values."""

from __future__ import annotations

import json
import random
from typing import Any

from pydantic import JsonValue

from support.agreement import Case, Generator
from support.agreement.words import lines, some_options, subset

VALUES: tuple[JsonValue, ...] = ("a", "a\n", "A", "", "ab", None, 1, 1.0, True, ["a"], ["a", "b"], {"a": 1}, "1")


def exact_match(rng: random.Random) -> Case:
    return Case("exact_match", rng.choice(VALUES), {"expected": rng.choice(VALUES)})


def check_include_exclude(rng: random.Random) -> Case:
    text = rng.choice((None, "", " ".join(lines(rng)), "all is well\n"))
    rules: dict[str, JsonValue] = {
        key: [*rng.sample(("alpha", "Beta", "well", "", "no"), rng.randrange(3))]
        for key in ("include", "exclude")
        if rng.random() < 0.7
    }
    return Case("check_include_exclude", text, rules)


def match_in_list(rng: random.Random) -> Case:
    return Case("match_in_list", rng.choice(VALUES), {"expected": rng.choice((subset(rng, VALUES), "abc", {"a": 2}))})


def is_in_list(rng: random.Random) -> Case:
    return Case("is_in_list", rng.choice((subset(rng, VALUES), "abc", None)), {"expected": rng.choice(VALUES)})


def literal_match(rng: random.Random) -> Case:
    values = (*VALUES, ["A", "b"], [1, "b"], ["1", "b"])
    options = some_options(rng, "ignore_case")
    if rng.random() < 0.7:
        options["type"] = rng.choice(("str", "list", "list"))
    return Case("literal_match", rng.choice(values), rng.choice(values), options)


def compare_answer(rng: random.Random) -> Case:
    return Case("compare_answer", rng.choice(VALUES), {"expected": rng.choice(VALUES)})


def check_direct_json_object(rng: random.Random) -> Case:
    parts: tuple[JsonValue, ...] = ("one", "one two", 2, True, None, ["one", "x"], ["two"], "", 2.0, {"k": 1}, "1")
    found: dict[str, JsonValue] = {key: rng.choice(parts) for key in "abc" if rng.random() < 0.9}
    expected: Any = {
        key: found.get(key) if rng.random() < 0.8 else rng.choice(parts) for key in "abc" if rng.random() < 0.7
    }
    if isinstance(expected, dict) and rng.random() < 0.1:
        expected["ignore_list_order"] = rng.random() < 0.7
    if isinstance(expected, dict) and rng.random() < 0.05:
        expected["a"] = "__EVALUATION_FAILED__"
    if rng.random() < 0.04:
        expected = rng.choice(([], ["a"], "a", None))
    rules: dict[str, JsonValue] = {"expected": expected} if rng.random() < 0.96 else {}
    if rng.random() < 0.5:
        rules["expect_in_result"] = rng.random() < 0.7
    result: JsonValue = found
    if rng.random() < 0.4:
        result = rng.choice((json.dumps(found), str(found), f" {json.dumps(found)}\n", "not json", "[1]"))
    return Case("check_direct_json_object", rng.choice((result, result, result, result, None, [1], 3)), rules)


def is_extension_installed(rng: random.Random) -> Case:
    names = ("ms-python.python", "njpwerner.autodocstring", "eamodio.gitlens")
    listed = "\n".join(subset(rng, names))
    rules: dict[str, JsonValue] = {"type": rng.choice(("contain", "contain", "not_contain", "other")),
                                   "expected": rng.choice((*names, "python", ""))}  # fmt: skip
    return Case("is_extension_installed", rng.choice((listed, listed, listed, None)), rules)


def is_in_vm_clickboard(rng: random.Random) -> Case:
    wanted = rng.choice(("alpha", ["alpha", "Beta"], [], "", ["3"]))
    return Case("is_in_vm_clickboard", {"expected": wanted}, rng.choice((" ".join(lines(rng)), "alpha Beta", None)))


def check_gnome_favorite_apps(rng: random.Random) -> Case:
    apps = ("thunderbird.desktop", "vim.desktop", "google-chrome.desktop")
    printed = rng.choice((f"{subset(rng, apps)}\n", f"{subset(rng, apps)}", "@as []", "", "'a"))
    return Case("check_gnome_favorite_apps", printed, {"expected": subset(rng, (*apps, apps[0]))})


def is_utc_0(rng: random.Random) -> Case:
    zone = rng.choice(("UTC (UTC, +0000)", "Atlantic/Faroe (WET, +0000)", "Europe/Berlin (CET, +0100)"))
    rows = ["Local time: x", "Universal time: x", "RTC time: x", f"Time zone: {zone}", "NTP service: inactive"]
    rows = rows[: rng.choice((5, 5, 5, 5, 3, 4))]
    return Case("is_utc_0", rng.choice(("\n".join(rows), "\n".join(rows) + "\n")), None, arguments=1)


def check_text_enlarged(rng: random.Random) -> Case:
    return Case("check_text_enlarged", rng.choice(("1.0\n", "1.25", "0.9", "x", "", "1.0000001", "nan")), None,
                arguments=1)  # fmt: skip


def check_moved_jpgs(rng: random.Random) -> Case:
    names = ("a.jpg", "b.jpg", "c.jpg")
    children: list[JsonValue] = [{"type": "file", "name": name} for name in subset(rng, (*names, "d.png"))]
    tree: JsonValue = {"type": "directory", "name": "x", "children": children}
    return Case("check_moved_jpgs", rng.choice((tree, tree, tree, tree, None)), {"expected": subset(rng, names)})


def is_vlc_fullscreen(rng: random.Random) -> Case:
    def size() -> JsonValue:
        return rng.choice((None, {"width": rng.choice((1920, 1919)), "height": rng.choice((1080, 1079))},
                           {"width": 1920, "height": 1080}, {"width": 1920}))  # fmt: skip

    return Case("is_vlc_fullscreen", size(), size())


GENERATORS: dict[str, Generator] = {
    make.__name__: make
    for make in (
        exact_match, check_include_exclude, match_in_list, is_in_list, literal_match, compare_answer,
        check_direct_json_object, is_extension_installed, is_in_vm_clickboard, check_gnome_favorite_apps, is_utc_0,
        check_text_enlarged, check_moved_jpgs, is_vlc_fullscreen,
    )
}  # fmt: skip
