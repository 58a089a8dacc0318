"""Pairs for metrics of text files."""

from __future__ import annotations

import json
import random
from typing import Any

from pydantic import JsonValue

from support.agreement import Case, Generator
from support.agreement.words import changed, json_file, lines, maybe_missing, some_options, subset, text_file
from trueline.tasks.checkers.values import FileValue, Value


def compare_text_file(rng: random.Random) -> Case:
    text = lines(rng)
    join = rng.choice(("\n", "\r\n", "\r"))
    pair = text_file("\n".join(text)), text_file(join.join(changed(rng, text)))
    return Case("compare_text_file", *pair, some_options(rng, "ignore_blanks", "ignore_case"))


def compare_csv(rng: random.Random) -> Case:
    text = lines(rng)
    result = "\n".join(changed(rng, text)).encode(rng.choice(("utf-8", "utf-8", "cp1253")), "replace")
    golds = tuple(text_file("\n".join(changed(rng, text)) + rng.choice(("", "\n")), "e.csv") for _ in range(2))
    expected: Value = golds if rng.random() < 0.3 else golds[0]
    missing = rng.random() < 0.05
    options = some_options(rng, "strict", "ignore_case")
    return Case("compare_csv", None if missing else FileValue("r.csv", result), expected, options)


def check_list(rng: random.Random) -> Case:
    patterns = ("alpha", "^alpha", "a$", r"\d", ".+", "gamma.*ray", "(?i)beta", "x,y", r"\s\s")
    rules: dict[str, JsonValue] = {
        key: [*rng.sample(patterns, rng.randrange(3))] for key in ("expect", "unexpect") if rng.random() < 0.7
    }
    return Case("check_list", text_file("\n".join(lines(rng))), rules)


def _value_rule(rng: random.Random) -> dict[str, JsonValue]:
    values: tuple[JsonValue, ...] = (1, 2.5, "one", "One two", None, True, [1, "x"], "p,q", '"p,q"')
    method, ref = rng.choice(
        [(name, rng.choice(values)) for name in ("eq", "ne", "lt", "le", "gt", "ge")]
        + [("re", "^one"), ("re.I", "ONE"), ("re.IGNORECASE.S", "o.e"), ("approx:0.5", 2), ("approx:1", 1.5)]
        + [(f"range.{x}{y}", [1, 2.5]) for x in "et" for y in "et"]
        + [("str_list_eq", ["p", "q"]), ("str_set_eq", ["q", "p"])]
    )
    return {"method": method, "ref": ref}


def check_json(rng: random.Random) -> Case:
    keys: tuple[list[JsonValue], ...] = (["a"], ["b", "c"], ["l", 0], ["l", 5], ["no"], [], ["a", "x"], ["b", "w"])
    values: tuple[JsonValue, ...] = (1, 2.5, "one", "One two", None, True, [1, "x"], "p,q", '"p,q"', 2)
    document = {"a": rng.choice(values), "b": {"c": rng.choice(values), "w": 2.5}, "l": [rng.choice(values), "x"]}
    rules: dict[str, JsonValue] = {
        key: [{"key": rng.choice(keys), **_value_rule(rng)} for _ in range(rng.randrange(1, 3))]
        for key in ("expect", "unexpect")
        if rng.random() < 0.6
    }
    options: dict[str, JsonValue] = {"is_yaml": True} if rng.random() < 0.3 else {}
    text = ("{" if rng.random() < 0.05 else "") + json.dumps(document)
    if rng.random() < 0.05:
        text = rng.choice(("", "# nothing\n", "null"))
    return Case("check_json", text_file(text, "a.json"), rules, options)


def diff_text_file(rng: random.Random) -> Case:
    text = lines(rng, 9)
    result = text_file(rng.choice(("\n", "\r\n")).join(changed(rng, text)))
    return Case("diff_text_file", maybe_missing(rng, result), text_file("\n".join(text)))


def file_contains(rng: random.Random) -> Case:
    wanted: JsonValue = rng.choice(([*subset(rng, ("alpha", "x,y", "", "3"))], "alp", None, 3, ["alpha", 3]))
    result = FileValue("a.txt", rng.choice(("\n".join(lines(rng)).encode(), b"alpha x,y 3", b"\xff")))
    return Case("file_contains", maybe_missing(rng, result), {"expected": wanted})


def check_line_number(rng: random.Random) -> Case:
    times = [rng.choice(("12:30:45", "23:59:60", "24:00:00", "1:02:03", "no", "x 00:00:00 y")) for _ in range(4)]
    wanted: JsonValue = rng.choice((0, 1, 2, 3, 4, "2", "x", None, 2.0))
    return Case("check_line_number", maybe_missing(rng, text_file("\n".join(times))), {"expected": wanted})


def compare_config(rng: random.Random) -> Case:
    text = lines(rng)
    result = maybe_missing(rng, text_file(rng.choice(("\n", "\r\n")).join(text)))
    return Case("compare_config", result, {"expected": "\n".join(changed(rng, text))})


def compare_result_files(rng: random.Random) -> Case:
    numbers = ("3", "3.0", " 3.00004\n", "3.0002", "nan", "inf", "it is 3", "x", "", "-3")
    pair = text_file(rng.choice(numbers)), text_file(rng.choice(numbers))
    return Case("compare_result_files", maybe_missing(rng, pair[0]), pair[1])


def compare_terminal_and_txt(rng: random.Random) -> Case:
    text = lines(rng)
    shown = "\n".join(changed(rng, text))
    return Case("compare_terminal_and_txt", maybe_missing(rng, text_file("\n".join(text))), shown)


def is_included_all_json_objects(rng: random.Random) -> Case:
    def some() -> dict[str, object]:
        return {key: rng.choice((1, "x", [1], None)) for key in "abc" if rng.random() < 0.7}

    gold = some()
    result = {**gold, **(some() if rng.random() < 0.6 else {"z": 1})}
    return Case("is_included_all_json_objects", maybe_missing(rng, json_file(gold)), json_file(result))


def compare_python_pure_text(rng: random.Random) -> Case:
    program = ["#!/usr/bin/python3", "# -*- coding: utf-8 -*-", "import os", "", "def f():", "\treturn 1  ", "# end"]
    found = [line for line in program if rng.random() < 0.93]
    if rng.random() < 0.4:
        found = [line.replace("\t", "    ") if rng.random() < 0.8 else f" {line}" for line in found]
    start = rng.randrange(3)
    return Case("compare_python_pure_text", maybe_missing(rng, text_file("\n".join(found[start:]))),
                text_file("\n".join(program)))  # fmt: skip


def check_csv(rng: random.Random) -> Case:
    head = ["name", "age", "city"]
    rows = [[rng.choice(("Ann", "Bob", "")), rng.choice(("3", "03", " 3")), rng.choice(("X", "x"))]
            for _ in range(rng.randrange(4))]  # fmt: skip
    text = "\n".join(",".join(row[: rng.choice((3, 3, 3, 2))]) for row in [head, *rows])

    def some() -> list[JsonValue]:
        return [
            {key: value for key, value in zip(head, row, strict=True) if rng.random() < 0.7}
            for row in subset(rng, rows)
        ]

    rules: dict[str, JsonValue] = {key: some() for key in ("expect", "unexpect") if rng.random() < 0.7}
    if rng.random() < 0.2:
        rules["unexpect"] = [{"name": "Cid"}, {"age": None}, {"age": 3}]
    return Case("check_csv", maybe_missing(rng, text_file(text, "a.csv")), rules)


def check_json_settings(rng: random.Random) -> Case:
    settings = {"editor.fontSize": 14, "files.autoSave": "afterDelay", "workbench": {"a": [1]}, "x": None, "y": True}
    found = {key: rng.choice((value, value, value, 1, None)) for key, value in settings.items() if rng.random() < 0.9}
    wanted: Any = {key: settings[key] for key in subset(rng, [*settings], 1)}
    broken = rng.choice((json.dumps(found),) * 9 + ("// comment\n{}", "[]", "", '["editor.fontSize"]', "3"))
    return Case("check_json_settings", maybe_missing(rng, text_file(broken)), {"expected": wanted})


def check_json_keybindings(rng: random.Random) -> Case:
    bindings = [{"key": "ctrl+j", "command": "x"}, {"key": "ctrl+k", "command": "-y", "when": "z"}]
    found = json.dumps(subset(rng, bindings))
    text = rng.choice(
        (found, f"// Place your key bindings\n{found}", f"// a\n// b\n{found}", "{}", "", f"{{}}\n{found}")
    )
    return Case("check_json_keybindings", maybe_missing(rng, text_file(text)), {"expected": rng.choice(bindings)})


GENERATORS: dict[str, Generator] = {
    make.__name__: make
    for make in (
        compare_text_file, compare_csv, check_list, check_json, diff_text_file, file_contains, check_line_number,
        compare_config, compare_result_files, compare_terminal_and_txt, is_included_all_json_objects,
        compare_python_pure_text, check_csv, check_json_settings, check_json_keybindings,
    )
}  # fmt: skip
